"""Old names; see `anyzero.moved`."""
