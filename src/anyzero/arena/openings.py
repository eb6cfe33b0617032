"""Varied openings that leave both sides a chance: random moves, thrown away when they decide the game."""

from anyzero.games.contract import CHANCE
from anyzero.games.game import Game, State
from anyzero.search import search
from anyzero.seeds import draw_seed, draw_unit, pick_index

TRIES = 8
BALANCE = 0.5
"""An opening is good enough if a short search values it between minus and plus this."""
SIMULATIONS = 200


def make_opening(game: Game, seed: int, pair: int, plies: int) -> list[int]:
    """The actions of an opening (chance outcomes among them); depends on the seed and the pair only.

    Of a few random ones the first that looks balanced; the most balanced if none does.
    """
    best: list[int] = []
    smallest = 2.0
    for attempt in range(TRIES if plies else 0):
        actions, state = random_line(game, plies, draw_seed("opening", seed, pair, attempt))
        imbalance = judge(game, state, seed)
        if imbalance < smallest:
            best, smallest = actions, imbalance
        if imbalance <= BALANCE:
            break
    return best


def random_line(game: Game, plies: int, seed: int) -> tuple[list[int], State]:
    """Random moves that do not end the game, and the position after them; fewer where every move would end it."""
    actions: list[int] = []
    state = game.initial_state()
    moves = 0
    while moves < plies or game.seat_to_move(state) == CHANCE:
        unit = draw_unit(seed, len(actions))
        if game.seat_to_move(state) == CHANCE:
            action = draw_outcome(game, state, unit)
        else:
            action = quiet_action(game, state, unit)
            moves += 1
        if action < 0:
            break
        actions.append(action)
        state = game.play(state, action)
    return actions, state


def draw_outcome(game: Game, state: State, unit: float) -> int:
    """What chance does with this number from 0 to 1."""
    outcomes = game.legal_actions(state)
    return outcomes[pick_index([game.chance_weight(state, outcome) for outcome in outcomes], unit)]


def quiet_action(game: Game, state: State, unit: float) -> int:
    """A random action after which the game goes on; -1 if there is none."""
    actions = game.legal_actions(state)
    while actions:
        action = actions.pop(int(unit * len(actions)))
        if not game.is_over(game.play(state, action)):
            return action
    return -1


def judge(game: Game, state: State, seed: int) -> float:
    """How far from even the position looks, from 0 to 1; 0 where the sides are not two opponents."""
    if game.num_seats != 2 or not game.zero_sum or game.seat_to_move(state) < 0:
        return 0.0
    return abs(search(game, state, "uct", simulations=SIMULATIONS, seed=seed).value)
