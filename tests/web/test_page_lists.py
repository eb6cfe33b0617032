"""The pages of runs, experiments, advice and games of one's own, in a real browser."""

import re
import time

import pytest

from anyzero.core.compile.clock import clock
from anyzero.core.learning.folder import NOW, RunFolder
from anyzero.tools.lab.train import Watcher
from tests.web.folders import LONG_NAMES, NASTY
from tests.web.test_page import click_cell, open_game, until, wait_ply

PUSHED_OUT = """() => {
  const { left, right } = document.querySelector("dialog .dialog-head").getBoundingClientRect();
  const controls = [...document.querySelectorAll("dialog form :is(button, input, select)")];
  const boxes = controls.map((one) => one.getBoundingClientRect());
  return boxes.filter((box) => box.width && (box.left < left - 1 || box.right > right + 1)).length;
}"""
"""How many controls a dialog has beyond its margins."""


def test_a_run_shows_its_curves_and_replays_a_game(server, page):
    page.goto(f"{server.url}#/runs")
    page.get_by_role("link", name="small").click()
    page.wait_for_selector(".charts .chart")
    assert page.locator(".charts .chart").count() == 6
    assert page.locator(".charts .chart").first.locator(".dot").count() == 3
    page.wait_for_selector('[aria-label="Game"] option', state="attached")
    page.get_by_role("button", name="Replay").click()
    page.wait_for_selector(".page-runs .board-svg")
    page.get_by_role("button", name="Last position").click()
    until(page, "document.querySelector('.board').dataset.ply == 3")
    assert page.locator('[data-cell="c3"]').get_attribute("aria-label") == "c3, x, last move"


def test_a_game_of_a_run_that_began_elsewhere_is_analysed_from_there(server, page):
    line = {"names": ["1", "1"], "payoffs": [1.0, -1.0], "end": "rules", "game": "tic_tac_toe"}
    answer = {**line, "position": "3/1o1/x2 x", "moves": ["c3", "c1"]}
    page.route("**/api/runs/small/games/*/*/0", lambda route: route.fulfill(json=answer))
    page.goto(f"{server.url}#/runs/small")
    page.get_by_role("button", name="Replay").click()
    page.get_by_role("button", name="Last position").click()
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_selector(".lanes .board[data-ply='2'] [aria-label='b2, o']")


def watcher(folder, **times):
    return Watcher(folder, lambda *_: None, shown=False, **times)


def test_what_is_left_of_a_run_follows_from_its_generations_or_minutes_whichever_end_first(server):
    folder = RunFolder.open(server.folder / "runs" / "small")
    watch = watcher(folder, generations=6, minutes=60.0)
    watch.times = [50.0, 110.0, 130.0]
    watch.since = clock() - 60.0
    assert watch.left() == ", about 7 min left", (
        "four generations of two minutes, one of them half done"
    )
    watch.minutes = 10.0
    assert watch.left() == ", about 4 min left", "600 s less 290 s and 60 s"
    watch.times, watch.minutes = [50.0], None
    assert watch.left() == "", "no generation has learned yet"


def test_a_run_that_is_being_trained_says_what_it_is_at(server, page):
    folder = RunFolder.open(server.folder / "runs" / "small")
    page.goto(f"{server.url}#/runs/small")
    page.wait_for_selector(".charts .chart")
    assert not page.locator(".now").is_visible()
    with folder.locked(), watcher(folder).stage(3, "self-play", 10):
        page.wait_for_selector("text=generation 3: self-play 0/10")
        assert page.locator(".now progress").get_attribute("max") == "10"
        assert re.search(r" 0/10 .*, about \d+ \w+ left$", page.locator(".now").inner_text())
    (folder.path / NOW).unlink()
    page.wait_for_selector(".now", state="hidden")


def test_the_champion_of_a_run_is_an_opponent_by_one_click(server, page):
    page.route(
        "**/api/runs/small", lambda route: (time.sleep(0.3), route.continue_())
    )  # nothing to click too early
    page.goto(f"{server.url}#/runs/small")
    page.get_by_role("button", name="Play the champion").click()
    page.wait_for_selector(".seat-name:text('GUMBEL, 64 simulations, network small')")


def test_runs_are_compared_by_a_click(server, page):
    page.goto(f"{server.url}#/runs/small")
    page.get_by_label("Compare running").check()
    page.wait_for_selector(".legend")
    assert page.locator(".charts .chart").first.locator("polyline").count() == 2
    assert page.locator(".legend").first.inner_text().split() == ["small", "running"]


def test_an_experiment_is_a_heat_map_and_a_table(server, page):
    page.goto(f"{server.url}#/experiments/grid.csv")
    page.wait_for_selector(".heat")
    assert page.locator(".heat td").all_inner_texts() == ["80%", "70%", "90%", "85%"]


def test_where_only_a_budget_varies_an_experiment_is_a_line(server, page):
    page.goto(f"{server.url}#/experiments/rave.csv")
    page.wait_for_selector(".chart")
    assert page.locator(".chart .dot title").all_text_contents() == [
        "score 100: 80",
        "score 500: 90",
    ]
    assert page.locator(".scroll tbody tr").last.inner_text().split("\t")[-2] == "90.0%"


def test_texts_of_a_game_are_texts_and_nothing_else(server, page):
    open_game(page, server, "drawn_heap")
    assert page.inner_text(".status") == NASTY
    assert page.locator("main img").count() == 0
    click_cell(page, "two")
    wait_ply(page, 1)


def test_a_game_without_a_picture_is_played_by_its_moves(server, page):
    open_game(page, server, "heap:size=3")
    for number in (1, 2):
        page.locator(".words .choices button").last.click()
        wait_ply(page, number)
    assert page.inner_text(".status").startswith("Second seat won")


@pytest.mark.slow
def test_the_advisor_says_what_each_cell_is_worth(server, page):
    page.goto(f"{server.url}#/advisor")
    page.get_by_role("button", name="928").click()
    page.wait_for_selector(".panel tbody tr", timeout=90_000)
    until(page, "document.querySelectorAll('.panel tbody tr').length == 19")
    page.wait_for_selector(".panel tbody td:nth-child(3):has-text(' to ')", timeout=90_000)
    rows = [row.split("\t") for row in page.locator(".panel tbody tr").all_inner_texts()]
    points = {int(cell): mean for cell, mean, _ in rows}
    assert all(points[cell] == points[18 - cell] for cell in range(19)), (
        "the half turn changes nothing"
    )
    assert "where does 928 go" in page.inner_text(".status")
    best = page.locator(".panel tr.best td").first.inner_text()
    click_cell(page, best)
    until(page, "document.querySelectorAll('.tiles button').length == 26")


@pytest.mark.parametrize("screen", ["page", "phone"])
def test_the_whole_budget_of_the_advisor_is_seen(server, screen, request):
    page = request.getfixturevalue(screen)
    page.goto(f"{server.url}#/advisor")
    page.wait_for_selector(".budget")
    assert page.input_value(".budget") == "2000,evaluator=guided"
    assert page.eval_on_selector(".budget", "field => field.scrollWidth <= field.clientWidth")


@pytest.mark.slow
def test_a_hint_is_shown_on_the_board(server, page):
    open_game(page, server, "tic_tac_toe", moves="a1 a2 b1 b2")
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector(".hint-cell", timeout=90_000)
    assert page.inner_text(".hint-words").startswith("Try c1")


def test_rules_are_shown_with_two_pictures(server, page):
    open_game(page, server, "hex:size=5")
    page.get_by_role("button", name="Rules").click()
    page.wait_for_selector(".rules figure:nth-child(2) svg")
    assert "connecting the top and bottom edges" in page.locator(".rules").inner_text()
    assert (
        page.locator(".rules figcaption").all_inner_texts()[1]
        == "orange (o) has joined left and right and won"
    )


@pytest.mark.parametrize("screen", ["page", "phone"])
def test_the_dialog_of_a_new_game_names_the_seats_and_holds_what_is_in_it(server, screen, request):
    page = request.getfixturevalue(screen)
    open_game(page, server, "domineering", "human level:beginner")
    page.get_by_role("button", name="New", exact=True).click()
    assert page.locator("dialog .field:has(.picker) > span:first-child").all_inner_texts() == [
        "Vertical",
        "Horizontal",
    ]
    assert page.evaluate(PUSHED_OUT) == 0
    picker = page.get_by_label("horizontal", exact=True).bounding_box()
    assert picker["width"] >= 160, "Computer, beginner is seen as a whole"


@pytest.mark.parametrize("screen", ["page", "phone"])
def test_long_names_of_seats_leave_room_for_who_sits_there(server, screen, request):
    page = request.getfixturevalue(screen)
    open_game(page, server, "drawn_heap", "human level:beginner")
    page.get_by_role("button", name="New", exact=True).click()
    assert page.evaluate(PUSHED_OUT) == 0
    names = page.locator("dialog .field:has(.picker) > span:first-child").all()
    assert names[1].inner_text() == LONG_NAMES[1]
    for name, label in zip(names, LONG_NAMES, strict=True):
        at, picker = name.bounding_box(), page.get_by_label(label, exact=True).bounding_box()
        assert name.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
        assert at["x"] + at["width"] <= picker["x"]
        assert picker["width"] >= 100


def test_options_with_a_few_choices_are_chosen_from_a_list(server, page):
    open_game(page, server, "oware:last_seeds=owner")
    page.get_by_role("button", name="New", exact=True).click()
    slam, seeds = page.get_by_label("grand slam"), page.get_by_label("last seeds")
    assert slam.locator("option").all_inner_texts() == ["takes nothing", "takes all", "illegal"]
    assert seeds.input_value() == "owner"
    slam.select_option("takes all")
    page.evaluate("document.querySelector('.panel').id = 'before'")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector("#before", state="detached")
    page.wait_for_selector(".panel .status")
    page.get_by_role("button", name="New", exact=True).click()
    assert [slam.input_value(), seeds.input_value()] == ["takes_all", "owner"]


def test_games_of_the_computer_alone_are_continued_where_they_are_watched(server, page):
    page.goto(f"{server.url}#/play?game=tic_tac_toe&seats=random+random&seed=1")
    page.wait_for_selector(".status small, .status:has-text('draw')")
    table = page.url.rpartition("/")[2]
    for place, count in (("play", 0), ("watch", 1)):
        page.goto(f"{server.url}#/{place}")
        page.wait_for_selector(f".page-{place} .card")
        assert page.locator(f".games a[href$='/{table}']").count() == count
