"""What axe-core finds on every page, in both themes: nothing serious, nothing critical."""

from urllib.parse import urlencode

import pytest

from tests.web.test_page import click_cell, open_game

BAD = ("serious", "critical")
ONLY_WRONG = {"resultTypes": ["violations"]}  # what is well need not be listed node by node
PAGES = {
    "play": "h1",
    "analyse": "h1",
    "watch": "h1",
    "advisor": ".tiles button",
    "runs": "h1",
    "runs/small": ".charts .chart",
    "experiments": "h1",
    "experiments/grid.csv": ".heat",
    "experiments/rave.csv": ".chart",
}
"""Each page, and what it shows once it is complete."""
TABLES = {
    "hex:size=5": "c3 b2 d4",
    "chess": "e2e4 e7e5",
    "take_it_easy": "928 9 174 4 163",
    "heap": "",
}
"""Each game, and the moves to look at."""


def few_and_rest(all_of_them, few):
    """What is looked at by default, one of each kind, and the rest in a slow test."""
    rest = [name for name in all_of_them if name not in few]
    return [pytest.param(few, id="few"), pytest.param(rest, id="rest", marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def axe():
    return pytest.importorskip("axe_playwright_python.sync_playwright").Axe()


def serious(axe, page):
    """The findings that would shut somebody out, each with its elements; in the dark only colours
    differ.
    """
    page.emulate_media(color_scheme="light")
    if not page.evaluate("'axe' in window"):  # it stays while only the part behind the # changes
        page.evaluate(axe.axe_script)
    found = page.evaluate("only => axe.run(only)", ONLY_WRONG)["violations"]
    page.emulate_media(color_scheme="dark")
    found += page.evaluate("only => axe.run({...only, runOnly: ['color-contrast']})", ONLY_WRONG)[
        "violations"
    ]
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for one in found
        if one["impact"] in BAD
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize(
    "places", few_and_rest(PAGES, ["play", "advisor", "runs/small", "experiments/grid.csv"])
)
def test_every_page_is_open_to_everybody(server, page, axe, places):
    open_game(page, server, "tic_tac_toe")  # so that there is a game to go on with
    found = []
    for place in places:
        page.goto(f"{server.url}#/{place}")
        page.wait_for_selector(f".page-{place.partition('/')[0]} {PAGES[place]}")
        found += [f"{place}: {words}" for words in serious(axe, page)]
    assert found == []


@pytest.mark.parametrize("games", few_and_rest(TABLES, ["hex:size=5", "heap"]))
def test_every_table_is_open_to_everybody(server, page, axe, games):
    found = []
    for game in games:
        moves = TABLES[game]
        seats = "human" if game == "take_it_easy" else "human human"
        page.goto(f"{server.url}#/play?{urlencode({'game': game, 'seats': seats, 'moves': moves})}")
        page.wait_for_selector(f".board[data-ply='{len(moves.split())}']")
        found += [f"{game}: {words}" for words in serious(axe, page)]
    assert found == []


def test_dialogs_and_an_analysis_are_open_to_everybody(server, page, axe):
    page.goto(server.url)
    page.get_by_role("button", name="Options").click()
    found = serious(axe, page)
    page.goto(
        f"{server.url}#/play?game=chess&seats=human+human&position=8/P6k/8/8/8/8/8/K7 w - - 0 1"
    )
    click_cell(page, "a7")
    click_cell(page, "a8")
    page.wait_for_selector("dialog .choices")
    found += serious(axe, page)
    page.keyboard.press("Escape")
    page.goto(f"{server.url}#/play?game=tic_tac_toe&seats=human+human&moves=b2")
    page.get_by_role("button", name="Analyse").click()
    page.get_by_label("Method A: budget").fill("500")
    page.get_by_role("button", name="Search").click()
    page.wait_for_selector(".found tbody tr", timeout=90_000)
    assert found + serious(axe, page) == []
