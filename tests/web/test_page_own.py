"""A user's own game file and a trained network in the browser; neither brings a line of
JavaScript.
"""

import subprocess
import sys

import pytest

from tests.web.server import ServerProcess
from tests.web.test_page import click_cell, open_game, play_to_the_end, until

GAME = "my_tic_tac_toe"
TRAIN = (
    "train tic_tac_toe --run tiny --generations 1 --games 8 --simulations 4 --batches 2 "
    "--batch-size 16 --match 0"
)
SETTINGS = "--set league.every=0 --set gate.games=0 --set network=tiny"


def test_a_game_file_is_played_to_its_end_by_mouse(server, page):
    page.goto(server.url)
    page.locator(".card", has_text="My tic tac toe").locator("svg").wait_for()
    open_game(page, server, GAME)
    assert play_to_the_end(page) in ("First seat won", "Second seat won", "A draw")


def test_a_game_file_is_shared_saved_and_watched(server, page):
    open_game(page, server, GAME, moves="b2 a1")
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link to the game").input_value()
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".board[data-ply='2']")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save .json").click()
    assert GAME in download.value.path().read_text()
    page.goto(f"{server.url}#/watch")
    page.locator(".card", has_text="My tic tac toe").click()
    for seat in ("first seat", "second seat"):
        page.get_by_label(seat, exact=True).select_option("random")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_label("Speed", exact=True).evaluate(
        "one => { one.value = one.max; one.dispatchEvent(new Event('change')); }"
    )
    page.wait_for_selector(".status small", timeout=60_000)


@pytest.mark.slow
def test_a_game_file_is_analysed(server, page):
    open_game(page, server, GAME, moves="a1 a2 b1 b2")
    page.get_by_role("button", name="Analyse").click()
    page.get_by_label("Method A: budget").fill("2000")
    page.get_by_role("button", name="Search").click()
    page.wait_for_selector(".found tr.best", timeout=120_000)
    until(page, "document.querySelector('.found tr.best td').textContent == 'c1'")
    assert page.locator(".heat .warm-cell").count() == 5


def test_a_network_is_chosen_as_a_seat_and_answers(server, page):
    page.goto(server.url)
    page.get_by_role("button", name="Options").click()
    page.locator("dialog select").first.select_option("tic_tac_toe")
    page.get_by_label("o", exact=True).select_option(label="small (gumbel)")
    page.get_by_label("o: budget").fill("8")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector(".panel .status")
    assert page.locator(".seat-name").all_inner_texts() == [
        "You x",
        "GUMBEL, 8 simulations, network small o",
    ]
    click_cell(page, "b2")
    until(page, "Number(document.querySelector('.board').dataset.ply) >= 2", 300)
    assert page.locator('[aria-label$="o, last move"]').count() == 1


def test_a_player_that_is_in_no_list_keeps_its_seat(server, page):
    open_game(page, server, "tic_tac_toe", "human gumbel:8@small/1")
    page.get_by_role("button", name="Seats").click()
    page.get_by_label("x", exact=True).select_option("random")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_selector(".seat-name:text('Random moves')")
    assert (
        page.locator(".seat-name").all_inner_texts()[1]
        == "GUMBEL, 8 simulations, network small/1 o"
    )


@pytest.fixture
def trained(tmp_path_factory):
    """A server that finds a run of one real generation."""
    folder = tmp_path_factory.mktemp("own")
    command = [sys.executable, "-m", "anyzero", *TRAIN.split(), *SETTINGS.split()]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    server = ServerProcess(folder)
    yield server
    server.stop()


@pytest.mark.slow
def test_a_real_run_shows_its_numbers_and_a_game(trained, page):
    page.goto(f"{trained.url}#/runs/tiny")
    page.wait_for_selector(".charts .chart")
    assert "Tic-tac-toe · generation 1" in page.locator(".list").inner_text()
    assert page.locator(".facts dd").all_inner_texts()[:2] == ["1", "1"]
    page.wait_for_selector('[aria-label="Game"] option:nth-child(8)', state="attached")
    page.get_by_role("button", name="Replay").click()
    page.get_by_role("button", name="Last position").click()
    until(page, "Number(document.querySelector('.board').dataset.ply) >= 5")
