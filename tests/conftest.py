"""Settings for all tests: hypothesis without deadlines (a first call may compile) and the same examples each time."""

from hypothesis import settings

settings.register_profile("anyzero", deadline=None, derandomize=True, database=None)
settings.load_profile("anyzero")
