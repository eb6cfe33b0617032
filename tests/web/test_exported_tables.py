"""Tables of a page without a server: kept, shared, saved, loaded, and what is refused."""

import json

from anyzero.app.records.files import checked_record
from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.records.record import Evaluation
from anyzero.core.game.load import load
from tests.web.test_page import click_cell, open_game, until, wait_ply

RESIGN = """async () => {
  const { link } = await import('./link.js');
  const seats = ['uct:60s', 'human'];
  const { table } = await link.ask({ type: 'new', game: 'connect_four', seats });
  return link.ask({ type: 'resign', table }).catch((error) => error.message);
}"""


def test_a_reload_goes_on_with_the_game(site, page):
    open_game(page, site, "connect_four")  # a game without a move is not listed
    open_game(page, site, "connect_four", "human uct:20")
    click_cell(page, "d1")
    wait_ply(page, 2)
    page.reload()
    page.wait_for_selector(".board[data-ply='2']")
    page.get_by_role("button", name="Undo", exact=True).click()
    until(page, "document.querySelector('.board').dataset.ply == 0")
    page.get_by_role("button", name="Redo", exact=True).click()
    wait_ply(page, 2)
    page.goto(site.url)
    page.locator(".games a").click()
    page.wait_for_selector(".board[data-ply='2']")


def test_tabs_of_one_game_show_what_is_played_in_any_of_them(site, page):
    open_game(page, site, "connect_four", moves="d d c")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".board[data-ply='3']")
    for number, (tab, cell) in enumerate([(page, "c2"), (other, "c3"), (page, "c4")], 4):
        click_cell(tab, cell)
        page.wait_for_selector(f".board[data-ply='{number}']")
        other.wait_for_selector(f".board[data-ply='{number}']")
    other.close()


def test_a_game_is_shared_saved_and_loaded(site, page):
    open_game(page, site, "connect_four", moves="d d c")
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link to the game").input_value()
    assert link.startswith(site.url)
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".board[data-ply='3']")
    saved = save_game(page)
    assert GameInProgress.from_record(checked_record(saved)).moves == ["d", "d", "c"]
    load_text(page, json.dumps(saved))
    wait_ply(page, 3)


def test_a_file_comes_back_as_it_was_and_one_with_a_fault_is_refused(site, page):
    players, tags = ["Anna", "uct:20"], {"Event": "Cup"}
    table = GameInProgress(
        load("connect_four"), players=players, seed=3, date="2020-02-29", tags=tags
    )
    table.play("d", seconds=2.5)
    table.play("c", seconds=0.25, evaluation=Evaluation(value=-0.5, simulations=20))
    table.play("e")
    table.resign(1)
    page.goto(site.url)
    record = table.to_record().to_json()
    assert said_of(page, "text") == "the file is not a JSON object"
    assert said_of(page, None) == f"{NO_RECORD}format"
    for name, values in FAULTS.items():
        for value in values:
            assert said_of(page, {**record, name: value}) == NO_RECORD + name, value
    for payoffs, how in [
        ([-1, 1], "rules"),
        ([1, -0.5], "resign"),
        ([0, 0], "unfinished"),
        (None, "resign"),
    ]:
        broken = {**record, "result": {"payoffs": payoffs, "termination": how}}
        assert said_of(page, broken) == "the result in the file is not that of its moves"
    for seed in (2**53, -1, 0.5, "3"):
        assert (
            said_of(page, {**record, "seed": seed})
            == "a seed here is a whole number from 0 to 9007199254740991"
        )
    won = GameInProgress.played(load("connect_four"), None, list("dcdcdcd")).to_record().to_json()
    unsaid = {"payoffs": None, "termination": "unfinished"}
    assert [said_of(page, {**won, "result": result}) for result in (won["result"], unsaid)] == [
        "loaded",
        "loaded",
    ]
    resigned = {"payoffs": [1, -1], "termination": "resign"}
    assert (
        said_of(page, {**won, "result": resigned})
        == "the result in the file is not that of its moves"
    )
    load_text(page, json.dumps(record))
    until(page, "/resigned/.test(document.querySelector('.status')?.textContent)")
    assert checked_record(save_game(page)) == checked_record(record)


NO_RECORD = "the file is not the record of a game: there is a fault in its "
EVALUATION = {"value": 0.5, "simulations": 20}
FAULTS = {
    "format": [2],
    "rules": [None, {"name": 5}],
    "players": [None, ["Anna", 5]],
    "moves": [5, ["d", None, "e"]],
    "date": [5, "2020-02-30", "yesterday"],
    "clocks": ["2.5", [-1, 1, 1], [1]],
    "evaluations": [
        [{**EVALUATION, "value": 2}, None, None],
        [{**EVALUATION, "simulations": "20"}, None, None],
    ],
    "result": [None, {"payoffs": None}, {"payoffs": [2, -2], "termination": "resign"}],
    "tags": [["Cup"], {"Event": 5}, {"Event": "Cup\n"}],
}


def said_of(page, values):
    """What the page says of a file that it refuses."""
    text = values if values == "text" else json.dumps(values)
    return page.evaluate(
        """async (text) => {
          const { link } = await import('./link.js');
          const reply = link.ask({ type: 'load', form: 'json', text });
          return reply.then(() => 'loaded', (error) => error.message);
        }""",
        text,
    )


def save_game(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save .json").click()
    return json.loads(download.value.path().read_text())


def load_text(page, text):
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Load").click()
    assert chooser.value.element.get_attribute("accept") == ".json"  # what this page reads
    chooser.value.set_files(
        {"name": "game.json", "mimeType": "application/json", "buffer": text.encode()}
    )


def test_what_cannot_play_here_is_said_in_a_sentence(site, page):
    page.goto(f"{site.url}#/play?game=connect_four&seats=human+expectimax:3")
    page.get_by_text("expectimax:3 cannot play here; known: flat").first.wait_for()
    page.goto(f"{site.url}#/play?game=connect_four:rows=8")
    page.get_by_text(
        "this page has connect_four:rows=6,columns=7, not connect_four:rows=8"
    ).first.wait_for()
    assert page.evaluate(RESIGN) == "it is uct:60s's turn"
