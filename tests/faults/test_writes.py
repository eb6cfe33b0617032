"""A kill or a full disk at a write of a run: nothing is lost, and what is made again is the
same.
"""

import pytest

from tests.faults import writes
from tests.faults.table import Table


@pytest.mark.parametrize("every", [80, pytest.param(4, marks=pytest.mark.slow)])
def test_a_run_that_was_killed_or_met_a_full_disk_goes_on_to_the_same_bytes(tmp_path, every):
    table = Table()
    writes.run_campaign(tmp_path, table, generations=1, every=every)
    assert table.wrong == [], f"\n{table}"
    assert len(table.counts) == 2
