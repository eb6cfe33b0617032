"""Runs, experiments and the user's own games, by name."""

import httpx
import pytest

from tests.web.folders import make_experiment, make_run, write_own_games
from tests.web.server import ServerProcess, open_tab, run


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("folders")
    make_run(folder / "runs" / "small")
    (folder / "runs" / "broken").mkdir()
    (folder / "runs" / "broken" / "config.toml").write_text("x = [")
    make_experiment(folder / "rave.csv")
    (folder / "other.csv").write_text("a,b\n1,2\n")
    words = [word for path in write_own_games(folder) for word in ("--game", path)]
    server = ServerProcess(folder, *words)
    yield server
    server.stop()


def get(server, path):
    return httpx.get(server.url + path).json()


def test_runs_are_listed_with_what_is_wrong_with_some(folders):
    found = get(folders, "api/runs")
    assert [(run["name"], run["generations"], run["elo"]) for run in found["runs"]] == [("small", 2, [200, 160, 240])]
    assert found["runs"][0]["elo_generation"] == found["runs"][0]["champion"] == 2
    assert found["broken"][0]["name"] == "broken"


def test_a_run_has_its_history_and_its_games(folders):
    run = get(folders, "api/runs/small")
    assert [row["elo"] for row in run["history"]] == [0.0, 100.0, 200.0]
    assert run["config"]["game"] == "tic_tac_toe"
    assert run["blocks"] == [{"generation": 1, "block": 0}]
    games = get(folders, "api/runs/small/games/1/0")["games"]
    assert games == [{"names": ["champion", "champion"], "plies": 3, "payoffs": [0.0, 0.0]}]
    game = get(folders, "api/runs/small/games/1/0/0")
    assert game["moves"] == ["b2", "a1", "c3"]
    assert get(folders, "api/runs/small/games/1/0/7") == {"error": "the block has 1 games, not a game 7"}


def test_experiments_are_the_tables_among_the_files(folders):
    assert [one["name"] for one in get(folders, "api/experiments")["experiments"]] == ["rave.csv"]
    rows = get(folders, "api/experiments/rave.csv")["rows"]
    assert [(row["budgets"], row["wins"], row["score"][0]) for row in rows] == [
        (["100", "100"], 8, 0.8),
        (["500", "100"], 9, 0.9),
    ]
    assert httpx.get(folders.url + "api/experiments/other.csv").status_code == 404


def test_a_game_of_ones_own_is_played_by_its_name_and_its_path_is_not_told(folders):
    async def work():
        async with open_tab(folders) as tab:
            view = await tab.ask(type="new", game="heap:size=4", seats=["human", "random"], seed=1)
            assert (view["game"], view["scene"]) == ("heap:size=4", None)
            assert [move["move"] for move in view["legal"]] == ["0", "1"]
            await tab.ask(type="move", table=view["table"], action=1)
            assert (await tab.hear_table(2))["ply"] >= 2
            drawn = await tab.ask(type="new", game="drawn_heap", seats=["human", "human"])
            assert drawn["scene"]["title"].startswith("<img")

    run(work())
    assert "heap" in [game["name"] for game in get(folders, "api/games")["games"]]


def test_the_same_games_go_on_after_a_kill(folders):
    async def begin():
        async with open_tab(folders) as tab:
            view = await tab.ask(type="new", game="heap:size=7", seats=["human", "human"])
            await tab.ask(type="move", table=view["table"], action=0)
            return view["table"]

    async def look(table):
        async with open_tab(folders) as tab:
            assert (await tab.ask(type="join", table=table))["ply"] == 1

    table = run(begin())
    folders.kill()
    folders.restart()
    run(look(table))
