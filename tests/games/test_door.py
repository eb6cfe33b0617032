"""The Python door of a game: new states from old ones, and errors that change nothing."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from anyzero.core.base.errors import (
    AnyzeroError,
    BadPositionError,
    IllegalMoveError,
    MissingFunctionError,
)
from anyzero.core.compile import kernels
from anyzero.core.game.contract import CHANCE, OVER
from anyzero.core.game.load import BUILT_IN, load
from tests.games.test_load import RACE


@pytest.fixture
def breakthrough():
    return load("breakthrough:rows=4,columns=2")


def test_play_takes_numbers_and_texts_and_leaves_the_old_state_alone(breakthrough):
    start = breakthrough.initial_state()
    before = start.tobytes()
    move = breakthrough.legal_moves(start)[0]
    by_move = breakthrough.play(start, move)
    by_number = breakthrough.play(start, breakthrough.legal_actions(start)[0])
    assert by_move.tobytes() == by_number.tobytes() != before
    assert start.tobytes() == before


def test_an_illegal_move_says_what_was_possible(breakthrough):
    start = breakthrough.initial_state()
    before = start.tobytes()
    for move in ("a9a9", "", "zzz", 5000, -1, breakthrough.legal_actions(start)[0] + 0.5, None):
        with pytest.raises(IllegalMoveError, match="legal: ") as caught:
            breakthrough.play(start, move)
        assert all(text in str(caught.value) for text in breakthrough.legal_moves(start))
    assert start.tobytes() == before


def test_a_finished_game_takes_no_more_moves():
    game = load(f"{RACE}:goal=3")
    over = game.play(game.initial_state(), "3")
    assert game.is_over(over)
    assert game.seat_to_move(over) == OVER
    assert game.legal_actions(over) == game.legal_moves(over) == []
    assert game.payoffs(over).tolist() == [1.0, -1.0]
    with pytest.raises(IllegalMoveError, match="the game is over"):
        game.play(over, "1")


def test_payoffs_of_a_running_game_are_an_error(breakthrough):
    with pytest.raises(AnyzeroError, match="not over"):
        breakthrough.payoffs(breakthrough.initial_state())


def test_a_position_that_cannot_be_read_shows_one_that_can(breakthrough):
    with pytest.raises(BadPositionError, match="bb/bb/ww/ww w"):
        breakthrough.parse_state("nonsense")


def test_a_state_of_another_game_is_refused(breakthrough):
    with pytest.raises(BadPositionError, match="not a state of breakthrough"):
        breakthrough.legal_actions(load("oware").initial_state())


def test_a_missing_function_is_named():
    game = load(str(RACE))
    state = game.initial_state()
    for call in (game.encode, game.score, game.format_state, game.show, game.scene):
        with pytest.raises(MissingFunctionError, match="race has no function"):
            call(state)
    with pytest.raises(MissingFunctionError):
        game.parse_state("x")
    assert game.symmetries == []


def test_the_door_gives_the_same_answers_once_it_is_compiled(monkeypatch):
    """With no patience at all every function is compiled after its first call."""

    def played():
        game = load(f"{RACE}:goal=6")
        state, seen = game.initial_state(), []
        while not game.is_over(state):
            seen.append((state.tobytes(), game.legal_actions(state), game.state_key(state)))
            state = game.play(state, 2)
        compiled = {kernel.__name__ for kernel, target in game.unit.compiled if target == "cpu"}
        return [*seen, game.payoffs(state).tolist()], compiled

    patient, nothing = played()
    monkeypatch.setattr(kernels, "COMPILE_AFTER_S", 0.0)
    impatient, compiled = played()
    assert impatient == patient
    assert nothing == set()
    assert compiled >= {"seat_to_move", "legal_actions", "play", "state_key"}


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_door_of_every_game_is_complete(name):
    game = load(name)
    state = game.initial_state()
    while game.seat_to_move(state) == CHANCE:
        assert game.chance_weight(state, game.legal_actions(state)[0]) > 0
        state = game.play(state, game.legal_actions(state)[0])
    assert game.encode(state).shape == game.planes_shape
    assert game.encode(state).dtype == np.float32
    assert game.parse_state(game.format_state(state)).tobytes() == state.tobytes()
    picture = game.show(state)
    assert picture.text
    assert picture.svg == picture._repr_svg_()
    assert isinstance(game.state_key(state), int)
    assert 0 <= game.amaf_key(state, game.legal_actions(state)[0]) < game.num_amaf_keys


@pytest.mark.parametrize(
    ("name", "has_score"), [("take_it_easy", True), ("oware", True), ("hex", False)]
)
def test_games_with_points_have_a_score(name, has_score):
    game = load(name)
    assert game.has("score") is has_score
    if has_score:
        assert game.score(game.initial_state()) == 0


def test_texts_of_moves_need_no_picture_in_any_game_of_the_package():
    code = (
        "import sys\n"
        "from anyzero.core.game.load import BUILT_IN, load\n"
        "for name in BUILT_IN:\n"
        "    game = load(name)\n"
        "    state = game.initial_state()\n"
        "    for _ in range(4):\n"
        "        state = game.play(state, game.legal_moves(state)[-1])\n"
        "print([name for name in sys.modules if name.startswith('anyzero.views')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_game_may_list_the_texts_of_its_moves_itself_with_or_without_a_board():
    def moves(rules):
        return ["zero", "one", "two", "three"]

    race = load(str(RACE))
    listed = replace(race, functions=[*race.functions, moves])
    start = listed.initial_state()
    assert listed.legal_moves(start) == ["one", "two", "three"]
    assert (
        listed.play(start, "two").tobytes()
        == race.play(start, race.legal_actions(start)[1]).tobytes()
    )


def test_a_move_without_a_text_is_named():
    def moves(rules):
        return ["zero", "one"]

    race = load(str(RACE))
    short = replace(race, functions=[*race.functions, moves])
    with pytest.raises(AnyzeroError, match="moves lists 2 moves"):
        short.legal_moves(short.initial_state())
