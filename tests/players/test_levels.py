"""Opponents by strength, and asking them."""

from pathlib import Path

import pytest

import anyzero
from anyzero.core.base.errors import BadOptionError, UnknownNameError
from anyzero.core.game import facts
from anyzero.core.game.load import BUILT_IN
from anyzero.core.game.play import Play
from anyzero.core.game.rollouts import count_cores
from anyzero.core.learning.find import net_file
from anyzero.core.search.methods import parse_search
from anyzero.tools.players import parse_player
from anyzero.tools.players.player import FailedPlayerError, consult
from anyzero.tools.players.text import (
    LEVELS,
    level_text,
    net_levels,
    net_method,
    search_arguments,
    split_player,
)

GAME = anyzero.load("tic_tac_toe")
FAULTY = str(Path(__file__).parent.parent / "arena" / "faulty.py")


def test_every_level_of_every_game_is_a_search_that_can_be_asked_for():
    games = [anyzero.load(name) for name in BUILT_IN]
    for texts in (
        *(game.facts.levels for game in games),
        facts.LEVELS,
        *(net_levels(game, net_method(net_file(game.name))) for game in games),
    ):
        assert len(texts) == len(LEVELS)
        for text in texts:
            parse_search(text.partition("@")[0])
            parse_player(text)


@pytest.mark.parametrize("name", BUILT_IN)
def test_levels_of_every_game_are_made_from_its_net_by_default(name):
    game = anyzero.load(name)
    texts = [level_text(game, level) for level in LEVELS]
    assert texts == list(net_levels(game, net_method(net_file(name))))
    assert all(
        text.endswith("@best")
        for text in (texts[-1:] if net_method(net_file(name)) == "expectimax" else texts)
    )


def test_a_board_without_a_net_of_its_own_has_plain_searches():
    game = anyzero.load("hex:size=5")
    assert [level_text(game, level) for level in LEVELS] == list(game.facts.levels)
    assert level_text(anyzero.load("breakthrough:rows=5,columns=5"), "easy") == "uct:100"


def test_a_level_is_the_player_of_the_table():
    level, plain = parse_player("level:easy"), parse_player(level_text(GAME, "easy"))
    line = Play.begin(GAME).play(GAME, 4)
    assert level.text == "level:easy"
    for seed in range(5):
        assert level.choose(GAME, line, seed) == plain.choose(GAME, line, seed)


def test_a_users_game_has_levels_too():
    race = anyzero.load(str(Path(__file__).parent.parent / "race.py"))
    assert [level_text(race, level) for level in LEVELS] == list(facts.LEVELS)


FREE_QUEEN = "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3"


@pytest.mark.slow  # compiles chess
def test_hard_takes_a_free_queen():
    for seed in range(3):
        assert anyzero.player("level:hard").move("chess", FREE_QUEEN, seed=seed) == "f3g5"


def test_a_temperature_makes_gumbel_play_by_its_policy():
    """Only the centre holds against a corner: without a temperature it is always played, with one
    most often.
    """
    corner = GAME.parse_state("x2/3/3 o")
    cold = {anyzero.player("gumbel:1@best").move(GAME, corner, seed=seed) for seed in range(20)}
    warm = [
        anyzero.player("gumbel:1,temperature=2@best").move(GAME, corner, seed=seed)
        for seed in range(60)
    ]
    assert cold == {"b2"}
    assert len(set(warm)) > 2
    assert max(set(warm), key=warm.count) == "b2"


def test_a_network_answers_on_all_cores_or_on_as_many_threads_as_a_text_or_an_arena_says():
    def threads(text, default=None):
        return search_arguments(split_player(text), GAME, threads=default)["evaluator"].threads

    assert [threads("gumbel:8@best"), threads("gumbel:8@best", 1)] == [count_cores(), 1]
    assert threads("gumbel:8,threads=3@best", 1) == 3
    with pytest.raises(BadOptionError, match="threads must be a positive number, not 0"):
        threads("gumbel:8,threads=0@best")
    with pytest.raises(UnknownNameError, match="uct has no option 'threads'"):
        parse_player("uct:8,threads=2").move(GAME)


def test_an_unknown_level_is_told_the_nearest():
    with pytest.raises(UnknownNameError, match="there is no level 'hart'; did you mean hard"):
        parse_player("level:hart")


def test_a_search_tells_what_it_found():
    for text in ("uct:50", "level:medium"):
        player, line = parse_player(text), Play.begin(GAME)
        answer = consult(player, GAME, line, 7)
        assert answer.action == player.choose(GAME, line, 7) == answer.result.best_action
        assert answer.result.simulations > 0
        assert answer.seconds > 0


def test_without_a_search_there_is_only_the_move():
    only = Play.begin(GAME, GAME.parse_state("xox/xoo/ox1 x"))
    assert consult(parse_player("uct:50"), GAME, only, 7).result is None
    assert consult(parse_player("random"), GAME, Play.begin(GAME), 7).result is None


@pytest.mark.parametrize(
    ("fault", "says"),
    [("crash", "RuntimeError: out of ideas"), ("illegal", "is illegal"), ("nonsense", "TypeError")],
)
def test_a_player_that_fails_is_named(fault, says):
    with pytest.raises(FailedPlayerError, match=says):
        consult(
            parse_player(f"{FAULTY}:fault={fault}"),
            GAME,
            Play.begin(GAME, GAME.parse_state("xox/1o1/3 x")),
            7,
        )
