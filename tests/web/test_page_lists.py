"""The pages of runs, experiments, advice and games of one's own, in a real browser."""

import pytest

from anyzero.learning.folder import NOW, RunFolder
from anyzero.learning.train import Watcher
from tests.web.folders import NASTY
from tests.web.test_page import click_cell, open_game, until, wait_ply


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


def test_a_run_that_is_being_trained_says_what_it_is_at(server, page):
    folder = RunFolder.open(server.folder / "runs" / "small")
    page.goto(f"{server.url}#/runs/small")
    page.wait_for_selector(".charts .chart")
    assert not page.locator(".now").is_visible()
    with folder.locked(), Watcher(folder, lambda *_: None, shown=False).stage(3, "self-play", 10):
        page.wait_for_selector("text=generation 3: self-play 0/10")
    (folder.path / NOW).unlink()
    page.wait_for_selector(".now", state="hidden")


def test_an_experiment_is_a_heat_map_and_a_table(server, page):
    page.goto(f"{server.url}#/experiments/rave.csv")
    page.wait_for_selector(".heat")
    assert page.locator(".heat td").all_inner_texts() == ["80%", "90%"]
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
    assert page.inner_text(".status").startswith("Seat 2 won")


@pytest.mark.slow
def test_the_advisor_says_what_each_cell_is_worth(server, page):
    page.goto(f"{server.url}#/advisor")
    page.get_by_label("Advisor", exact=True).select_option("level:beginner")
    page.get_by_role("button", name="928").click()
    page.wait_for_selector(".panel tbody tr", timeout=90_000)
    until(page, "document.querySelectorAll('.panel tbody tr').length == 19")
    best = page.locator(".panel tr.best td").first.inner_text()
    click_cell(page, best)
    until(page, "document.querySelectorAll('.tiles button').length == 26")


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
    assert "joining the top and the bottom edge" in page.locator(".rules").inner_text()
    assert page.locator(".rules figcaption").all_inner_texts()[1] == "orange (o) has joined left and right and won"
