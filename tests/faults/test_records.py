from tests.faults.records import run_campaign
from tests.faults.table import Table


def test_a_changed_record_of_a_match_is_told_and_its_games_never_count(tmp_path):
    table = Table()
    run_campaign(tmp_path, table, tries=6)
    assert not table.wrong
    assert sum(counts.total() for counts in table.counts.values()) == 6 * 7
