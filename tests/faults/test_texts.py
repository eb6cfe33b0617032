"""Damaged texts at every door: read or refused in one sentence, and nothing else happens."""

import pytest

from tests.faults.table import HARMLESS, TOLD, Table
from tests.faults.texts import DOORS, run_campaign


@pytest.mark.parametrize(
    "times", [pytest.param(0.5, id="few"), pytest.param(25, id="many", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", DOORS)
def test_a_damaged_text_is_read_or_refused(monkeypatch, tmp_path, name, times):
    monkeypatch.chdir(tmp_path)
    table = Table()
    run_campaign(tmp_path, table, times=times, doors={name: DOORS[name]})
    assert table.wrong == [], f"\n{table}"
    assert min(table.counts[name][verdict] for verdict in (TOLD, HARMLESS)) > 0
