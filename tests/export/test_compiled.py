"""Rules and search for C and for JavaScript: the examples that come with them play the player's
moves.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.game.load import load
from anyzero.core.search import Searcher
from anyzero.extras.browser.c import _header
from anyzero.extras.browser.wasm_files import write_files
from anyzero.extras.export import export
from tests import race

GAMES = [
    race.__file__,  # one of its functions always returns the same number
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("tic_tac_toe", "chess", "take_it_easy", "hex:size=5")
    ),
]


def play_here(game, method, simulations):
    """The game of the example: seeds are the numbers of the turns, and so are chance's choices."""
    searcher, state, actions = (
        Searcher(game, method, simulations=simulations),
        game.initial_state(),
        [],
    )
    while not game.is_over(state):
        legal, turn = game.legal_actions(state), len(actions)
        actions.append(
            legal[turn % len(legal)]
            if game.seat_to_move(state) < 0
            else searcher.choose(state, turn)
        )
        state = game.play(state, actions[-1])
    return actions, float(game.payoffs(state)[0])


def build_c(folder, name):
    build = ["cc", "-Wall", "-Wextra", "-Werror", "example.c", f"{name}.o", "-lm", "-o", "example"]
    subprocess.run(build, cwd=folder, check=True)
    return [folder / "example"]


RUN = {
    "c": ("cc", build_c),
    "wasm": ("node", lambda folder, name: ["node", folder / "example.mjs"]),
}
"""What an example needs, and the command that runs it."""


@pytest.mark.parametrize("kind", RUN)
@pytest.mark.parametrize("text", GAMES)
def test_the_example_plays_the_moves_of_the_player(text, kind, tmp_path):
    game, (needed, command) = load(text), RUN[kind]
    if shutil.which(needed) is None:
        pytest.skip(f"there is no {needed} here")
    folder = tmp_path / "a folder"
    written = export(game, **{kind: folder}, player="uct:60")
    assert all(each.size == each.file.stat().st_size > 0 for each in written)
    found = subprocess.run(
        command(folder, game.name), capture_output=True, text=True, check=True
    ).stdout
    actions, payoff = play_here(game, "uct", 60)
    moves, end = found.strip().split("\n")
    assert [int(action) for action in moves.split()] == actions
    assert float(end.rpartition(" ")[2]) == pytest.approx(payoff, abs=1e-4)


def test_a_header_is_iso_c_if_parts_of_a_state_are_empty():
    """Oware's history is, without its rule about repetitions; only compilers' extensions know
    arrays of length 0.
    """
    game = load("oware")
    assert 0 in {form.itemsize for form, *_ in game.state_dtype.fields.values()}
    assert "[0]" not in _header(game, [])


@pytest.mark.parametrize(("kind", "options"), [("c", {}), ("wasm", {}), ("web", {"net": "none"})])
def test_a_game_that_does_not_compile_is_refused_in_a_sentence(kind, options, tmp_path):
    source = Path(race.__file__).read_text()
    (tmp_path / "dicts.py").write_text(
        source.replace("total = 0", 'total = FIRST["total"]') + 'FIRST = {"total": 0}\n'
    )
    with pytest.raises(
        AnyzeroError, match=r"does not compile: .*FIRST.*in initial_state, dicts.py line \d+"
    ):
        export(str(tmp_path / "dicts.py"), **{kind: tmp_path / "out"}, **options)


@pytest.mark.parametrize(
    "player", ["uct:1s", "gumbel:16@best", "halving:100", "random", "uct:100,final=value"]
)
def test_a_search_that_cannot_be_compiled_is_refused(player, tmp_path):
    with pytest.raises(AnyzeroError, match=player.partition(":")[0]):
        export("tic_tac_toe", c=tmp_path, player=player)


def test_an_earlier_page_keeps_its_games_until_those_of_the_next_are_written(tmp_path, monkeypatch):
    old = tmp_path / "games" / "tic_tac_toe" / "rules.wasm"
    write_files(old.parent, {old.name: b"old"})
    write_files(tmp_path, {"site.json": b"{}", "my.html": b"mine"})
    with pytest.raises(AnyzeroError, match="there is no network 'nothing'"):
        export("connect_four", web=tmp_path, net="nothing")
    assert old.read_bytes() == b"old"
    wrote = {"name": "connect_four", "net": ""}, {"rules.wasm": b"new"}
    monkeypatch.setattr(
        "anyzero.extras.browser.page.write_game",
        lambda own, *_: (wrote[0], write_files(own, wrote[1])),
    )
    export("connect_four", web=tmp_path)
    assert [path.relative_to(tmp_path / "games") for path in (tmp_path / "games").rglob("*.*")] == [
        Path("connect_four", "rules.wasm")
    ]
    assert [path.name for path in tmp_path.iterdir() if path.name[0] == "."] == []
    assert (tmp_path / "my.html").exists()
    assert '"games/connect_four/rules.wasm"' in (tmp_path / "sw.js").read_text()
