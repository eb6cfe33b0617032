"""Rules and search as C calls them: the example that comes with them is built, run, and plays the player's moves."""

import shutil
import subprocess

import pytest

from anyzero.errors import AnyzeroError
from anyzero.export.door import export
from anyzero.games.load import load
from anyzero.search import Searcher

COMPILER = shutil.which("cc")
GAMES = [
    "tic_tac_toe",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("chess", "take_it_easy", "hex:size=5")),
]


def play_here(game, method, simulations):
    """The game of the example: seeds are the numbers of the turns, and so are chance's choices."""
    searcher, state, actions = Searcher(game, method, simulations=simulations), game.initial_state(), []
    while not game.is_over(state):
        legal, turn = game.legal_actions(state), len(actions)
        actions.append(legal[turn % len(legal)] if game.seat_to_move(state) < 0 else searcher.choose(state, turn))
        state = game.play(state, actions[-1])
    return actions, float(game.payoffs(state)[0])


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler here")
@pytest.mark.parametrize("text", GAMES)
def test_the_example_plays_the_moves_of_the_player(text, tmp_path):
    game = load(text)
    written = export(game, c=tmp_path / "in c", player="uct:60")
    assert [each.file.name for each in written] == [f"{game.name}.o", f"{game.name}.h", "example.c"]
    build = [COMPILER, "-Wall", "-Wextra", "-Werror", "example.c", f"{game.name}.o", "-lm", "-o", "example"]
    subprocess.run(build, cwd=tmp_path / "in c", check=True)
    lines = subprocess.run([tmp_path / "in c" / "example"], capture_output=True, text=True, check=True).stdout
    actions, payoff = play_here(game, "uct", 60)
    moves, end = lines.strip().split("\n")
    assert [int(action) for action in moves.split()] == actions
    assert float(end.rpartition(" ")[2]) == pytest.approx(payoff, abs=1e-4)


@pytest.mark.parametrize("player", ["uct:1s", "gumbel:16@best", "halving:100", "random", "uct:100,final=value"])
def test_a_search_that_c_cannot_have_is_refused(player, tmp_path):
    with pytest.raises(AnyzeroError, match=player.partition(":")[0]):
        export("tic_tac_toe", c=tmp_path, player=player)
