"""The page without a server: from files that anything may serve, in a real browser, with the
network cut.
"""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.web.forms import position_values
from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.game.play import move_texts
from anyzero.core.learning.find import net_file
from anyzero.core.search import Searcher
from anyzero.extras.export import export
from anyzero.tools.players import parse_player
from anyzero.tools.players.text import net_method, search_arguments, split_player
from tests.web.folders import EXAMPLE, write_site
from tests.web.test_page import (
    click_cell,
    has_ended,
    open_game,
    play_move,
    result_on,
    until,
    wait_ply,
)
from tests.web.test_page_access import axe, few_and_rest, serious  # noqa: F401 (a fixture)

TELLER = Path(__file__).parent / "exported.mjs"
PLAY = """async () => {
  const {load} = await import('./anyzero.js');
  const game = await load('tic_tac_toe');
  const state = game.play(game.initialState(), 4);
  return [game.legalActions(state), game.search(state, 7), game.seatToMove(state)];
}"""


def cut_the_network(page, site):
    """Wait until the browser has the page, and take it from there."""
    page.goto(site.url)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.context.set_offline(True)


def told_by_node(site, questions):
    """What the page's own modules answer."""
    if shutil.which("node") is None:
        pytest.skip("there is no Node here")
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run(
        ["node", TELLER, site.folder], input=lines, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def moves_on(page):
    return page.eval_on_selector_all(".moves .move", "all => all.map(one => one.textContent)")


def play_here(game, seats, seed):
    """The moves of a table of ours with this seed."""
    table = GameInProgress(game, seed=seed)
    players = [parse_player(text) for text in seats.split()]
    while not table.is_over:
        table.play(players[table.seat_to_move].choose(game, table.so_far, table.move_seed))
    return table.moves


# --- without a browser


PLAYERS = [
    "flat:50",
    "flat:50,temperature=0.3",
    "ucb:60",
    "uct:200",
    "uct:100,exploration=0.5,temperature=1",
]
PLAYERS += ["halving:3", "halving:100"]
OF_RAVE = ["amaf:80", "rave:200", "shuss:150", "shuss:60,temperature=1"]
ASKING = [
    "puct:40@best",
    "gumbel:20,considered=4@best",
    "gumbel:1,temperature=2@best",
    "level:hard",
]


def check_searches(site, name, players, positions=2):
    """The same seed, the same move and visits as here."""
    game, draw = load(name), random.Random(1)
    questions = [
        {
            "game": game.name,
            "actions": random_actions(game, draw, decision=True),
            "player": text,
            "seed": str(draw.getrandbits(63)),
        }
        for text in players
        for _ in range(positions)
    ]
    for question, told in zip(questions, told_by_node(site, questions), strict=True):
        arguments = search_arguments(split_player(question["player"]), game)
        found = Searcher(game, **arguments).search(
            play_all(game, question["actions"])[-1], int(question["seed"])
        )
        visits = {child["move"]: child["visits"] for child in told["result"]["children"]}
        assert (told["result"]["best_move"], visits) == (found.best_move, found.visits), question
        assert told["result"]["principal_variation"] == found.principal_variation, question


def random_actions(game, draw, *, decision=False):
    """Some moves from the start, to a position with something to decide."""
    while True:
        state, actions = game.initial_state(), []
        for _ in range(draw.randrange(game.max_plies // 2)):
            if not game.is_over(state):
                actions.append(draw.choice(game.legal_actions(state)))
                state = game.play(state, actions[-1])
        if not decision or game.seat_to_move(state) >= 0:
            return actions


def play_all(game, actions):
    states = [game.initial_state()]
    for action in actions:
        states.append(game.play(states[-1], action))
    return states


def check_pictures(site, name, positions):
    """Scenes, moves and scores of random positions are those that a server sends."""
    game, draw = load(name), random.Random(2)
    lines = [random_actions(game, draw) for _ in range(positions)]
    told = told_by_node(site, [{"game": game.name, "actions": actions} for actions in lines])
    for actions, found in zip(lines, told, strict=True):
        table = GameInProgress.played(
            game, None, move_texts(game, game.initial_state(), actions)[0]
        )
        ours = json.loads(json.dumps(position_values(table)))
        ours["position"] = None
        assert_close(found, ours, name)


def assert_close(found, ours, place):
    """Equal but for the last digits of numbers."""
    if isinstance(ours, dict):
        assert found.keys() == ours.keys(), place
        for key in ours:
            assert_close(found[key], ours[key], f"{place}.{key}")
    elif isinstance(ours, list):
        assert len(found) == len(ours), place
        for index, part in enumerate(ours):
            assert_close(found[index], part, f"{place}[{index}]")
    else:
        assert found == ours or abs(found - ours) < 1e-9, place


def test_searches_in_wasm_find_what_they_find_here(site):
    check_searches(site, "connect_four", [*PLAYERS, *ASKING])


def check_halving_by_the_clock(site, player):
    """It ends with one survivor."""
    (told,) = told_by_node(
        site, [{"game": "connect_four", "actions": [], "player": player, "seed": "1"}]
    )
    best, *others = told["result"]["children"]
    assert (best["prior"], {child["prior"] for child in others}) == (1, {0})
    # The first round is one visit each, however late it is.
    assert best["visits"] >= min(child["visits"] for child in others) > 0


def test_halving_by_the_clock_ends_with_one_survivor(site):
    check_halving_by_the_clock(site, "halving:0.05s")


@pytest.mark.slow
def test_the_searches_of_rave_find_what_they_find_here(served):
    site = write_site(served, "rave", ["connect_four"])
    check_searches(site, "connect_four", [*OF_RAVE, "grave:300"])
    check_halving_by_the_clock(site, "shuss:0.05s")


def test_pictures_without_python_are_those_of_the_server(site):
    check_pictures(site, "connect_four", 20)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*(name for name in BUILT_IN if name != "connect_four"), str(EXAMPLE)]
)
def test_every_game_searches_and_looks_the_same_and_is_played_to_its_end(served, page, name):
    site = write_site(served, load(name).name, [name])
    asking = (
        []
        if name == str(EXAMPLE) or net_method(net_file(name)) == "expectimax"
        else ["gumbel:8@best"]
    )
    check_searches(site, name, ["uct:200", "rave:200", "grave:200", *asking], positions=1)
    check_pictures(site, name, 30)
    cut_the_network(page, site)
    seats = (
        "uct:50"
        if name == "take_it_easy"
        else "uct:50 gumbel:2@best"
        if asking
        else "uct:50 rave:50"
    )
    page.goto(f"{site.url}#/play?game={load(name).name}&seats={seats.replace(' ', '+')}&seed=4")
    page.wait_for_selector(
        ".status small, .status:has-text('draw')", timeout=300_000
    )  # a draw is told once
    assert re.search("won|draw|points|resigned", page.inner_text(".status"), re.IGNORECASE)


# --- in a browser


def test_an_exported_game_plays_in_a_browser(page, served):
    export("tic_tac_toe", wasm=served.folder / "a game", player="uct:60")
    (served.folder / "a game" / "index.html").write_text("<!doctype html><title>a game</title>")
    page.goto(f"{served.url}a%20game/index.html")
    game = load("tic_tac_toe")
    state = game.play(game.initial_state(), 4)
    wanted = [game.legal_actions(state), Searcher(game, "uct", simulations=60).choose(state, 7), 1]
    assert page.evaluate(PLAY) == wanted


def test_search_and_net_play_the_same_game_as_here_without_a_network(site, page):
    cut_the_network(page, site)
    page.goto(f"{site.url}#/play?game=connect_four&seats=uct:60+gumbel:8@best&seed=5")
    page.wait_for_selector(".status small", timeout=60_000)
    assert moves_on(page) == play_here(load("connect_four"), "uct:60 gumbel:8@best", 5)


ENDED = "/draw/.test(document.querySelector('.status').textContent)"  # a draw is told once


def play_a_machine(page, press):
    """Random moves against whoever sits there; what the page says about the result."""
    draw = random.Random(3)
    while True:
        until(page, f"{ENDED} || document.querySelector('.status small, .hit.can')")
        if has_ended(page):
            return result_on(page)
        play_move(page, draw, press)


@pytest.mark.parametrize(
    ("place", "name"),
    [pytest.param("site", "connect_four", marks=pytest.mark.slow), ("own_site", "my_tic_tac_toe")],
)
def test_a_game_is_played_to_its_end_by_touch_without_a_network(request, phone, place, name):
    site = request.getfixturevalue(place)
    cut_the_network(phone, site)
    open_game(phone, site, name, "human level:medium")
    ended = play_a_machine(phone, lambda page, cell: page.locator(f'[data-cell="{cell}"]').tap())
    assert ended in ("You won", "Computer, medium won", "A draw")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_analysis_streams_and_stops(site, page):
    open_game(page, site, "connect_four", moves="d d")
    page.get_by_role("button", name="Analyse").click()
    page.get_by_label("Method A: budget").fill("60s")
    page.get_by_role("button", name="Search").click()
    until(page, "/simulations in [1-9]/.test(document.querySelector('.summary').textContent)")
    assert page.locator(".heat .warm-cell").count() > 3
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Search").wait_for()


def test_machines_can_be_watched(site, page):
    page.goto(f"{site.url}#/watch")
    page.locator(".card", has_text="Connect Four").click()
    page.get_by_role("button", name="Start", exact=True).click()
    wait_ply(page, 2)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()


def test_damaged_weights_are_said_in_a_sentence(site, served, page):
    bad = SimpleNamespace(folder=served.folder / "damaged", url=f"{served.url}damaged/")
    shutil.copytree(site.folder, bad.folder)
    weights = bad.folder / "games" / "connect_four" / "net.weights"
    content = bytearray(weights.read_bytes())
    content[1000] ^= 1
    weights.write_bytes(content)
    open_game(page, bad, "connect_four", "human gumbel:8@best")
    click_cell(page, "d1")
    until(
        page,
        "document.querySelector('.hint-words').textContent.includes('weights of the net are "
        "damaged')",
    )


def test_a_browser_without_vectors_is_told_so(site, page):
    script = (site.folder / "worker.js").read_text()
    page.route(
        "**/worker.js",
        lambda route: route.fulfill(
            body=f"WebAssembly.validate = () => false;\n{script}", content_type="text/javascript"
        ),
    )
    page.goto(site.url)
    page.get_by_text("its WebAssembly has no vectors").first.wait_for()


@pytest.mark.parametrize("places", few_and_rest(["play", "analyse", "watch"], ["play"]))
def test_nothing_shuts_anybody_out(site, page, axe, places):  # noqa: F811
    found = []
    for place in places:
        page.goto(f"{site.url}#/{place}")
        page.locator(f".page-{place} .card svg").first.wait_for()
        found += [f"{place}: {words}" for words in serious(axe, page)]
    open_game(page, site, "connect_four", moves="d d c")
    assert found + serious(axe, page) == []
