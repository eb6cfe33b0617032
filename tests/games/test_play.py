"""A game as it was played: what players are shown, and how it ended."""

import anyzero
from anyzero.app.records import pgn, record
from anyzero.core.game.play import BY_THE_RULES, UNFINISHED, End, Play, Reason
from anyzero.core.learning import games
from anyzero.tools.arena.match import REASON_WORDS, REASONS

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


def test_an_end_has_payoffs_by_its_reason():
    last = GAME.play(GAME.initial_state(), "a1", "a2", "b1", "b2", "c1")
    assert BY_THE_RULES.payoffs(GAME, last) == (1.0, -1.0)
    assert End(Reason.LATE, 0).payoffs(GAME, GAME.initial_state()) == (-1.0, 1.0)
    assert End(Reason.AGREEMENT).payoffs(GAME, GAME.initial_state()) == (0.0, 0.0)
    assert End(Reason.CUT_OFF).payoffs(GAME, GAME.initial_state()) is None


def test_an_end_is_one_sentence_for_people():
    start = GAME.initial_state()
    names = ("Ann", "Bob")
    assert End(Reason.RESIGNATION, 1).sentence(GAME, start, names) == (
        "game over: Bob as o resigns; Ann as x wins"
    )
    assert End(Reason.CRASH, 0).sentence(GAME, start, names) == (
        "game over: Ann as x forfeits; Bob as o wins"
    )
    assert End(Reason.AGREEMENT).sentence(GAME, start, names) == "game over: agreed; a draw"
    assert UNFINISHED.sentence(GAME, start, names) == "the game is not finished"


def test_every_reason_has_a_word_in_each_format_that_can_hold_it():
    assert set(record.REASON_WORDS) == set(pgn.REASON_WORDS) == set(Reason)
    assert {record.REASON_WORDS[reason] for reason in Reason} == set(record.REASONS)
    assert len(REASONS) == len(REASON_WORDS)  # a word of a match means one reason
    assert set(games.REASONS) == set(games.REASON_WORDS)
