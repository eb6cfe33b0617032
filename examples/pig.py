"""Pig: roll a die as often as you like and count the points of your turn; a 1 loses them all and
ends the turn.

Hold to keep them. The first to reach 30 points, including those of the turn, wins; after 400 plies,
which is very rare, the game is a draw.
"""

from typing import NamedTuple

import numpy as np

from anyzero import CHANCE, OVER, Game
from anyzero.views import Board, Cell, Circle, Kind, Label
from anyzero.views.boards import rounded

ROLL, HOLD = 0, 1
SIDES, MOST_PLIES = 6, 400
NAMES = ("blue", "orange")
DOTS = {
    1: "c",
    2: "ai",
    3: "aci",
    4: "agik",
    5: "agcik",
    6: "adgikf",
}  # places of the dots on a die, by letter
PLACES = {
    "a": (-1, -1),
    "d": (-1, 0),
    "g": (-1, 1),
    "c": (0, 0),
    "i": (1, 1),
    "f": (1, 0),
    "k": (1, -1),
}


class Rules(NamedTuple):
    goal: int


def make(goal: int = 30):
    fields = ("mover", "turn", "rolling", "last", "plies")  # `last` is what the die shows
    state = [("points", np.int16, 2), *((name, np.int16) for name in fields)]
    functions = (
        initial_state,
        seat_to_move,
        legal_actions,
        play,
        payoffs,
        score,
        encode,
        board,
        draw,
    )
    sizes = {
        "num_actions": 2,
        "num_outcomes": SIDES,
        "max_plies": MOST_PLIES,
        "planes_shape": (3 * goal + 2,),
    }
    return Game("pig", Rules(goal), state, functions, seat_names=NAMES, **sizes)


def initial_state(rules, state):
    state.mover = 0


def has_won(rules, state):
    """Whether the seat whose turn it is has reached the goal."""
    return state.points[state.mover] + state.turn >= rules.goal


def seat_to_move(rules, state):
    if has_won(rules, state) or state.plies == MOST_PLIES:
        return OVER
    return CHANCE if state.rolling else state.mover


def legal_actions(rules, state, actions):
    """Before a roll the six sides, numbered from 0; else roll, and hold if there is anything to
    keep.
    """
    count = SIDES if state.rolling else 2 if state.turn > 0 else 1
    for action in range(count):
        actions[action] = action
    return count


def play(rules, state, action):
    state.plies += 1
    if state.rolling:
        state.rolling, state.last = 0, action + 1
        if action == 0:
            end_turn(state, 0)
        else:
            state.turn += action + 1
    elif action == ROLL:
        state.rolling = 1
    else:
        end_turn(state, state.turn)


def end_turn(state, kept):
    state.points[state.mover] += kept
    state.turn = 0
    state.mover = 1 - state.mover


def payoffs(rules, state, out):
    out[state.mover] = 1.0 if has_won(rules, state) else 0.0
    out[1 - state.mover] = -out[state.mover]


def score(rules, state, seat):
    return float(state.points[seat])


def encode(rules, state, planes):
    """Points as bars, mine first; before a roll nobody is to move, and "me" is the first seat."""
    me = 0 if state.rolling else state.mover
    for place in range(rules.goal):
        planes[place] = 1.0 if place < state.points[me] else 0.0
        planes[rules.goal + place] = 1.0 if place < state.points[1 - me] else 0.0
        planes[2 * rules.goal + place] = 1.0 if place < state.turn else 0.0
    planes[3 * rules.goal] = 1.0 if state.rolling else 0.0
    planes[3 * rules.goal + 1] = 1.0 if state.mover == me else 0.0


def board(rules):
    """Two seats with their points and a die between them; both moves are buttons."""
    dots = {side: [PLACES[letter] for letter in letters] for side, letters in DOTS.items()}
    return Board(
        cells=(Cell("die", rounded(0, 0, 1.6, 1.6)),),
        kinds=tuple(
            Kind(
                str(side),
                f"a {side}",
                tuple(Circle(0.45 * x, 0.45 * y, 0.13, "ink") for x, y in places),
            )
            for side, places in dots.items()
        ),
        captions=(
            *(f"{name} to move, {{2}} in this turn" for name in NAMES),
            "the die rolls",
            "the game is over",
        ),
        moves=("roll", "hold"),
        outcomes=tuple(str(side) for side in range(1, SIDES + 1)),
        over=(
            Label(-1.8, 0, "{0}", 0.8, "seat0", bold=True),
            Label(1.8, 0, "{1}", 0.8, "seat1", bold=True),
        ),
        title="Pig",
    )


def draw(rules, state, shown):
    shown.pieces[0] = state.last
    shown.numbers[0], shown.numbers[1], shown.numbers[2] = (
        state.points[0],
        state.points[1],
        state.turn,
    )
    shown.caption = 3 if seat_to_move(rules, state) == OVER else 2 if state.rolling else state.mover
