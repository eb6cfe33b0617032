"""A player as a single Python file, for contest sites."""
