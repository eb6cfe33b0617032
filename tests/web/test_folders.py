"""Runs, experiments and the user's own games, by name."""

import httpx

from tests.web.server import open_tab, run


def get(server, path):
    return httpx.get(server.url + path).json()


def test_runs_are_listed_with_what_is_wrong_with_some(server):
    found = get(server, "api/runs")
    assert [(run["name"], run["generations"], run["elo"]) for run in found["runs"]] == [
        (name, 2, [200, 160, 240]) for name in ("running", "small")
    ]
    assert found["runs"][0]["elo_generation"] == found["runs"][0]["champion"] == 2
    assert found["broken"][0]["name"] == "broken"


def test_a_run_has_its_history_and_its_games(server):
    run = get(server, "api/runs/small")
    assert [row["elo"] for row in run["history"]] == [0.0, 100.0, 200.0]
    assert run["config"]["game"] == "tic_tac_toe"
    assert run["blocks"] == [{"generation": 1, "block": 0}]
    games = get(server, "api/runs/small/games/1/0")["games"]
    assert games == [{"names": ["champion", "champion"], "plies": 3, "payoffs": [0.0, 0.0]}]
    game = get(server, "api/runs/small/games/1/0/0")
    assert game["moves"] == ["b2", "a1", "c3"]
    assert get(server, "api/runs/small/games/1/0/7") == {
        "error": "the block has 1 game, not a game 7"
    }


def test_games_of_a_run_that_are_no_games_are_named(server):
    path = server.folder / "runs/small/games/0002-000.jsonl"
    path.write_text('{"start": 0}\n')
    answer = httpx.get(f"{server.url}api/runs/small/games/2/0")
    path.unlink()
    assert answer.status_code == 400
    assert answer.json()["error"].endswith("0002-000.jsonl cannot be read: a line is not a game")


def test_experiments_are_the_tables_among_the_files(server):
    assert [one["name"] for one in get(server, "api/experiments")["experiments"]] == [
        "grid.csv",
        "rave.csv",
    ]
    rows = get(server, "api/experiments/rave.csv")["rows"]
    assert [(row["budgets"], row["wins"], row["score"][0]) for row in rows] == [
        (["100", "100"], 8, 0.8),
        (["500", "100"], 9, 0.9),
    ]
    assert httpx.get(server.url + "api/experiments/other.csv").status_code == 404


def test_a_game_of_ones_own_is_played_by_its_name_and_its_path_is_not_told(server):
    async def work():
        async with open_tab(server) as tab:
            view = await tab.ask(type="new", game="heap:size=4", seats=["human", "random"], seed=1)
            assert (view["game"], view["scene"]) == ("heap:size=4", None)
            assert [move["move"] for move in view["legal"]] == ["0", "1"]
            await tab.ask(type="move", table=view["table"], action=1)
            assert (await tab.hear_table(2))["ply"] >= 2
            drawn = await tab.ask(type="new", game="drawn_heap", seats=["human", "human"])
            assert drawn["scene"]["title"].startswith("<img")

    run(work())
    assert "heap" in [game["name"] for game in get(server, "api/games")["games"]]
