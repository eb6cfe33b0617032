"""Parts that may be missing, each found through `core.base.extras.find` and imported by nobody."""
