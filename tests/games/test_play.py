"""The game so far, as players are shown it."""

import anyzero
from anyzero.core.game.play import Play

GAME = anyzero.load("tic_tac_toe")


def test_a_line_is_its_start_its_actions_and_the_position_they_lead_to():
    line = Play.begin(GAME).play(GAME, 4).play(GAME, 0)
    assert line.actions == (4, 0)
    assert line.state.tobytes() == GAME.play(GAME.play(GAME.initial_state(), 4), 0).tobytes()
    assert line.start.tobytes() == GAME.initial_state().tobytes()


def test_a_line_goes_on_only_within_its_own_game():
    first = Play.begin(GAME)
    longer = first.play(GAME, 4)
    assert longer.extends(first)
    assert longer.copy().extends(longer)
    assert not first.extends(longer)  # a move was taken back
    assert not first.play(GAME, 0).extends(longer)  # and another one made
    assert (
        not Play.begin(GAME).play(GAME, 4).extends(first)
    )  # another game that begins in the same way
    assert not first.extends(None)


def test_what_is_written_into_a_copy_stays_there():
    line = Play.begin(GAME).play(GAME, 4)
    copied = line.copy()
    copied.state["mover"] = 0
    assert line.state.mover == 1
