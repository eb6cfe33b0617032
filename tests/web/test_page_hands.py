"""Hex, chess and Take It Easy to their end by touch on a phone, and by the keyboard alone."""

import pytest

from tests.web.test_page import cell_centre, click_cell, open_game, play_to_the_end, until, wait_ply

FOOLS_MATE = (("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4"))
LAST_PAWN = "7k/P7/6K1/8/8/8/8/8 w - - 0 1"
"""A queen on a8 mates; a rook does too, a knight or a bishop does not."""


def open_last_pawn(page, server):
    page.goto(f"{server.url}#/play?game=chess&seats=human+human&position={LAST_PAWN}")
    page.wait_for_selector(".panel .status")


# --- touch


def tap_cell(page, name):
    page.touchscreen.tap(*cell_centre(page, name))


def test_hex_is_played_to_its_end_by_touch(server, phone):
    open_game(phone, server, "hex:size=3")
    assert play_to_the_end(phone, tap_cell) in ("Blue (x) won", "Orange (o) won")


@pytest.mark.slow
def test_take_it_easy_is_played_to_its_end_by_touch(server, phone):
    open_game(phone, server, "take_it_easy", "human")
    assert play_to_the_end(phone, tap_cell).endswith(" points")


def test_chess_is_played_to_mate_by_touch(server, phone):
    open_game(phone, server, "chess")
    for number, move in enumerate(FOOLS_MATE, start=1):
        for name in move:
            tap_cell(phone, name)
        wait_ply(phone, number)
    assert phone.inner_text(".status small") == "Black won"


def test_a_pawn_is_promoted_by_touch_to_what_is_chosen(server, phone):
    open_last_pawn(phone, server)
    tap_cell(phone, "a7")
    tap_cell(phone, "a8")
    phone.locator("dialog .choices button", has_text="a7a8r").tap()
    wait_ply(phone, 1)
    assert (
        phone.locator('[data-cell="a8"]').get_attribute("aria-label") == "a8, white rook, last move"
    )
    assert phone.inner_text(".status small") == "White won"


def test_cells_on_a_phone_are_large_enough_for_a_finger(server, phone):
    open_game(phone, server, "hex:size=11")
    sizes = phone.eval_on_selector_all(
        ".hit", "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert min(sizes) >= 20  # 121 cells and the slant of the board in 360 pixels
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_tools_of_a_game_are_one_row_on_a_phone(server, phone):
    open_game(phone, server, "chess")
    tops = phone.eval_on_selector_all(
        ".tools:visible button:visible", "all => all.map(one => one.offsetTop)"
    )
    assert (len(tops), len(set(tops))) == (5, 1)


# --- keyboard


def focused_cell(page):
    return page.evaluate("document.activeElement.dataset.cell")


def key_cell(page, name):
    """Arrow keys over the board to a square, then Enter."""
    here = focused_cell(page)
    files, ranks = ord(name[0]) - ord(here[0]), int(name[1]) - int(here[1])
    for key in ["ArrowRight" if files > 0 else "ArrowLeft"] * abs(files) + [
        "ArrowUp" if ranks > 0 else "ArrowDown"
    ] * abs(ranks):
        page.keyboard.press(key)
    assert focused_cell(page) == name
    page.keyboard.press("Enter")


def key_next(page, _):
    """To the next cell that can be chosen, then Enter."""
    page.keyboard.press("n")
    page.keyboard.press("Enter")


@pytest.mark.slow
def test_take_it_easy_is_played_to_its_end_by_keyboard(server, page):
    open_game(page, server, "take_it_easy", "human")
    page.keyboard.press("b")
    assert play_to_the_end(page, key_next).endswith(" points")


def test_hex_is_played_to_its_end_from_playable_cell_to_playable_cell(server, page):
    open_game(page, server, "hex:size=3")
    page.keyboard.press("b")
    assert play_to_the_end(page, key_next) in ("Blue (x) won", "Orange (o) won")


def test_chess_is_played_to_mate_by_keyboard(server, page):
    open_game(page, server, "chess")
    page.keyboard.press("b")
    for number, move in enumerate(FOOLS_MATE, start=1):
        for name in move:
            key_cell(page, name)
        wait_ply(page, number)
    assert page.inner_text(".status small") == "Black won"
    assert "d8h4" in page.inner_text("#live")


def test_a_pawn_is_promoted_by_keyboard_and_the_board_keeps_the_focus(server, page):
    open_last_pawn(page, server)
    page.keyboard.press("b")
    key_cell(page, "a7")
    page.keyboard.press("Escape")
    until(page, "document.querySelectorAll('.picked').length == 0")
    key_cell(page, "a7")
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog .choices")
    assert page.evaluate("document.activeElement.textContent") == "a7a8q"
    page.keyboard.press("Enter")
    wait_ply(page, 1)
    assert focused_cell(page) == "a8"
    assert page.inner_text(".status small") == "White won"


def test_the_keys_are_written_on_the_page_and_reach_every_tool(server, page):
    open_game(page, server, "tic_tac_toe", moves="b2 a1")
    page.get_by_text("Keyboard").click()
    assert page.locator(".keys kbd").all_inner_texts()[-6:] == ["U", "R", "H", "F", "[", "]"]
    page.keyboard.press("u")
    until(page, "document.querySelector('.board').dataset.ply == 1")
    page.keyboard.press("r")
    wait_ply(page, 2)
    press = (
        "key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))"
    )
    page.evaluate(f"['[', '['].forEach({press})")  # without a pause
    until(page, "document.querySelector('.status').textContent == 'Move 0 of 2'")
    page.keyboard.press("]")
    until(page, "document.querySelector('.status').textContent == 'Move 1 of 2'")
    before = page.locator('[data-cell="a1"]').bounding_box()
    page.keyboard.press("f")
    assert page.locator('[data-cell="a1"]').bounding_box()["x"] > before["x"]


def test_a_clicked_cell_has_a_ring_only_once_a_key_is_pressed(server, page):
    open_game(page, server, "tic_tac_toe")
    ring = "getComputedStyle(document.querySelector('[data-cell=\"b2\"]')).stroke"
    click_cell(page, "b2")
    wait_ply(page, 1)
    assert focused_cell(page) == "b2"
    assert page.evaluate(ring) == "none"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(ring) != "none"
