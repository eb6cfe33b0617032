"""The worked examples: a game of chance, one with passes, one of three seats, each held against an
oracle.
"""

from pathlib import Path

import numpy as np
import pytest

from anyzero.core.game.contract import CHANCE, OVER
from anyzero.core.game.load import load
from anyzero.tools.laws.check import check_game
from anyzero.tools.proofs.perft import perft

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name, options=""):
    return load(f"{EXAMPLES / name}.py{options}")


def after(game, moves):
    state = game.initial_state()
    for move in moves.split():
        state = game.play(state, move)
    return state


@pytest.mark.parametrize("num_games", [2, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["othello", "pig", "trio"])
def test_an_example_keeps_the_laws_and_nothing_is_suspected(name, num_games):
    results = check_game(example(name), num_games=num_games, browser=False, simulate=False)
    assert [result for result in results if not result.ok] == []
    assert results.seen.warnings == []


# --- Othello


@pytest.mark.parametrize(
    ("depth", "leaves"), [(1, 4), (2, 12), (3, 56), (4, 244), (5, 1396), (6, 8200), (7, 55092)]
)
def test_othello_has_the_published_numbers_of_lines(depth, leaves):
    """Aart Bik's perft for Reversi, which programs have compared with since 2008."""
    game = example("othello")
    assert perft(game, game.initial_state(), depth) == leaves


def test_who_cannot_enclose_anything_passes_and_two_passes_end_the_game():
    game = example("othello", ":size=4")
    state = game.initial_state()
    state["cells"][:] = 0
    state["cells"][:4] = [0, 2, 1, 1]  # . O X X: black may play a1, white nothing
    state["mover"] = 1
    assert game.legal_moves(state) == ["pass"]
    state = game.play(state, "pass")
    assert game.legal_moves(state) == ["a1"]
    state = game.play(game.play(game.play(state, "a1"), "pass"), "pass")
    assert game.is_over(state)
    assert game.payoffs(state).tolist() == [1.0, -1.0]
    assert [game.score(state, seat) for seat in (0, 1)] == [4.0, 0.0]


# --- Pig


def optimal_pig(goal):
    """The chance of the first player, by value iteration over (mine, theirs, this turn). Neller and
    Presser 2004.
    """
    wins = np.ones((2 * goal + 6, goal, 2 * goal + 6))  # at or beyond the goal the game is won
    wins[:goal, :, 0] = 0.5
    change = 1.0
    while change > 1e-7:
        before = wins[:goal, :, 0].copy()
        lost = 1.0 - np.vstack(
            [before.T, np.zeros((goal + 6, goal))]
        )  # [mine, theirs] once the other is to move
        for turn in range(goal - 1, -1, -1):
            mine = np.arange(goal - turn)  # those with more have won
            roll = (lost[mine] + sum(wins[mine, :, turn + side] for side in range(2, 7))) / 6.0
            wins[mine, :, turn] = np.maximum(roll, lost[mine + turn]) if turn else roll
        change = np.abs(wins[:goal, :, 0] - before).max()
    return float(wins[0, 0, 0])


def solve_by_rules(game):
    """The first seat's chance to win with best play, by value iteration over the positions that the
    rules lead to.
    """
    start = game.initial_state()
    successors, states = {}, [start]
    while states:
        state = states.pop()
        if state.tobytes() not in successors:
            seat = game.seat_to_move(state)
            found = [timeless(game.play(state, action)) for action in game.legal_actions(state)]
            value = (game.payoffs(state)[0] + 1) / 2 if seat == OVER else None
            successors[state.tobytes()] = seat, value, [one.tobytes() for one in found]
            states += found
    values = {key: 0.5 if value is None else value for key, (_, value, _) in successors.items()}
    best = {CHANCE: lambda known: sum(known) / len(known), 0: max, 1: min}
    for _ in range(200):
        values |= {
            key: best[seat]([values[one] for one in after])
            for key, (seat, _, after) in successors.items()
            if after
        }
    return values[start.tobytes()]


def timeless(state):
    state["plies"] = state["last"] = 0
    return state


def test_the_solver_of_pig_finds_the_published_chance_of_the_first_player():
    assert optimal_pig(100) == pytest.approx(0.5306, abs=5e-5)


def test_best_play_by_the_rules_of_the_example_has_the_chance_of_pig():
    assert solve_by_rules(example("pig", ":goal=6")) == pytest.approx(optimal_pig(6), abs=1e-6)


def test_a_one_loses_the_turn_and_holding_keeps_it():
    game = example("pig")
    kept = after(game, "roll 5 roll 4 hold")
    assert [game.score(kept, seat) for seat in (0, 1)] == [9.0, 0.0]
    lost = after(game, "roll 5 roll 1")
    assert [game.score(lost, seat) for seat in (0, 1)] == [0.0, 0.0]
    assert (game.seat_to_move(lost), game.legal_moves(lost)) == (1, ["roll"])


# --- Trio


def test_three_in_a_row_win_for_the_third_seat_and_cost_the_others_a_half():
    game = example("trio")
    state = after(game, "a1 a2 e1 b1 b2 e2 c3 a5 e3")
    assert game.is_over(state)
    assert game.payoffs(state).tolist() == [-0.5, -0.5, 1.0]


def test_the_seats_take_turns_and_see_themselves_first():
    game = example("trio")
    state = after(game, "a1 b1")
    assert game.seat_to_move(state) == 2
    planes = game.encode(state)
    assert planes[1, 0, 0] == 1.0  # the first seat comes after the third
    assert planes[2, 0, 1] == 1.0
    assert planes.sum() == 2.0
