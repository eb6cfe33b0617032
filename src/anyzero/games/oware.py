"""Oware (Abapa): sow seeds counter-clockwise, capture twos and threes; more than half of the seeds
wins.

An action is a house of the mover, 0 to 5 in the direction of sowing.
"""

from collections.abc import Sequence
from typing import get_args

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, Drawing, Integer, Planes, Stream, Word
from anyzero.core.compile.random import U, next_word, random_below
from anyzero.core.game.contract import GameBoard
from anyzero.core.game.facts import Facts, Recipe
from anyzero.core.game.game import Game, State
from anyzero.games import grid
from anyzero.games.oware_rules import (
    HALF,
    HOUSES,
    ILLEGAL,
    MOST_PLIES,
    STATE,
    TO_NOBODY,
    TO_OWNER,
    TOTAL,
    GrandSlam,
    LastSeeds,
    Oware,
    finish,
    forget,
    initial_state,
    legal_actions,
    legal_houses,
    payoffs,
    picks_table,
    play,
    score,
    seat_to_move,
    shift_of,
    sow,
    sowing_table,
    useful_houses,
)

GATHER = U(sum(1 << (40 - 7 * house) for house in range(HOUSES)))
"""Multiplied by a row's high bits: gathers them in bits 47 to 52."""

COUNTS = 16  # numbers of seeds that have their own feature
FEATURES = 2 * HOUSES * (COUNTS + 1) + 3
SIDES = "SN-"
HOUSE_NAMES = ("ABCDEF", "abcdef")
SEAT_NAMES = ("South", "North")

RADIUS = 0.46
ROW_Y = (1.7, 0.0)
STORE_X = (6.2, -1.2)
"""A house's radius; the first seat's row is the lower one, its store the right one."""


def make(
    plies: int = 200,
    grand_slam: GrandSlam = "takes_nothing",
    last_seeds: LastSeeds = "mover",
    repetition: bool = False,
) -> Game:
    """South owns the lower row of houses, North the upper one, with four seeds in each; more than
    24 seeds win.

    Take all seeds from one of your houses and sow them one by one into the next houses,
    counter-clockwise, skipping the one they came from. If the last seed brings a house in the other
    row to two or three, you capture its seeds, and those in the houses before it as long as they
    hold two or three. A move that would capture the whole other row captures nothing. If the other
    row is empty, you must sow into it; if you cannot, you take what is left and the game ends.
    After 200 moves the higher score wins, and 24 each is a draw. A move is the letter of a house: A
    to F, a to f.
    """
    if not 1 <= plies <= MOST_PLIES:
        raise BadOptionError(f"oware: plies must be from 1 to {MOST_PLIES}, not {plies}")
    slam = get_args(GrandSlam).index(grand_slam)
    last = get_args(LastSeeds).index(last_seeds)
    history = [
        ("origin", np.uint64, 2 if repetition else 0),
        ("moves", np.uint8, plies if repetition else 0),
    ]
    return Game(
        name="oware",
        rules=Oware(plies, slam, last, sowing_table(), picks_table()),
        state=[*STATE, *history],
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, score, encode, rollout),
            *(format_state, parse_state, moves, board, draw, move_number),
        ),
        num_actions=HOUSES,
        max_plies=plies,
        planes_shape=(FEATURES,),
        seat_names=SEAT_NAMES,
        example=(
            "F a C a F e B c E d E e F c C b A a E f F a A e E c F f C d A a C e E f D "
            "f F a E a F b B a F c"
        ),
        facts=FACTS,
    )


# --- for search and learning


def rollout(rules: Oware, state: State, actions: Actions, rng: Stream) -> int:
    start = np.int64(state.ply)
    if len(state.moves) == 0 and rules.grand_slam != ILLEGAL and not state.over:
        sow_at_random(rules, state, rng)
    while not state.over:
        seat = state.ply & 1
        flags = legal_houses(rules, state.houses[seat], state.houses[1 - seat])
        shift = pick_house(rules, flags, U(random_below(rng, 60)))
        play(rules, state, HOUSES - 1 - (shift >> 3))
    return np.int64(state.ply) - start  # type: ignore[return-value]


def sow_at_random(rules: Oware, state: State, rng: Stream) -> None:
    """Finish a game that needs no history and has no illegal grand slam; a random word is enough
    for four moves.
    """
    stopped: Integer = False
    ply = np.int64(state.ply)
    seat = state.ply & 1
    row = state.houses[seat]
    other_row = state.houses[1 - seat]
    my_store = np.int64(state.stores[seat])
    their_store = np.int64(state.stores[1 - seat])
    flags = useful_houses(row, other_row)
    bits = next_word(rng) >> U(6)
    while flags and not stopped:
        bits = (next_word(rng) >> U(6) if ply & 3 == 0 else bits & U(0x03FFFFFFFFFFFFFF)) * U(60)
        after, row, taken = sow(rules, row, other_row, U(pick_house(rules, flags, bits >> U(58))))
        other_row = after
        my_store, their_store = their_store, my_store + taken
        ply += 1
        stopped = their_store > HALF or ply == rules.plies
        flags = useful_houses(row, other_row)
    seat = ply & 1
    state.houses[seat] = row
    state.houses[1 - seat] = other_row
    state.stores[seat] = my_store
    state.stores[1 - seat] = their_store
    state.ply = ply
    finish(rules, state, stopped)


def pick_house(rules: Oware, flags: Word, draw: Integer) -> int:
    """The shift of the byte of a house with its high bit in `flags`, for a uniform draw from 0 to
    59.
    """
    houses = flags * GATHER >> U(47) & U(63)
    return np.int64(rules.picks[(draw << U(6)) + houses])  # type: ignore[return-value]


def encode(rules: Oware, state: State, planes: Planes) -> None:
    """Each house, the mover's first: 0 to 15 seeds one-hot, and the excess; both stores; the
    ply.
    """
    seat = state.ply & 1
    for index in range(2 * HOUSES):
        row = state.houses[seat if index < HOUSES else 1 - seat]
        seeds: Integer = np.int64(row >> U(shift_of(index % HOUSES)) & U(255))
        first = index * (COUNTS + 1)
        planes[first + min(seeds, COUNTS - 1)] = 1.0
        planes[first + COUNTS] = max(seeds - (COUNTS - 1), 0) / (TOTAL - COUNTS + 1)
    planes[FEATURES - 3] = min(state.stores[seat] / HALF, 1.0)
    planes[FEATURES - 2] = min(state.stores[1 - seat] / HALF, 1.0)
    planes[FEATURES - 1] = state.ply / rules.plies


# --- text and picture


def seeds_of(row: Word) -> list[int]:
    """The seeds of a row's houses, in the direction of sowing."""
    return [int(row) >> shift_of(house) & 255 for house in range(HOUSES)]


def format_state(rules: Oware, state: State) -> str:
    """Rows, stores, side to move and ply; with the repetition rule, the rows after the last
    capture, and the moves.
    """
    moves = [int(move) for move in state.moves[: state.num_moves]]
    ply = int(state.ply) - len(moves)
    rows = state.origin if len(state.moves) else state.houses
    text = "/".join(",".join(map(str, seeds_of(row))) for row in rows)
    text += f" {state.stores[0]}-{state.stores[1]} {'-' if state.over else SIDES[ply & 1]} {ply}"
    if len(state.moves):
        text += " " + (
            "".join(HOUSE_NAMES[(ply + index) & 1][move] for index, move in enumerate(moves)) or "-"
        )
    return text


def parse_state(rules: Oware, state: State, text: str) -> None:
    names = [
        "houses",
        "seeds taken",
        "side to move",
        "ply",
        *(["moves"] if len(state.moves) else []),
    ]
    houses, stores, side, ply, *moves = grid.split_fields(text, names)
    for seat, row in enumerate(grid.split_fields(houses, SEAT_NAMES, "/")):
        counts = parse_counts(row, HOUSE_NAMES[seat], ",")
        state.houses[seat] = sum(seeds << shift_of(house) for house, seeds in enumerate(counts))
    state.stores[:] = parse_counts(stores, SEAT_NAMES, "-")
    state.ply = grid.parse_number(ply, 0, rules.plies, "the ply")
    state.over = grid.parse_choice(side, SIDES, "the side to move") == SIDES.index("-")
    if (
        total := sum(map(int, state.stores)) + sum(sum(seeds_of(row)) for row in state.houses)
    ) != TOTAL:
        raise ValueError(f"there are {total} seeds in the houses and taken, not {TOTAL}")
    check_side(rules, state, side)
    forget(state)
    for name in moves[0] if moves and moves[0] != "-" else "":
        house = HOUSE_NAMES[state.ply & 1].find(name)
        actions = np.zeros(HOUSES, np.int32)
        if state.over or house not in actions[: legal_actions(rules, state, actions)]:
            raise ValueError(f"{name!r} is not a legal move at ply {state.ply}")
        play(rules, state, house)


def parse_counts(text: str, names: Sequence[str], separator: str) -> list[int]:
    words = grid.split_fields(text, names, separator)
    return [
        grid.parse_number(word, 0, TOTAL, f"the count of {name}")
        for word, name in zip(words, names, strict=True)
    ]


def check_side(rules: Oware, state: State, side: str) -> None:
    """ValueError unless the game is running with this side to move, or ends in this position."""
    seat = int(state.ply) & 1
    stuck = not legal_houses(rules, state.houses[seat], state.houses[1 - seat])
    stopped = max(state.stores) > HALF or state.ply == rules.plies
    if not state.over and (stopped or stuck):
        raise ValueError("the game is over here, so the side to move is '-'")
    if not state.over and side != SIDES[seat]:
        raise ValueError(f"{SIDES[seat]} moves at ply {state.ply}, not {side}")
    ended = stopped or len(state.moves) > 0 or (stuck and rules.last_seeds == TO_NOBODY)
    if state.over and state.houses.any() and (rules.last_seeds == TO_OWNER or not ended):
        raise ValueError("no game ends with these seeds in the houses")


def moves(rules: Oware) -> Sequence[str]:
    """The houses of both rows."""
    return tuple("".join(HOUSE_NAMES))


def board(rules: Oware) -> GameBoard:
    """The board as the first seat sees it: sowing goes right in the lower row and left in the upper
    row.
    """
    from anyzero.views import Board, Cell, Label, Polygon
    from anyzero.views.boards import pile_of_seeds, rounded

    cells = []
    labels = []
    for seat, names in enumerate(HOUSE_NAMES):
        for house, name in enumerate(names):
            x, y = float(house if seat == 0 else HOUSES - 1 - house), ROW_Y[seat]
            cells.append(
                Cell(
                    name,
                    rounded(x, y, 2 * RADIUS, 2 * RADIUS, radius=RADIUS),
                    "board-dark",
                    text="0",
                )
            )
            labels.append(Label(x, y + (-0.62, 0.62)[seat], name, 0.26, "muted"))
        labels.append(Label(STORE_X[seat], 0.85, f"{{{seat}}}", 0.6, "ink", bold=True))
        labels.append(Label(STORE_X[seat], (1.98, -0.28)[seat], SEAT_NAMES[seat], 0.26, "muted"))
    stores = [
        Polygon(rounded(x, 0.85, 1.1, 2.7, radius=0.4), "board-dark", "line", 0.025)
        for x in STORE_X
    ]
    return Board(
        tuple(cells),
        tuple(pile_of_seeds(seat, num) for seat in range(2) for num in range(1, TOTAL + 1)),
        captions=tuple(f"{text}, {{0}} : {{1}}" for text in grid.captions(SEAT_NAMES)),
        under=(Polygon(rounded(2.5, 0.85, 9.0, 3.7, radius=0.4), "board", "frame", 0.1), *stores),
        over=tuple(labels),
        text_scale=(4, 2),
        title="Oware",
    )


def draw(rules: Oware, state: State, shown: Drawing) -> None:
    for seat in range(2):
        shown.numbers[seat] = state.stores[seat]
        for house in range(HOUSES):
            seeds = np.int64(state.houses[seat] >> U(shift_of(house)) & U(255))
            shown.pieces[seat * HOUSES + house] = seat * TOTAL + seeds if seeds > 0 else 0
    lead = state.stores[0] - state.stores[1]
    shown.caption = (2 if lead > 0 else (3 if lead < 0 else 4)) if state.over else state.ply & 1


def move_number(rules: Oware, state: State, action: int) -> int:
    return (state.ply & 1) * HOUSES + action  # type: ignore[no-any-return]


# --- facts for levels, ladders, training, files and the page


FACTS = Facts(
    max_simulations=1000,
    judge="houses",
    recipes={
        "oware": Recipe(
            "Gumbel search with 48 simulations, values that count fully, no gate",
            default_on=("cuda",),  # where a gate would take most of the time
            changes={
                "selfplay": {
                    "search": "gumbel:48,value_scale=1,gumbel_scale=1",
                    "opening_plies": 6,
                    "temperature_plies": 20,
                },
                "replay": {"payoff_share": 0.4, "payoff_share_end": 0.8},
                "trainer": {"learning_rate": 0.0015, "schedule": "cosine"},
                "gate.games": 0,
                "league": {"every": 20, "anchors": ["random", "uct:100", "uct:1000"]},
            },
            laptop={
                "network": {"layers": 3, "width": 256},
                "selfplay": {"games": 512, "at_once": 512},
                "replay.window": 300_000,
                "trainer.batch_size": 512,
            },
        ),
        "oware-cgzero": Recipe(
            "CGZero's way: an MLP, equal positions merged, payoff and root value mixed, two "
            "champions, a gate at 55 %",
            default_on=("cpu",),
            changes={
                "selfplay": {
                    "search": "puct:40,noise_fraction=0.25,noise_concentration=1,log_visits=1",
                    "temperature_plies": 20,
                    "two_champions": True,
                    "recent_share": 0.1,
                    "opening_plies": 4,
                },
                "replay": {
                    "merge": True,
                    "fade": 0.02,
                    "fade_floor": 0.7,
                    "by_count": True,
                    "payoff_share": 0.4,
                    "payoff_share_end": 0.8,
                },
                "trainer": {"learning_rate": 0.001, "schedule": "one-cycle"},
                "gate": {"games": 32, "threshold": 0.55},
                "league": {"every": 5, "anchors": ["random", "uct:100", "uct:1000"]},
            },
            laptop={
                "network": {"layers": 3, "width": 256},
                "selfplay": {"games": 512, "at_once": 512},
                "replay.window": 300_000,
                "trainer": {"batch_size": 512, "epochs": 1.0},
            },
        ),
    },
)
