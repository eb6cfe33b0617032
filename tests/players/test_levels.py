"""Opponents by strength, and asking them."""

from pathlib import Path

import pytest

import anyzero
from anyzero.errors import UnknownNameError
from anyzero.games.line import Line
from anyzero.games.load import BUILT_IN
from anyzero.players import parse_player
from anyzero.players.levels import BY_GAME, LEVELS, PLAIN, level_text
from anyzero.players.player import FailedPlayerError, consult
from anyzero.search.methods import parse_search

GAME = anyzero.load("tic_tac_toe")
FAULTY = str(Path(__file__).parent.parent / "arena" / "faulty.py")


def test_every_level_of_every_game_is_a_search_that_can_be_asked_for():
    assert set(BY_GAME) <= set(BUILT_IN)
    for texts in (*BY_GAME.values(), PLAIN):
        assert len(texts) == len(LEVELS)
        for text in texts:
            parse_search(text)
            parse_player(text)


def test_a_level_is_the_plain_player_of_the_table():
    level, plain = parse_player("level:easy"), parse_player(level_text(GAME, "easy"))
    line = Line.begin(GAME).play(GAME, 4)
    assert level.text == "level:easy"
    for seed in range(5):
        assert level.choose(GAME, line, seed) == plain.choose(GAME, line, seed)


def test_a_users_game_has_levels_too():
    race = anyzero.load(str(Path(__file__).parent.parent / "race.py"))
    assert [level_text(race, level) for level in LEVELS] == list(PLAIN)


def test_options_do_not_change_the_levels():
    assert level_text(anyzero.load("hex:size=5"), "easy") == level_text(anyzero.load("hex"), "easy")


def test_an_unknown_level_is_told_the_nearest():
    with pytest.raises(UnknownNameError, match="there is no level 'hart'; did you mean hard"):
        parse_player("level:hart")


def test_a_search_tells_what_it_found():
    for text in ("uct:50", "level:medium"):
        player, line = parse_player(text), Line.begin(GAME)
        answer = consult(player, GAME, line, 7)
        assert answer.action == player.choose(GAME, line, 7) == answer.result.best_action
        assert answer.result.simulations > 0
        assert answer.seconds > 0


def test_without_a_search_there_is_only_the_move():
    only = Line.begin(GAME, GAME.parse_state("xox/xoo/ox1 x"))
    assert consult(parse_player("uct:50"), GAME, only, 7).result is None
    assert consult(parse_player("random"), GAME, Line.begin(GAME), 7).result is None


@pytest.mark.parametrize(
    ("fault", "says"), [("crash", "RuntimeError: out of ideas"), ("illegal", "not legal"), ("nonsense", "TypeError")]
)
def test_a_player_that_fails_is_named(fault, says):
    with pytest.raises(FailedPlayerError, match=says):
        consult(parse_player(f"{FAULTY}:fault={fault}"), GAME, Line.begin(GAME, GAME.parse_state("xox/1o1/3 x")), 7)
