import pytest

from tests.faults import kept
from tests.faults.records import run_campaign
from tests.faults.table import Table


def test_a_changed_record_of_a_match_is_told_and_its_games_never_count(tmp_path):
    table = Table()
    run_campaign(tmp_path, table, tries=6)
    assert not table.wrong
    assert sum(counts.total() for counts in table.counts.values()) == 6 * 7


@pytest.mark.slow
def test_whatever_is_kept_outside_of_runs_is_told_of_when_it_is_damaged(tmp_path):
    table = Table()
    kept.run_campaign(tmp_path, table, tries=len(kept.WAYS))
    assert table.wrong == [], f"\n{table}"
