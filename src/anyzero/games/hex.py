"""Hex: the first seat joins top and bottom with its stones, the second seat left and right. There are no draws.

The second seat sees the board transposed, so that each joins top and bottom in its own view: action
`row * size + column` is the cell as the mover sees it, and `size * size` is the swap. Texts name the cell as it is.
"""

from collections import deque
from collections.abc import Iterable

import numpy as np

from anyzero.compile.random import U
from anyzero.errors import BadOptionError
from anyzero.games.contract import OVER
from anyzero.games.game import Game, State, Symmetry
from anyzero.games.grid import cell_index, format_grid, parse_choice, parse_grid, split_fields
from anyzero.games.hex_rules import (
    NOBODY,
    Hex,
    amaf_key,
    can_swap,
    cell_of,
    encode,
    initial_state,
    legal_actions,
    payoffs,
    place,
    play,
    rollout,
    seat_to_move,
    state_fields,
    traced_rollout,
)
from anyzero.views import Circle, Piece, Scene
from anyzero.views.boards import HEX_TEXT_SCALE, cell_name, hex_cells, hex_centre, hex_labels, hex_rims, stone

LETTERS = "xo"
SEAT_NAMES = ("blue (x)", "orange (o)")
EDGES = ("top and bottom", "left and right")
NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


def make(size: int = 11, swap: bool = False) -> Game:
    """Hex on a rhombus of size x size cells."""
    if not 2 <= size <= 19:
        raise BadOptionError(f"hex: the size is from 2 to 19, not {size}")
    return Game(
        name="hex",
        rules=Hex(size, swap, U(2**size - 1)),
        state=state_fields(size),
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, amaf_key, rollout, traced_rollout),
            *(symmetries, format_action, parse_action, format_state, parse_state, scene),
        ),
        num_actions=size * size + swap,
        max_legal=size * size,
        max_plies=size * size + swap,
        planes_shape=(2 + swap, size, size),
    )


def symmetries(rules: Hex) -> Iterable[Symmetry]:
    """The half turn."""
    num_cells = rules.size * rules.size
    turned = np.arange(num_cells)[::-1]
    planes = np.concatenate([turned + plane * num_cells for plane in range(2 + rules.swap)])
    return [Symmetry(planes, np.concatenate([turned, np.arange(num_cells, num_cells + rules.swap)]))]


# --- text


def format_action(rules: Hex, state: State, action: int) -> str:
    return "swap" if action == rules.size**2 else cell_name(*cell_of(state, action))


def parse_action(rules: Hex, state: State, text: str) -> int:
    if text.lower() == "swap":
        return rules.size**2
    row, column = divmod(cell_index(text.lower(), rules.size, rules.size), rules.size)
    return row * rules.size + column if state.mover == 0 else column * rules.size + row


def letters_of(rules: Hex, state: State) -> list[str]:
    rows = [(int(first), int(second)) for first, second in zip(*state.stones, strict=True)]
    return [
        "x" if first >> column & 1 else "o" if second >> column & 1 else "."
        for first, second in rows
        for column in range(rules.size)
    ]


def format_state(rules: Hex, state: State) -> str:
    return f"{format_grid(letters_of(rules, state), rules.size, bottom_up=False)} {LETTERS[state.mover]}"


def parse_state(rules: Hex, state: State, text: str) -> None:
    board, mover = split_fields(text, ("board", "side to move"))
    cells = parse_grid(board, rules.size, rules.size, LETTERS, bottom_up=False)
    state.mover = parse_choice(mover, LETTERS, "the side to move")
    first, second = (cells.count(letter) for letter in LETTERS)
    in_turn = first - second == state.mover
    swapped = rules.swap and second > 0 and first - second == state.mover - 1
    if not (in_turn or swapped):
        raise ValueError(f"with {first} x and {second} o it cannot be the turn of {mover}")
    state.winner = NOBODY
    state.swap_ahead = 1 if rules.swap and first < 2 and second == 0 else 0
    for cell, letter in enumerate(cells):
        if letter != ".":
            place(rules, state, LETTERS.index(letter), *divmod(cell, rules.size))
    if state.winner == state.mover:
        raise ValueError(f"{mover} is to move but has already joined {EDGES[state.mover]}")


# --- picture


def scene(rules: Hex, state: State) -> Scene:
    """The rhombus, its sides in the colours of those who join them; a finished game's chain is marked."""
    chain = winning_chain(rules, state)
    dots = [Circle(*hex_centre(*divmod(cell, rules.size)), 0.12, "page") for cell in chain]
    return Scene(
        hex_cells(rules.size),
        tuple(stones_of(rules, state, chain)),
        under=hex_rims(rules.size),
        over=(*hex_labels(rules.size), *dots),
        caption=caption(rules, state),
        clicks=clicks(rules, state),
        text_scale=HEX_TEXT_SCALE,
        title="Hex",
    )


def stones_of(rules: Hex, state: State, chain: list[int]) -> Iterable[Piece]:
    """The stones; in a terminal those of the winning chain are capitals."""
    for cell, letter in enumerate(letters_of(rules, state)):
        if letter != ".":
            seat, text = LETTERS.index(letter), letter.upper() if cell in chain else letter
            name = f"{SEAT_NAMES[seat]} stone"
            yield stone(cell_name(*divmod(cell, rules.size)), seat, text=text, name=name)


def winning_chain(rules: Hex, state: State) -> list[int]:
    """The cells of a shortest chain of stones that joins the winner's edges; empty while the game runs."""
    if state.winner == NOBODY:
        return []
    size, letters = rules.size, letters_of(rules, state)
    mine = {divmod(cell, size) for cell, letter in enumerate(letters) if letter == LETTERS[state.winner]}
    before = {place: place for place in mine if place[state.winner] == 0}
    queue = deque(before)
    while queue[0][state.winner] < size - 1:
        row, column = place = queue.popleft()
        for down, across in NEIGHBOURS:
            beside = row + down, column + across
            if beside in mine and beside not in before:
                before[beside] = place
                queue.append(beside)
    chain = [queue[0]]
    while before[chain[-1]] != chain[-1]:
        chain.append(before[chain[-1]])
    return [row * size + column for row, column in chain]


def clicks(rules: Hex, state: State) -> dict[int, tuple[str, ...]]:
    """The cell of each move; for the swap, the stone that is taken over."""
    if seat_to_move(rules, state) == OVER:
        return {}
    actions = np.zeros(rules.size**2, np.int32)
    count = legal_actions(rules, state, actions)
    cells = {int(action): (format_action(rules, state, int(action)),) for action in actions[:count]}
    if can_swap(state):
        cells[rules.size**2] = (cell_name(*divmod(letters_of(rules, state).index("x"), rules.size)),)
    return {**cells}


def caption(rules: Hex, state: State) -> str:
    if state.winner != NOBODY:
        return f"{SEAT_NAMES[state.winner]} has joined {EDGES[state.winner]} and won"
    swap = ", or to swap" if can_swap(state) else ""
    return f"{SEAT_NAMES[state.mover]} to move, joining {EDGES[state.mover]}{swap}"
