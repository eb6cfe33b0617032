"""The server as clients see it: games, machines, two clients at one table, and what it refuses."""

import asyncio
import json

import httpx
import pytest
import websockets
from starlette.responses import JSONResponse

from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.web.app import only_own_pages
from anyzero.core.game.load import load
from anyzero.tools.players import parse_player
from tests.web.folders import write_own_games
from tests.web.server import ServerProcess, open_tab, run

TTT = {"type": "new", "game": "tic_tac_toe", "seats": ["human", "human"]}


def test_a_move_is_acknowledged_and_everybody_at_the_table_is_told(server):
    async def work():
        async with open_tab(server) as one, open_tab(server) as other:
            table = (await one.ask(**TTT))["table"]
            assert (await other.ask(type="join", table=table))["ply"] == 0
            done = await one.ask(type="move", table=table, move="b2", ply=0)
            assert (done["type"], done["ply"]) == ("done", 1)
            told = await other.hear_table(1)
            assert [move["move"] for move in told["moves"]] == ["b2"]
            assert told["last"] == ["b2"]
            late = await other.ask(type="move", table=table, move="a1", ply=0)
            assert late == {
                "type": "error",
                "request": 2,
                "error": "the game has moved on; look again",
            }

    run(work())


def test_a_machine_plays_what_the_same_player_plays_elsewhere(server):
    async def work():
        async with open_tab(server) as tab:
            seats = ["human", "uct:60"]
            view = await tab.ask(type="new", game="tic_tac_toe", seats=seats, seed=5)
            await tab.ask(type="move", table=view["table"], move="a1")
            return (await tab.hear_table(2))["moves"]

    moves = run(work())
    game = load("tic_tac_toe")
    table = GameInProgress(game, seed=5)
    table.play("a1")
    action = parse_player("uct:60").choose(game, table.so_far, table.move_seed)
    assert moves[1]["move"] == game.format_action(table.state, action)
    assert moves[1]["simulations"] <= 60
    assert -1 <= moves[1]["value"] <= 1


def test_an_engine_that_the_command_line_allows_takes_a_seat(server):
    async def work():
        async with open_tab(server) as tab:
            view = await tab.ask(
                type="new", game="tic_tac_toe", seats=["human", "engine:First-in-line"]
            )
            for ply, move in ((2, "a1"), (4, "c3")):
                await tab.ask(type="move", table=view["table"], move=move)
                moves = (await tab.hear_table(ply))["moves"]
            return [move["move"] for move in moves]

    assert run(work()) == ["a1", "b1", "c3", "c1"]


def test_undo_goes_back_to_the_persons_decision_and_redo_forward_again(server):
    async def work():
        async with open_tab(server) as tab:
            view = await tab.ask(type="new", game="tic_tac_toe", seats=["human", "random"], seed=1)
            table = view["table"]
            await tab.ask(type="move", table=table, move="a1")
            after = await tab.hear_table(2)
            back = await tab.ask(type="undo", table=table)
            assert back["ply"] == 0
            forward = await tab.ask(type="redo", table=table)
            assert forward["ply"] == 2
            again = await tab.ask(type="look", table=table)
            assert again["position"] == after["position"]

    run(work())


def test_a_game_without_people_plays_itself_waits_and_goes_on(server):
    async def work():
        async with open_tab(server) as tab:
            view = await tab.ask(
                type="new", game="tic_tac_toe", seats=["random", "random"], paused=True
            )
            assert not view["thinking"]
            await tab.ask(type="pace", table=view["table"], paused=False)
            end = await tab.hear(lambda found: found["type"] == "table" and found["over"])
            assert end["termination"] == "rules"
            assert len(end["payoffs"]) == 2

    run(work())


def test_resigning_and_records(server):
    async def work():
        async with open_tab(server) as tab:
            view = await tab.ask(
                type="new", game="hex:size=5", seats=["human", "human"], moves=["c3", "b2"]
            )
            table = view["table"]
            await tab.ask(type="resign", table=table)
            end = await tab.hear(lambda found: found["type"] == "table" and found["over"])
            assert (end["termination"], end["payoffs"]) == ("resign", [-1.0, 1.0])
            text = httpx.get(f"{server.url}api/tables/{table}/record.sgf").text
            assert ";B[c3]" in text
            loaded = await tab.ask(type="load", text=text, form="sgf")
            assert (loaded["termination"], loaded["game"]) == ("resign", "hex:size=5,swap=false")
            first = await tab.ask(type="load", text=text + text, form="sgf")
            assert (loaded["trouble"], first["trouble"]) == (
                "",
                "the file has 2 games, and this is the first",
            )
            empty = await tab.ask(type="load", text="", form="sgf")
            assert empty["error"] == "there is no game in it"
            whole = httpx.get(f"{server.url}api/tables/{table}/record.json").json()
            assert whole["moves"] == ["c3", "b2"]
            again = await tab.ask(type="load", text=json.dumps(whole), form="json")
            assert again["ply"] == view["ply"] + 1

    run(work())


def test_people_of_a_file_keep_their_names_until_somebody_else_sits_down(server):
    async def work():
        async with open_tab(server) as tab:
            text = '[White "Anderssen"]\n[Black "Kieseritzky"]\n\n1. e4 e5 *'
            table = (await tab.ask(type="load", text=text, form="pgn"))["table"]
            await tab.ask(type="sit", table=table, seats=["human", "level:easy"])
            return httpx.get(f"{server.url}api/tables/{table}/record.json").json()["players"]

    assert run(work()) == ["Anderssen", "level:easy"]


def test_an_analysis_is_streamed_and_adds_up(server):
    async def work():
        async with open_tab(server) as tab:
            number = await tab.say(
                type="analyse", game="tic_tac_toe", moves=["b2"], player="uct:30000,solve=0"
            )
            found = await tab.hear_done(number)
            last = found[-1]["result"]
            assert found[-1]["done"]
            assert last["simulations"] == 30000
            assert sum(child["visits"] for child in last["children"]) in (29999, 30000)
            assert [len(cells) for cells in last["ghosts"]] == [1] * len(last["ghosts"])
            counts = [answer["result"]["simulations"] for answer in found]
            assert counts == sorted(counts)

    run(work())


def test_stop_ends_a_search_and_a_new_one_takes_its_lane(server):
    async def work():
        async with open_tab(server) as tab:
            await tab.say(type="analyse", game="tic_tac_toe", player="uct:50s,solve=0", lane="x")
            await tab.hear(lambda found: found["type"] == "analysis")
            await tab.say(type="stop", lane="x")
            hint = await tab.say(type="analyse", game="tic_tac_toe", player="uct:50", lane="x")
            assert (await tab.hear_done(hint))[-1]["result"]["simulations"] <= 50

    run(work())


def test_halving_answers_at_its_end(server):
    async def work():
        async with open_tab(server) as tab:
            number = await tab.say(type="analyse", game="tic_tac_toe", player="halving:200")
            found = [answer for answer in await tab.hear_done(number) if not answer["preparing"]]
            assert len(found) == 1
            assert len(found[0]["result"]["children"]) == 9

    run(work())


def test_a_hint_names_a_winning_move(server):
    async def work():
        async with open_tab(server) as tab:
            view = await tab.ask(**TTT, moves=["a1", "a2", "b1", "b2"])
            number = await tab.say(type="hint", table=view["table"], player="uct:200")
            result = (await tab.hear_done(number))[-1]["result"]
            assert result["best_move"] == "c1"
            assert result["ghosts"][0] == ["c1"]

    run(work())


def test_chance_can_be_told_move_by_move(server):
    async def work():
        async with open_tab(server) as tab:
            start = await tab.ask(type="look", game="take_it_easy")
            assert start["seat"] == -1
            assert len(start["legal"]) == 27
            drawn = await tab.ask(type="look", game="take_it_easy", moves=["928"])
            assert (drawn["seat"], len(drawn["legal"])) == (0, 19)

    run(work())


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "fly"}, "type cannot be 'fly'"),
        ({"type": "join", "table": "../../etc/passwd"}, "there is no game"),
        ({"type": "new", "game": "hexx", "seats": []}, "did you mean hex?"),
        (
            {"type": "new", "game": "./evil.py", "seats": ["human", "human"]},
            "there is no game './evil.py'",
        ),
        ({"type": "new", "game": "hex:size=99", "seats": ["human", "human"]}, "99"),
        ({"type": "new", "game": "hex", "seats": ["human"]}, "hex has 2 seats, not 1"),
        ({"type": "new", "game": "hex", "seats": ["human", "./p.py"]}, "there is no player"),
        ({"type": "new", "game": "hex", "seats": ["human", "puct:9@../x"]}, "there is no network"),
        ({"type": "new", "game": "hex", "seats": ["human", "gtp:sh"]}, "there is no player"),
        ({"type": "new", "game": "hex", "seats": ["human", "engine:sh"]}, "known: First-in-line"),
        (
            {"type": "new", "game": "take_it_easy", "seats": ["engine:First-in-line"]},
            "two-seat games without chance",
        ),
        (
            {"type": "new", "game": "hex", "seats": ["human", "uct:999999999"]},
            "at most 2000000 simulations",
        ),
        (
            {"type": "new", "game": "hex", "seats": ["human", "uct:9,trees=64"]},
            "not for the web app",
        ),
        (
            {"type": "new", "game": "hex", "seats": ["human", "rave:9,evaluator=uniform"]},
            "AMAF needs",
        ),
        (
            {"type": "new", "game": "hex", "seats": ["human", "human"], "moves": ["a1", "a1"]},
            "move 2",
        ),
        ({"type": "new", "game": "hex", "seats": ["human", "human"], "seed": 2**53}, "seed"),
        ({"type": "load", "text": "{}", "form": "json"}, "the record has no"),
        ({"type": "load", "text": "x", "form": "exe"}, "form"),
        ({"type": "analyse", "game": "hex", "player": "human"}, "does not search"),
        ({"type": "look"}, "either by its table or by its game"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(server, message, words):
    async def work():
        async with open_tab(server) as tab:
            answer = await tab.ask(**message)
            assert answer["type"] == "error"
            assert words in answer["error"]
            assert "\n" not in answer["error"]

    run(work())


def test_what_is_not_a_message_ends_nothing(server):
    async def work():
        async with open_tab(server) as tab:
            for text in ("", "{", "[]", "null", '{"type": 7}', '{"type": "join"}', "[" * 50_000):
                await tab.socket.send(text)
                assert (await tab.hear(lambda found: True))["type"] == "error"
            assert (await tab.ask(**TTT))["type"] == "table"

    run(work())


@pytest.mark.parametrize("content", [b"x" * (2 << 20), b"not UTF-8: \xff"])
def test_a_message_that_is_too_large_or_no_text_ends_the_connection_alone(server, content):
    async def send_it(tab):
        await tab.socket.send(content, text=True)  # the end may come before all of it is sent
        await tab.socket.recv()

    async def work():
        async with open_tab(server) as tab:
            with pytest.raises(websockets.ConnectionClosedError):
                await send_it(tab)
        async with open_tab(server) as tab:
            assert (await tab.ask(**TTT))["type"] == "table"

    run(work())


def test_one_client_cannot_start_any_number_of_searches(server):
    async def work():
        async with open_tab(server) as tab:
            for lane in range(7):
                last = await tab.say(
                    type="analyse", game="tic_tac_toe", player="uct:30s,solve=0", lane=str(lane)
                )
            refused = await tab.hear(lambda found: found.get("request") == last)
            assert "6 searches running" in refused["error"]
        async with open_tab(server) as tab:  # those of a client that is gone have ended
            number = await tab.say(type="analyse", game="tic_tac_toe", player="uct:50")
            assert (await tab.hear_done(number))[-1]["type"] == "analysis"

    run(work())


def test_a_small_search_ends_while_six_huge_ones_of_another_client_go_on(server):
    async def work():
        async with open_tab(server) as greedy, open_tab(server) as modest:
            for lane in range(6):
                await greedy.say(
                    type="analyse", game="tic_tac_toe", player="uct:50s,solve=0", lane=str(lane)
                )
            await greedy.hear(lambda found: found["type"] == "analysis")
            number = await modest.say(type="analyse", game="tic_tac_toe", player="uct:50")
            assert (await modest.hear_done(number))[-1]["result"]["simulations"] <= 50
            await greedy.ask(type="look", game="tic_tac_toe")
            assert not any(found.get("done") for found in greedy.missed)

    run(work())


@pytest.mark.parametrize(
    ("host", "asked", "status"),
    [
        ("0.0.0.0", "192.168.1.5:80", 200),
        ("::", "[fd00::5]:80", 200),
        ("0.0.0.0", "evil.example:80", 403),
        ("127.0.0.1", "192.168.1.5:80", 403),
        ("BOX", "box:80", 200),
    ],
)
def test_under_which_names_a_server_answers(host, asked, status):
    async def page(scope, receive, send):
        await JSONResponse({})(scope, receive, send)

    async def statuses(*origins):
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(only_own_pages(page, host, 80))
        ) as client:
            asking = [{"host": asked, **origin} for origin in origins]
            return [
                (await client.get("http://server/", headers=headers)).status_code
                for headers in asking
            ]

    found = run(statuses({}, {"origin": f"http://{asked}"}, {"origin": "http://evil.example"}))
    assert found == [status, status, 403]


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
    ],
)
def test_other_sites_are_refused(server, headers):
    answer = httpx.get(server.url, headers=headers)
    assert answer.status_code == 403
    assert "only" in answer.json()["error"]

    async def work():
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with open_tab(server, additional_headers=headers):
                pass
        assert refused.value.response.status_code == 403

    if "origin" in headers:
        run(work())


def test_nothing_may_be_loaded_from_elsewhere(server):
    answer = httpx.get(server.url)
    assert answer.status_code == 200
    assert "default-src 'none'; script-src 'self'" in answer.headers["content-security-policy"]
    assert "--role-seat0" in httpx.get(server.url + "palette.css").text
    for name in ("main.js", "style.css", "icon.svg"):
        found = httpx.get(server.url + name)
        assert found.status_code == 200
        assert (
            httpx.get(
                server.url + name, headers={"if-none-match": found.headers["etag"]}
            ).status_code
            == 304
        )


@pytest.mark.parametrize(
    "path", ["..%2fapp.py", "%2e%2e/app.py", "static", "api/runs/..%2f..", "api/runs/%2e%2e"]
)
def test_paths_lead_nowhere(server, path):
    assert httpx.get(server.url + path).status_code == 404


def test_the_lists_say_what_there_is(server):
    games = {game["name"]: game for game in httpx.get(server.url + "api/games").json()["games"]}
    assert games["hex"]["title"] == "Hex"
    assert {"name": "size", "default": 11, "kind": "int", "choices": []} in games["hex"]["options"]
    assert games["take_it_easy"]["num_seats"] == 1
    players = httpx.get(server.url + "api/players").json()
    assert players["levels"] == ["beginner", "easy", "medium", "hard", "max"]
    assert httpx.get(server.url + "api/experiments/x.csv").status_code == 404


def test_a_killed_server_goes_on_with_every_acknowledged_move(tmp_path):
    """Of built-in games and a user's own, of what was undone too, and in the middle of many
    moves.
    """
    server = ServerProcess(tmp_path, "--game", write_own_games(tmp_path)[0])
    moves = [f"{column}{row}" for row in range(1, 6) for column in "abcde"][:20]

    async def begin():
        async with open_tab(server) as tab:
            games = ("connect_four", "heap:size=7", "hex:size=5")
            tables = [
                (await tab.ask(type="new", game=game, seats=["human", "human"]))["table"]
                for game in games
            ]
            for move in "dcde":
                assert (await tab.ask(type="move", table=tables[0], move=move))["type"] == "done"
            assert (await tab.ask(type="undo", table=tables[0]))["ply"] == 3
            await tab.ask(type="move", table=tables[1], action=0)
            numbers = [await tab.say(type="move", table=tables[2], move=move) for move in moves]
            for number in numbers[:7]:
                done = await tab.hear(lambda found, number=number: found.get("request") == number)
                assert done["type"] == "done"
            server.kill()
            return tables

    async def go_on(tables):
        async with open_tab(server) as one, open_tab(server) as other:
            views = await asyncio.gather(
                *(tab.ask(type="join", table=tables[2]) for tab in (one, other))
            )
            for view in views:
                kept = [move["move"] for move in view["moves"]]
                assert len(kept) >= 7
                assert kept == moves[: len(kept)]
            view = await one.ask(type="join", table=tables[0])
            assert [move["move"] for move in view["moves"]] == ["d", "c", "d"]
            assert (view["plies"], view["can_redo"]) == (4, True)
            assert (await one.ask(type="redo", table=tables[0]))["ply"] == 4
            assert (await one.ask(type="join", table=tables[1]))["ply"] == 1

    tables = run(begin())
    server.restart()
    try:
        run(go_on(tables))
        assert httpx.get(server.url + "api/tables").json()["tables"][0]["id"] == tables[0]
    finally:
        code, words = server.stop()
    assert code == 130
    assert "all games are saved" in words
