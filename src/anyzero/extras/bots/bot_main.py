"""The main program of a bot, whose source is copied into its file: chooses moves, and speaks GTP or
to Oware's judge.

Capitals are placeholders for each file's own values.
"""

import sys
import time
from typing import Any

import numpy as np

from anyzero.core.base.nouns import Rules, State, Word
from anyzero.core.game.contract import (
    CHANCE,
    encode,
    initial_state,
    legal_actions,
    move_number,
    play,
    seat_to_move,
)
from anyzero.core.nets.forward import evaluate_planes
from anyzero.core.search.leaves import advance_tree
from anyzero.core.search.methods import GUMBEL
from anyzero.core.search.report import choose_child_of_root
from anyzero.core.search.simulation import ANY_CHILD, simulate_tree
from anyzero.extras.programs import begin_search, chosen_action
from anyzero.tools.players.engine import from_gtp, seat_of, to_gtp


class Own:
    """Placeholder for a file's own value."""


OWN: Any = Own()
RULES = TREE = SCRATCH = SETTINGS = ROOTS = SCORES = ACTIONS = OWN
STATES = OWN  # [1]: the current position
MOVES = OUTCOMES = OWN  # the texts of the board's moves, and of what chance may draw
BOARD_SIZE = OWN  # for GTP: the numbers of its rows and columns as texts
ANSWERS = OWN  # GTP's commands, with the answers that never change
SIMULATIONS = SECONDS = OWN  # maximum; seconds per move, 0: no time limit
HAS_NET = HAS_MOVES = HAS_CHANCE = IS_JUDGED = ON_GO_BOARD = (
    OWN  # code that these rule out is left out of the file
)
OPS = CONFIG = SIZES = SUPPORT = PLANES = LOGITS = VALUES = OWN


def choose(state: State, seed: int) -> int:
    if legal_actions(RULES, state, ACTIONS) == 1:
        return int(ACTIONS[0])
    think = think_with_network if HAS_NET else think_with_rollouts
    return int(think(state, np.uint64(seed)))


def think_with_rollouts(state: State, seed: Word) -> int:
    """Simulate one by one, while there is time and the position is open."""
    end = time.perf_counter() + SECONDS
    left = SIMULATIONS
    begin_search(TREE, SCRATCH, ROOTS, state, seed, left)
    while left > 0 and simulate_tree(RULES, TREE, SCRATCH, SETTINGS, ROOTS, 0, ANY_CHILD, 1):
        left -= 1
        if SECONDS > 0 and time.perf_counter() > end:
            break
    return chosen_action(TREE, SCORES)


def think_with_network(state: State, seed: Word) -> int:
    """Leaf by leaf: the search continues to the next one that needs an answer."""
    end = time.perf_counter() + SECONDS
    begin_search(TREE, SCRATCH, ROOTS, state, seed, SIMULATIONS)
    while advance_tree(RULES, TREE, SCRATCH, SETTINGS, ROOTS, LOGITS, VALUES, 0):
        write_answer(SCRATCH.states[0])
        if SECONDS > 0 and time.perf_counter() > end and TREE.visits[0] > 1:
            SCRATCH.budget[0] = 0  # this answer is still applied
    if SETTINGS.formula == GUMBEL:
        return TREE.action[choose_child_of_root(TREE, SCRATCH, SETTINGS, 0)]  # type: ignore[no-any-return]
    return chosen_action(TREE, SCORES)


def write_answer(state: State) -> None:
    PLANES[...] = 0
    encode(RULES, state, PLANES[0])
    LOGITS[...], VALUES[:, 0] = evaluate_planes(OPS, PLANES, CONFIG, SIZES, SUPPORT)


def begin() -> None:
    STATES[...] = np.zeros(1, STATES.dtype)
    initial_state(RULES, STATES[0])


def speak_gtp(line: str) -> None:
    begin()
    turn = 0
    while line:
        words = line.partition("#")[0].split()
        number = words.pop(0) if words and words[0].isdigit() else ""
        command, *words = words or [""]
        said = ANSWERS.get(command, "")
        fault = "" if command in ANSWERS else "unknown command"
        mover = seat_to_move(RULES, STATES[0])
        seat = seat_of("".join(words[:1]))
        if command == "boardsize" and words[-1:] + words[:1] != BOARD_SIZE:
            fault = "unacceptable size"
        elif command == "clear_board":
            begin()
        elif command == "list_commands":
            said = "\n".join(ANSWERS)
        elif command == "known_command":
            said = "true" if words and words[0] in ANSWERS else "false"
        elif command == "play":  # anybody may tell what chance has drawn
            fault = (
                ""
                if mover in (seat, CHANCE) and move_by_text("".join(words[1:]))
                else "illegal move"
            )
        elif command == "genmove" and mover != seat:
            fault = "illegal move"
        elif command == "genmove":
            action = choose(STATES[0], turn)
            said = to_gtp(move_text(action), ON_GO_BOARD)
            turn = turn + 1
            play(RULES, STATES[0], action)
        if command:
            print((f"?{number} {fault}" if fault else f"={number} {said}") + "\n", flush=True)
        line = "" if command == "quit" else sys.stdin.readline()


def move_by_text(text: str) -> bool:
    move = from_gtp(text, ON_GO_BOARD)
    for action in ACTIONS[: legal_actions(RULES, STATES[0], ACTIONS)]:
        if move_text(int(action)).lower() == move:
            play(RULES, STATES[0], int(action))
            return True
    return False


def move_text(action: int) -> str:
    return action_text(RULES, STATES[0], action)


def action_text(rules: Rules, state: State, action: int) -> str:
    """Replaced by the game's own `format_action` if it has one."""
    if HAS_CHANCE and seat_to_move(rules, state) == CHANCE:
        return str(OUTCOMES[action])
    return str(MOVES[move_number(rules, state, action)]) if HAS_MOVES else str(action)


def run_bot() -> None:
    """Serve the caller: the first line of Oware's judge consists of numbers."""
    line = sys.stdin.readline()
    while line and not line.strip():
        line = sys.stdin.readline()
    if IS_JUDGED and line.lstrip("- ")[:1].isdigit():
        play_for_judge(line)
    else:
        speak_gtp(line)


def play_for_judge(line: str) -> None:
    """The judge sends twelve houses, our own first, before each of our moves, and expects the
    number of a house.

    Seeds not in the houses were captured: by us, what our own moves took, and by the other player
    the rest.
    """
    begin()
    total = sum(seeds_in(row) for row in STATES[0].houses)
    state = STATES[0]
    turn = 0
    while line.strip():
        seeds = [int(word) for word in line.split()]
        if turn == 0 and seeds != [4] * 12:
            state.ply = 1
        seat = state.ply & 1
        state.houses[seat], state.houses[1 - seat] = row_of(seeds[:6]), row_of(seeds[6:])
        state.stores[1 - seat] = total - sum(seeds) - state.stores[seat]
        action = choose(state, turn)
        print(action, flush=True)
        play(RULES, state, action)
        if seat_to_move(RULES, state) < 0:
            state.over = 0
        state.ply = seat + 2 * (turn + 1)
        turn = turn + 1
        line = sys.stdin.readline()


def seeds_in(row: Any) -> int:
    return sum(int(row) >> 8 * house & 255 for house in range(6))


def row_of(seeds: Any) -> Any:
    """Six houses as a word, the first in the highest byte."""
    return np.uint64(sum(number << 8 * (5 - house) for house, number in enumerate(seeds)))
