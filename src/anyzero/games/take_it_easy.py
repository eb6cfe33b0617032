"""Take It Easy: place 19 of 27 tiles as they are drawn; a line with one number scores it once per
tile.

Chance draws a tile, the only seat places it on an empty cell. The state holds what has been seen,
and nothing about future draws. A word of 45 bits tells which numbers each of the 15 lines can still
show: every tile placed clears those that it rules out, so that on a full board the remaining bits
are the lines that score.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from anyzero.core.base.nouns import Actions, Drawing, Integer, Numbers, Planes, Stream, Word
from anyzero.core.compile.bits import count_bits, nth_bit, trailing_zeros
from anyzero.core.compile.random import U, next_word, random_below
from anyzero.core.game.contract import CHANCE, OVER, GameBoard
from anyzero.core.game.facts import Advisor, Facts, Recipe
from anyzero.core.game.game import Game, State, Symmetry
from anyzero.games.grid import EMPTY, split_fields
from anyzero.games.take_it_easy_guide import guided_cell
from anyzero.games.take_it_easy_tiles import (
    NUM_CELLS,
    NUM_LINES,
    NUM_TILES,
    STATE,
    TILES,
    TakeItEasy,
    make_rules,
)

COLUMNS = (3, 4, 5, 4, 3)
BEST_SCORE = 307
NUM_PLANES = 10  # planes of 19 cells: nine numbers, and empty
FEATURES = NUM_PLANES * NUM_CELLS + 10 + NUM_TILES + 3 * NUM_LINES + NUM_LINES + 1


def make() -> Game:
    """Place nineteen of the 27 tiles, one by one as they are drawn, each on an empty cell. One
    player, the most points.

    A tile has three numbers, each with a band in its colour. Tile 164 has 1 from top to bottom, 6
    towards the upper right and 4 towards the lower right; tiles never rotate. At the end a line
    with one number on all its tiles scores that number for each of them: five tiles with a 9 make
    45 points. A line with different numbers scores nothing. The best possible board has 307 points.
    A move is the number of a cell: 0 to 18, down the columns from left to right.
    """
    return Game(
        name="take_it_easy",
        rules=make_rules(),
        state=STATE,
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, score, encode, amaf_key),
            *(rollout, guided_rollout, symmetries, format_state, parse_state),
            *(moves, outcomes, board, draw),
        ),
        num_actions=NUM_CELLS,
        num_outcomes=NUM_TILES,
        num_seats=1,
        zero_sum=False,
        max_plies=2 * NUM_CELLS,
        planes_shape=(FEATURES,),
        num_amaf_keys=NUM_TILES * NUM_CELLS,
        best_score=BEST_SCORE,
        seat_names=("you",),
        example="164 9 924 0 978 2 128 6 524 5 168 11 928 1 923 17 964 18 574 14 "
        "523 12 173 3 564 15 123 8 568 13 573 7 973 16 124 4 968 10",
        facts=FACTS,
    )


# --- rules


def initial_state(rules: TakeItEasy, state: State) -> None:
    state.lines = (U(1) << U(3 * NUM_LINES)) - U(1)
    state.left = (U(1) << U(NUM_TILES)) - U(1)
    state.empty = (U(1) << U(NUM_CELLS)) - U(1)


def seat_to_move(rules: TakeItEasy, state: State) -> int:
    if state.hand:
        return 0
    return CHANCE if state.empty else OVER


def legal_actions(rules: TakeItEasy, state: State, actions: Actions) -> int:
    return list_bits(state.empty if state.hand else state.left, actions)


def list_bits(bits: Word, numbers: Numbers) -> int:
    """Write the indices of the set bits and return their number."""
    count = 0
    while bits:
        numbers[count] = trailing_zeros(bits)
        bits &= bits - U(1)
        count += 1
    return count


def play(rules: TakeItEasy, state: State, action: int) -> None:
    if state.hand:
        state.cells[action] = state.hand
        state.lines &= rules.keeps[action * NUM_TILES + np.int64(state.hand) - 1]
        state.empty ^= U(1) << U(action)
        state.hand = 0
    else:
        state.hand = action + 1
        state.left ^= U(1) << U(action)


def payoffs(rules: TakeItEasy, state: State, out: Numbers) -> None:
    """The score from 0 to the best possible, mapped to [-1, 1]."""
    out[0] = 2.0 * score(rules, state, 0) / BEST_SCORE - 1.0


def score(rules: TakeItEasy, state: State, seat: int) -> float:
    """The points of the lines that are full."""
    total = 0
    lines = state.lines
    while lines:
        bit = trailing_zeros(lines)
        lines &= lines - U(1)
        if rules.line_cells[bit // 3] & state.empty == U(0):
            total += rules.points[bit]
    return float(total)


# --- for search and learning


def rollout(rules: TakeItEasy, state: State, actions: Actions, rng: Stream) -> int:
    """Deal random tiles to the cells in order: equivalent to random cells for the tiles in
    order.
    """
    moves = 2 * count_bits(state.empty) - (1 if state.hand else 0)
    if state.hand:
        count = list_bits(state.empty, actions)
        play(rules, state, np.int64(actions[random_below(rng, count)]))  # type: ignore[arg-type]
    deal_tiles(rules, state, actions, list_bits(state.left, actions), rng)
    return moves


def deal_tiles(rules: TakeItEasy, state: State, tiles: Numbers, count: int, rng: Stream) -> None:
    """Fill the empty cells with distinct tiles out of `count`; a random word is enough for five
    draws.
    """
    empty = state.empty
    lines = state.lines
    bits = U(0)
    draws = 0
    while empty:
        bits = (next_word(rng) >> U(5) if draws % 5 == 0 else bits & U(0x07FFFFFFFFFFFFFF)) * U(
            count
        )
        cell = trailing_zeros(empty)
        index = np.int64(bits >> U(59))
        tile = np.int64(tiles[index])
        count -= 1
        tiles[index] = tiles[count]
        lines &= rules.keeps[cell * NUM_TILES + tile]
        state.cells[cell] = tile + 1
        empty &= empty - U(1)
        draws += 1
    state.empty = empty
    state.lines = lines
    state.left = U(0)
    for place in range(count):
        state.left |= U(1) << U(tiles[place])


def guided_rollout(rules: TakeItEasy, state: State, actions: Actions, rng: Stream) -> int:
    """Random tiles, each placed where it gains most."""
    moves = 2 * count_bits(state.empty) - (1 if state.hand else 0)
    while state.empty:
        if not state.hand:
            drawn = nth_bit(state.left, random_below(rng, count_bits(state.left)))
            play(rules, state, trailing_zeros(drawn))
        play(rules, state, guided_cell(rules, state, actions))
    return moves


def encode(rules: TakeItEasy, state: State, planes: Planes) -> None:
    """Nine numbers and empty for each cell; the tile in hand; the tiles left; what lines can show,
    and their fill.
    """
    for cell in range(NUM_CELLS):
        if state.cells[cell] == 0:
            planes[9 * NUM_CELLS + cell] = 1.0
        else:
            write_values(planes, cell, NUM_CELLS, np.int64(state.cells[cell]) - 1)
    first = NUM_PLANES * NUM_CELLS
    if state.hand:
        write_values(planes, first, 1, np.int64(state.hand) - 1)
        planes[first + 9] = 1.0
    write_bits(planes, first + 10, state.left)
    first += 10 + NUM_TILES
    write_bits(planes, first, state.lines)
    for line in range(NUM_LINES):
        cells = rules.line_cells[line]
        planes[first + 3 * NUM_LINES + line] = count_bits(cells & ~state.empty) / count_bits(cells)
    planes[FEATURES - 1] = 1.0 - count_bits(state.empty) / NUM_CELLS


def write_values(planes: Planes, first: int, step: int, tile: Integer) -> None:
    """Set the three of nine features, `step` apart, for the tile's numbers."""
    planes[first + step * (tile // 9)] = 1.0
    planes[first + step * (3 + tile // 3 % 3)] = 1.0
    planes[first + step * (6 + tile % 3)] = 1.0


def write_bits(planes: Planes, first: int, bits: Word) -> None:
    while bits:
        planes[first + trailing_zeros(bits)] = 1.0
        bits &= bits - U(1)


def amaf_key(rules: TakeItEasy, state: State, action: int) -> int:
    """The tile and the cell: a cell alone is meaningless."""
    return (np.int64(state.hand) - 1) * NUM_CELLS + action if state.hand else action  # type: ignore[return-value]


def symmetries(rules: TakeItEasy) -> Iterable[Symmetry]:
    """The half turn, the only symmetry that the tiles allow: it reverses the lines of each
    direction.
    """
    cells = np.arange(NUM_CELLS)
    lines = np.arange(NUM_LINES)
    turned_lines = lines // 5 * 5 + 4 - lines % 5
    boards = (np.arange(NUM_PLANES)[:, None] * NUM_CELLS + cells[::-1]).ravel()
    fixed = np.arange(boards.size, boards.size + 10 + NUM_TILES)
    first = boards.size + fixed.size
    shows = first + (turned_lines[:, None] * 3 + np.arange(3)).ravel()
    fill = first + 3 * NUM_LINES + turned_lines
    return [
        Symmetry(np.concatenate([boards, fixed, shows, fill, [FEATURES - 1]]), cells[::-1].copy())
    ]


# --- text and picture

TILE_TEXTS = tuple("".join(map(str, tile)) for tile in TILES)


def format_tile(number: int) -> str:
    return TILE_TEXTS[number - 1] if number else EMPTY


def format_state(rules: TakeItEasy, state: State) -> str:
    """The columns from left to right, and the tile in hand."""
    words = [format_tile(int(number)) for number in state.cells]
    starts = [sum(COLUMNS[:column]) for column in range(len(COLUMNS))]
    columns = [
        ",".join(words[start : start + size]) for start, size in zip(starts, COLUMNS, strict=True)
    ]
    return f"{'/'.join(columns)} {format_tile(int(state.hand))}"


def parse_state(rules: TakeItEasy, state: State, text: str) -> None:
    board, hand = split_fields(text, ("board", "tile in hand"))
    columns = [column.split(",") for column in board.split("/")]
    if (sizes := tuple(map(len, columns))) != COLUMNS:
        raise ValueError(f"the columns have {', '.join(map(str, sizes))} cells, not 3, 4, 5, 4, 3")
    initial_state(rules, state)
    for cell, word in enumerate(word for column in columns for word in column):
        draw_named(rules, state, word)
        if state.hand:
            play(rules, state, cell)
    draw_named(rules, state, hand)
    if state.hand and not state.empty:
        raise ValueError("the board is full, so no tile can be in hand")


def draw_named(rules: TakeItEasy, state: State, word: str) -> None:
    """Draw the tile named by this text, or nothing."""
    if word == EMPTY:
        return
    if word not in TILE_TEXTS:
        raise ValueError(
            f"{word!r} is not a tile: it has one of 1 5 9, one of 2 6 7 and one of 3 4 8"
        )
    tile = TILE_TEXTS.index(word)
    if not int(state.left) >> tile & 1:
        raise ValueError(f"there is only one tile {word}")
    play(rules, state, tile)


def moves(rules: TakeItEasy) -> Sequence[str]:
    """The numbers of the cells."""
    return [str(cell) for cell in range(NUM_CELLS)]


def outcomes(rules: TakeItEasy) -> Sequence[str]:
    """The tiles."""
    return TILE_TEXTS


def board(rules: TakeItEasy) -> GameBoard:
    """The cells, with their numbers while empty, and the tile in hand at the side."""
    from anyzero.games.take_it_easy_picture import make_board

    return make_board(COLUMNS, TILES)


def draw(rules: TakeItEasy, state: State, shown: Drawing) -> None:
    for cell in range(NUM_CELLS):
        shown.pieces[cell] = state.cells[cell]
        shown.marks[cell] = 1 if state.cells[cell] == 0 else 0
    shown.pieces[NUM_CELLS] = state.hand
    shown.numbers[0] = int(score(rules, state, 0))
    shown.caption = state.hand if state.empty else NUM_TILES + 1


# --- facts for levels, ladders, training, files and the page


# A point is 2 / 307 of payoff: what is usual between -1 and 1 would drown it. Every move is tried
# once: the mean of all is worse than what is played.
SEARCH = "exploration=0.06,first_play=0.1,noise_fraction=0.25,move_value=1"
FACTS = Facts(
    levels=(
        "flat:20",
        "uct:100",
        *(f"uct:{budget},evaluator=guided" for budget in ("100", "1000", "5s")),
    ),
    max_simulations=200,
    advisor=Advisor(
        player="uct:2000,evaluator=guided",
        outcome="tile",
        letters=("from top to bottom", "towards the upper right", "towards the lower right"),
    ),
    recipes={
        "take-it-easy": Recipe(
            "PUCT with Dirichlet noise 0.25 / 0.3, scores as a distribution, 1,000 fixed deals "
            "after each generation",
            changes={
                "selfplay": {
                    "search": f"puct:76,{SEARCH}",
                    "temperature": 1.0,
                    "temperature_plies": 4,
                    "late_temperature": 0.0,
                },
                "replay": {"payoff_share": 0.2, "merge": False},
                "trainer": {"learning_rate": 0.001, "schedule": "cosine", "average": 0.999},
                "gate.games": 0,
                "benchmark": {"deals": 1000, "convergence_threshold": 0.2},
            },
            laptop={
                "network": {"layers": 3, "width": 256},
                "selfplay": {"games": 2048, "at_once": 512, "search": f"puct:38,{SEARCH}"},
                "replay.window": 400_000,
                "trainer": {"batch_size": 512, "epochs": 0.5, "horizon": 60},
            },
        ),
        "take-it-easy-expectimax": Recipe(
            "Afterstates by TD(lambda): the best move behind every draw, no sampled payoffs, no "
            "policy",
            default_on=(),
            changes={
                "network.bins": 308,
                "selfplay": {
                    "search": "expectimax",
                    "value_trace": 0.8,
                    "temperature": 0.0065,  # a point is 2 / 307 of payoff
                    "temperature_plies": 20,
                    "late_temperature": 0.0,
                },
                "replay": {"payoff_share": 0.0, "merge": False},
                "trainer": {
                    "learning_rate": 0.001,
                    "schedule": "cosine",
                    "average": 0.999,
                    "policy_weight": 0.0,
                    "trainings": 4.0,
                },
                "gate.games": 0,
                "benchmark": {"deals": 1000, "every": 10},
            },
            laptop={
                "network": {"layers": 3, "width": 256},
                "selfplay": {"games": 512, "at_once": 512, "draws": 3},
                "replay.window": 150_000,
                "trainer": {"batch_size": 512, "learning_rate": 0.002, "average": 0.99},
            },
        ),
    },
)
