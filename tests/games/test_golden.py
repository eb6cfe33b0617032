"""A change of rules, numbering, text or picture shows up as a change of a file that a person has
read.
"""

import pytest

from anyzero.core.game.load import BUILT_IN
from tests.games.golden import FOLDER, GAMES, playthrough


def test_every_game_has_its_playthrough():
    assert set(GAMES) == set(BUILT_IN)


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_is_as_it_was(name):
    assert playthrough(GAMES[name]) == (FOLDER / f"{name}.txt").read_text()
