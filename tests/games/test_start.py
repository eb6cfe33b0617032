"""`anyzero new` writes games that are whole as they are."""

import subprocess
import sys

import pytest

from anyzero.core.base.errors import AnyzeroError, UnknownNameError
from anyzero.core.game.load import load
from anyzero.tools.laws.check import check_game
from anyzero.tools.laws.new import START_KINDS, start_game


@pytest.mark.parametrize("kind", START_KINDS)
def test_a_new_game_keeps_the_laws_and_nothing_is_suspected(tmp_path, kind):
    path, _ = start_game(tmp_path / "my_game.py", kind)
    game = load(str(path))
    results = check_game(game, num_games=8, target="interpreted", simulate=False, browser=False)
    assert [result for result in results if not result.ok] == []
    assert results.seen.warnings == []
    assert (game.name, game.title) == ("my_game", "My game")
    assert "rules that `anyzero rules` shows" in game.about


@pytest.mark.slow
@pytest.mark.parametrize("kind", START_KINDS)
def test_the_test_beside_a_new_game_passes(tmp_path, kind):
    _, test = start_game(tmp_path / "my_game.py", kind)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", str(test)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "2 passed" in done.stdout, done.stdout


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "test_my_game.py").touch()
    with pytest.raises(AnyzeroError, match=r"test_my_game.py exists already"):
        start_game(tmp_path / "my_game.py")
    assert not (tmp_path / "my_game.py").exists()


@pytest.mark.parametrize("name", ["my game.py", "my-game.py", "my_game", "1.py", "jeu_d\u00e9s.py"])
def test_a_name_that_python_cannot_import_is_refused(tmp_path, name):
    with pytest.raises(AnyzeroError, match="is not a name for a game"):
        start_game(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_kind_is_answered_with_the_nearest(tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean dice"):
        start_game(tmp_path / "my_game.py", "dize")
