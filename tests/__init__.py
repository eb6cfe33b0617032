"""The tests."""

import getpass
import tempfile
from pathlib import Path

OWN = Path(tempfile.gettempdir()) / f"anyzero-tests-{getpass.getuser()}"
"""Games of a user's own, where the last tests had them too: what was compiled for them belongs to
their place.
"""
