"""The page in a real browser: every game by mouse, drags, links, and a server that dies."""

import random
import re
import time

import pytest

from anyzero.core.game.load import load
from tests.web.server import ServerProcess

GAMES = {
    "tic_tac_toe": "tic_tac_toe",
    "connect_four": "connect_four:rows=4,columns=4",
    "breakthrough": "breakthrough:rows=5,columns=5",
    "knightthrough": "knightthrough:rows=6,columns=5",
    "domineering": "domineering:rows=4,columns=4",
    "atarigo": "atarigo:size=4",
    "hex": "hex:size=3,swap=true",
    "oware": "oware:plies=12",
    "take_it_easy": "take_it_easy",
}
"""Small boards, so that a game is over soon."""
SLOW = ("hex", "connect_four", "oware", "breakthrough", "knightthrough", "domineering", "atarigo")
PEOPLE = "human human"
POLL_MS = 10


def open_game(page, server, game, seats=PEOPLE, moves=""):
    query = f"game={game}&seats={seats}&moves={moves}".replace(" ", "+")
    page.goto(f"{server.url}#/play?{query}")
    page.wait_for_selector(".panel .status")


def until(page, script, seconds=30):
    """Wait until a script is true; the page's own policy forbids a browser to do that by itself."""
    wait = f"Date.now() < end && await new Promise((go) => setTimeout(() => go(true), {POLL_MS}))"
    loop = (
        f"const end = Date.now() + {1000 * seconds}; while (!({script})) if (!({wait})) "
        "return false; return true;"
    )
    assert page.evaluate(f"async () => {{ {loop} }}"), f"still not so: {script}"


def wait_ply(page, least):
    until(page, f"Number(document.querySelector('.board')?.dataset.ply) >= {least}")


def ply(page):
    return int(page.get_attribute(".board", "data-ply"))


def cell_centre(page, name):
    """Where it is drawn; a page that found its server again may just be drawing its board anew."""
    end, box = time.monotonic() + 30, None
    while box is None:
        assert time.monotonic() < end, f"there is no cell {name}"
        box = page.locator(f'[data-cell="{name}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def click_cell(page, name):
    page.mouse.click(*cell_centre(page, name))


def cells(page):
    """The cells that a click may name."""
    return page.eval_on_selector_all(".hit.can", "found => found.map(one => one.dataset.cell)")


def play_move(page, draw, press=click_cell):
    """A random move, cell by cell; `press` is by mouse unless told otherwise."""
    before = ply(page)
    while ply(page) == before:
        found = cells(page)
        if not found:
            break
        picked = page.locator(".picked").count()
        press(page, draw.choice(found))
        until(
            page,
            f"document.querySelectorAll('.picked').length != {picked} || "
            "document.querySelector('dialog') || "
            f"document.querySelector('.board').dataset.ply != {before}",
        )
        if page.locator("dialog").count():
            page.locator("dialog .choices button").first.click()
        if page.locator(".picked").count() == 0:
            wait_ply(page, before + 1)


def has_ended(page):
    return (
        page.locator(".status small, .status:has-text('has won'), .status:has-text('draw')").count()
        > 0
    )


def play_to_the_end(page, press=click_cell):
    """Random moves; what the page says about the result."""
    draw = random.Random(3)
    for _ in range(80):
        if has_ended(page):
            break
        play_move(page, draw, press)
    assert cells(page) == []
    return result_on(page)


def result_on(page):
    line = page.locator(".status small")
    return line.inner_text() if line.count() else page.inner_text(".status")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in GAMES]
)
def test_a_game_is_played_to_its_end_by_mouse(server, page, name):
    seats, moves = ("human", random_moves(name, 32)) if name == "take_it_easy" else (PEOPLE, "")
    open_game(page, server, GAMES[name], seats, moves)
    assert re.search("won|draw|points", play_to_the_end(page))


def random_moves(name, plies):
    """The first moves of a long game, whose last ones are played on the page."""
    game, draw = load(name), random.Random(5)
    state, moves = game.initial_state(), []
    for _ in range(plies):
        moves.append(draw.choice(game.legal_moves(state)))
        state = game.play(state, moves[-1])
    return " ".join(moves)


def test_who_has_won_is_said_once(server, page):
    open_game(page, server, "tic_tac_toe")
    for number, name in enumerate(["a1", "b1", "a2", "b2", "a3"], start=1):
        click_cell(page, name)
        wait_ply(page, number)
    assert page.inner_text(".status") == "X has won"


def test_chess_ends_with_mate_by_click_and_drag(server, page):
    open_game(page, server, "chess")
    for number, (source, target) in enumerate([("f2", "f3"), ("e7", "e5"), ("g2", "g4")], start=1):
        click_cell(page, source)
        page.wait_for_selector(".target")
        click_cell(page, target)
        wait_ply(page, number)
    start, end = (page.locator(f'[data-cell="{name}"]').bounding_box() for name in ("d8", "h4"))
    page.mouse.move(start["x"] + 9, start["y"] + 9)
    page.mouse.down()
    page.mouse.move(end["x"] - 20, end["y"] + 20, steps=4)
    page.mouse.move(end["x"] + 12, end["y"] + 12, steps=2)
    page.mouse.up()
    wait_ply(page, 4)
    assert page.inner_text(".status small") == "Black won"


def test_a_promotion_asks_which_piece(server, page):
    page.goto(
        f"{server.url}#/play?game=chess&seats=human+human&position=8/P6k/8/8/8/8/8/K7 w - - 0 1"
    )
    page.wait_for_selector(".panel .status")
    click_cell(page, "a7")
    click_cell(page, "a8")
    page.locator("dialog .choices button", has_text="a7a8n").click()
    wait_ply(page, 1)
    assert (
        page.locator('[data-cell="a8"]').get_attribute("aria-label")
        == "a8, white knight, last move"
    )


def test_hex_is_played_by_arrow_keys_and_told_in_words(server, page):
    open_game(page, server, "hex:size=3")
    assert page.locator('[data-cell="a1"]').get_attribute("aria-label") == "a1, empty, playable"
    page.locator('[data-cell="a1"]').focus()
    # blue goes down the first column, orange answers on the second: right, then back and down
    for number, keys in enumerate(
        ["", "ArrowRight", "ArrowDown ArrowLeft", "ArrowRight", "ArrowDown ArrowLeft"], 1
    ):
        for key in keys.split():
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        wait_ply(page, number)
    assert page.inner_text(".status small") == "Blue (x) won"
    spoken = page.inner_text("#live")
    assert "Blue (x): a1" in spoken
    assert "won" in spoken
    assert page.locator('[data-cell="a1"]').get_attribute("aria-label") == "a1, blue (x) stone"


def test_a_machine_answers_and_undo_takes_back_both(server, page):
    open_game(page, server, "tic_tac_toe", "human random")
    click_cell(page, "b2")
    wait_ply(page, 2)
    page.get_by_role("button", name="Undo", exact=True).click()
    until(page, "document.querySelector('.board').dataset.ply == 0")
    page.get_by_role("button", name="Redo", exact=True).click()
    wait_ply(page, 2)
    page.get_by_role("button", name="b2", exact=True).first.click()
    until(page, "document.querySelector('.board').dataset.ply == 1")
    assert page.inner_text(".status") == "Move 1 of 2"


def test_a_move_can_be_typed_and_a_wrong_one_is_explained(server, page):
    open_game(page, server, "connect_four")
    page.fill('[aria-label="Type a move"]', "z9")
    page.keyboard.press("Enter")
    assert "z9" in page.wait_for_selector(".toast").inner_text()
    page.fill('[aria-label="Type a move"]', "d")
    page.keyboard.press("Enter")
    wait_ply(page, 1)


def test_a_move_is_made_however_long_it_took(server, page):
    open_game(page, server, "tic_tac_toe")
    page.evaluate("const now = performance.now(); performance.now = () => now + 12 * 86400 * 1000")
    click_cell(page, "b2")
    wait_ply(page, 1)
    page.evaluate("delete performance.now")


def test_a_link_that_cannot_be_opened_is_explained_once(server, page):
    page.goto(f"{server.url}#/play?game=foo")
    page.get_by_role("heading", name="Something went wrong").wait_for()
    assert page.locator(".toast").count() == 0
    assert "there is no game 'foo'" in page.inner_text("#live")


def test_an_answer_that_comes_after_its_page_was_left_changes_nothing(server, page):
    page.goto(server.url)
    late = (
        "ask = () => new Promise((_, reject) => { window.fail = () => reject(new Error('late')); })"
    )
    page.evaluate(f"import('/link.js').then(({{ link }}) => {{ link.{late}; }})")
    page.evaluate("location.hash = '#/play?game=hex&moves=c3'")
    until(page, "window.fail")
    page.evaluate(
        "import('/link.js').then(({ link }) => { delete link.ask; location.hash = '#/watch'; })"
    )
    page.wait_for_selector(".page-watch .card")
    page.evaluate("fail(); delete window.fail")
    assert page.locator("h1").inner_text() == "Watch the computer play itself"


def test_a_shared_link_opens_the_same_game_and_a_position(server, page):
    open_game(page, server, "hex:size=5", moves="c3 b2 d4")
    page.get_by_role("button", name="Share").click()
    game, position, text = (box.input_value() for box in page.locator("dialog input").all())
    page.keyboard.press("Escape")
    for link, plies in ((game, 3), (position, 0)):
        page.goto("about:blank")
        page.goto(link)
        page.wait_for_selector(".panel .status")
        assert ply(page) == plies
        assert (
            page.locator('[data-cell="d4"]')
            .get_attribute("aria-label")
            .startswith("d4, blue (x) stone")
        )
        page.get_by_role("button", name="Share").click()
        assert page.locator("dialog input").last.input_value() == text
        page.keyboard.press("Escape")


def test_flip_turns_the_board_and_clicks_follow(server, page):
    open_game(page, server, "tic_tac_toe")
    before = page.locator('[data-cell="a1"]').bounding_box()
    page.get_by_role("button", name="Flip").click()
    after = page.locator('[data-cell="a1"]').bounding_box()
    assert after["x"] > before["x"]
    click_cell(page, "a1")
    wait_ply(page, 1)
    assert "x" in page.locator('[data-cell="a1"]').get_attribute("aria-label")


def test_a_new_game_from_the_dialog(server, page):
    page.goto(server.url)
    page.get_by_role("button", name="Options").click()
    page.locator("dialog select").first.select_option("hex")
    page.get_by_label("size").fill("4")
    page.get_by_label("orange (o)", exact=True).select_option("human")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector('[data-cell="d4"]')
    assert page.locator('[data-cell="e5"]').count() == 0


def test_an_address_that_means_nothing_is_explained(server, page):
    page.goto(f"{server.url}#/play/%")
    assert "there is no game '%' here" in page.wait_for_selector("h1 + p").inner_text()


def test_machines_are_watched_to_the_end_and_the_page_stays_within_a_phone(server, page):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{server.url}#/watch")
    page.locator(".card", has_text="Take It Easy").get_by_text("the computer alone").wait_for()
    page.get_by_role("button", name="Connect Four").click()
    for seat in ("blue (x)", "orange (o)"):
        page.get_by_label(seat, exact=True).select_option("random")
    page.get_by_role("button", name="Start", exact=True).click()
    speed = page.wait_for_selector("[aria-label=Speed]")
    speed.evaluate("one => { one.value = one.max; one.dispatchEvent(new Event('change')); }")
    page.wait_for_selector(".status small", timeout=60_000)
    for place in ("watch", "play", "analyse", "runs", "experiments", "advisor"):
        page.goto(f"{server.url}#/{place}")
        page.wait_for_selector(f".page-{place} h1")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_analysis_fills_the_board_and_the_table(server, page):
    open_game(page, server, "tic_tac_toe", moves="b2 a1")
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_selector(".page-analyse .lane")
    page.get_by_label("Method A", exact=True).select_option("method:uct")
    page.get_by_label("Method A: budget").fill("2000")
    page.get_by_label("Compare").check()
    for lane in page.locator(".lane:visible").all()[:2]:
        lane.get_by_role("button", name="Search").click()
    until(page, "document.querySelectorAll('.lane table').length == 2", 300)
    first = page.locator(".lane").first
    assert first.locator("tbody tr").count() == 7
    assert first.locator(".heat .warm-cell").count() == 7
    assert first.locator(".ghost").count() >= 1
    first.get_by_role("button", name="Value", exact=True).first.click()
    texts = "[...document.querySelector('.lane').querySelectorAll('.overlay .warm-text')]"
    until(
        page, f"{texts}.some((text) => /\\d\\.\\d\\d/.test(text.textContent))", 300
    )  # once some moves have values
    page.wait_for_selector(".aside .chart .dot")


def test_the_curve_of_an_analysis_forgets_moves_that_were_taken_back(server, page):
    open_game(page, server, "tic_tac_toe", moves="b2 a1")
    page.get_by_role("button", name="Analyse").click()
    page.get_by_role("button", name="Whole game").click()
    until(page, "document.querySelectorAll('.aside .dot').length == 3", 300)
    page.get_by_role("button", name="Undo").click()
    until(page, "document.querySelector('.board').dataset.ply == 1")
    page.locator('.lane-a [data-cell="c2"]').click()
    until(page, "document.querySelector('.moves .now')?.textContent == 'c2'")
    assert page.locator(".aside .dot").count() == 2


def test_an_analysis_of_a_game_with_points_shows_points(server, page):
    open_game(page, server, "take_it_easy", seats="human", moves="928 9 174")
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_selector(".page-analyse .lane")
    page.get_by_label("Method A", exact=True).select_option("method:uct")
    page.get_by_label("Method A: budget").fill("500")
    page.get_by_role("button", name="Search").first.click()
    until(
        page,
        "/^[1-9][0-9]*\\.[0-9] points$/.test(document.querySelector('.lane .value')?.textContent)",
        300,
    )
    assert "Points" in page.locator(".lane thead").first.inner_text()
    assert page.locator(".lane tbody td:nth-child(3)").first.inner_text()[0] in "123456789"
    page.wait_for_selector(".aside .chart .dot")


def test_a_watched_game_with_points_draws_its_curve_in_points(server, page):
    page.goto(f"{server.url}#/watch")
    page.get_by_role("button", name="Take It Easy").click()
    page.get_by_label("you", exact=True).select_option("method:uct")
    page.get_by_label("you: budget").fill("500")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_label("Speed", exact=True).evaluate(
        "one => { one.value = one.max; one.dispatchEvent(new Event('change')); }"
    )
    page.wait_for_selector(".graph .chart[aria-label='Points over the game']", timeout=60_000)
    assert "307" in page.locator(".graph .chart text").all_text_contents()
    assert re.fullmatch(
        "about [0-9]+ points", page.locator(".move.seat0[title]").first.get_attribute("title")
    )


def test_a_page_finds_its_server_again(tmp_path, page):
    server = ServerProcess(tmp_path)
    try:
        open_game(page, server, "connect_four")
        click_cell(page, "d1")
        wait_ply(page, 1)
        server.kill()
        assert page.wait_for_selector(".link-state.lost").inner_text() == "Reconnecting …"
        server.restart()
        page.wait_for_selector(".link-state:not(.lost)", state="attached")
        assert page.locator(".toast").count() == 0
        click_cell(page, "c1")
        wait_ply(page, 2)
        assert page.locator('[data-cell="d1"]').get_attribute("aria-label").startswith("d1, blue")
    finally:
        server.stop()


@pytest.mark.slow
def test_a_first_move_does_not_wait_for_the_compiler_and_says_so(tmp_path, page, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    server = ServerProcess(tmp_path)
    open_game(page, server, "chess", "human uct:1000000", "e2e4")
    wait_ply(page, 2)
    words = page.inner_text(".hint-words")
    server.stop()
    assert words == "A quick move: Chess is still being compiled for this computer."
