"""The door of a search: what a call from Python loads, and how many files it passes."""

import re
import subprocess
import sys
from pathlib import Path

WALKS = Path(__file__).parents[2] / "benchmarks" / "walks.py"
SEARCH = """
import sys, anyzero
anyzero.search("hex", None, "rave", simulations=10)
print(*sys.modules)
"""
ABSENT = (
    *("anyzero.app", "anyzero.extras", "anyzero.views", "anyzero.tools.players"),
    *("anyzero.core.nets", "anyzero.core.learning", "anyzero.tools.child"),
    *("anyzero.core.base.schema", "pydantic", "torch", "safetensors"),
)


def output_of(*arguments):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_rave_search_from_python_loads_no_picture_process_or_net():
    loaded = output_of("-c", SEARCH).split()
    assert "anyzero.core.search.forest" in loaded
    assert [name for name in loaded if name.startswith(ABSENT)] == []


def test_a_reader_follows_a_rave_search_through_few_files():
    listed = output_of(WALKS, "search")
    counts = dict(re.findall(r"a RAVE search, (\w+): (\d+) files", listed))
    assert int(counts["cold"]) <= 20, listed
    assert int(counts["warm"]) <= 14, listed
