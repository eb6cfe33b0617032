"""What a player sees beside the board: who stands better, the moves in pairs, and the game looked
over afterwards.
"""

from tests.web.test_page import click_cell, open_game, until, wait_ply

BLUNDER = "b2 a1 c1 b1"
"""Tic-tac-toe: everything is a draw until o lets x have the diagonal."""


def test_a_click_anywhere_in_a_column_drops_a_stone(server, page):
    open_game(page, server, "connect_four")
    click_cell(page, "d6")
    wait_ply(page, 1)
    assert page.locator('[aria-label="d1, blue (x) stone, last move"]').count() == 1


def test_the_bar_says_who_stands_better_and_can_be_hidden(server, page):
    page.goto(server.url)
    page.evaluate(
        "localStorage.removeItem('evaluation')"
    )  # as a new visitor's; no other page is loaded below
    open_game(page, server, "tic_tac_toe", moves=BLUNDER)
    page.wait_for_selector(".win-bar", timeout=120_000)
    assert page.locator(".win-bar").get_attribute("aria-label").startswith("Chance to win: X ")
    page.get_by_role("button", name="Hide", exact=True).click()
    assert page.locator(".win-bar").count() == 0
    page.get_by_role("button", name="Show evaluation").click()
    page.wait_for_selector(".win-bar")


def test_the_review_finds_the_blunder_and_the_game_goes_on_from_there(server, page):
    open_game(page, server, "tic_tac_toe", moves=f"{BLUNDER} a3")
    page.get_by_role("button", name="Review").click()
    page.wait_for_selector(".mistakes li", timeout=120_000)
    worst = page.locator(".mistakes li button").first
    assert worst.inner_text().startswith("2. … b1??")
    assert worst.inner_text().endswith("better a3")
    worst.click()
    page.wait_for_selector(".board[data-ply='3'] .hint-cell")
    assert page.locator(".moves .mistake").inner_text() == "??"
    page.get_by_role("button", name="Play on from here").click()
    until(page, "document.querySelectorAll('.moves .move').length == 3")


def test_a_game_that_began_elsewhere_is_played_on_analysed_and_shared_from_there(server, page):
    page.goto(
        f"{server.url}#/play?game=tic_tac_toe&seats=human+human&position=3/1o1/x2+x&moves=c3+c1"
    )
    wait_ply(page, 2)
    page.keyboard.press("[")
    page.get_by_role("button", name="Play on from here").click()
    until(page, "document.querySelectorAll('.moves .move').length == 1")
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link to the game").input_value()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_selector(".lanes [aria-label='b2, o']")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".board[data-ply='1'] [aria-label='b2, o']")


def test_a_review_numbers_moves_as_their_list_does(server, page):
    """The second seat began: its move stands alone in the first row, and the answer in the
    second.
    """
    page.goto(server.url)
    seats = "[1, 0, 1, 0].map((seat) => ({ seat }))"
    script = (
        "import('/moves.js').then((own) => [0, 1, 2, 3].map((ply) => "
        f"own.moveNumber({seats}, ply)))"
    )
    assert page.evaluate(script) == ["1. …", "2.", "2. …", "3."]


def test_all_who_have_won_are_named(server, page):
    page.goto(server.url)
    view = (
        "over: true, termination: 'rules', seats: Array(3).fill('human'), seat_names: "
        "['blue', 'orange', 'black']"
    )
    script = (
        f"import('/table.js').then((own) => own.caption({{ {view}, payoffs: [0.5, -1, 0.5] }}))"
    )
    assert page.evaluate(script) == "Blue and Black won"


def test_seats_have_the_colour_of_their_pieces_before_there_are_any(server, page):
    open_game(page, server, "atarigo:size=4")
    discs = page.eval_on_selector_all(".disc", "all => all.map((one) => one.style.background)")
    assert discs == ["var(--role-black-piece)", "var(--role-white-piece)"]


def test_a_rematch_exchanges_the_seats_and_begins_where_the_game_did(server, page):
    start = "3/1o1/x2+x"
    page.goto(
        f"{server.url}#/play?game=tic_tac_toe&seats=human+random&position={start}&moves=b1+c1+a2+c2+a3"
    )
    page.wait_for_selector(".seat-name:text('Random moves o')")
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_selector(".seat-name:text('Random moves x')")
    page.wait_for_selector("[aria-label='b2, o']")


def test_chess_moves_stand_in_pairs_as_people_write_them(server, page):
    open_game(page, server, "chess", moves="e2e4 e7e5 g1f3")
    assert page.locator(".moves li").all_inner_texts() == ["e4\ne5", "Nf3"]
    assert page.locator(".target-ring").count() == 0


def test_finished_games_are_not_among_those_to_continue(server, page):
    open_game(page, server, "tic_tac_toe", moves="a1 b1 a2 b2 a3")
    page.goto(f"{server.url}#/play")
    page.wait_for_selector(".past li", state="attached")
    assert "finished" not in page.locator(".page-play > .games").inner_text()
