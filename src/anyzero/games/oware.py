"""Oware (Abapa): sow seeds counter-clockwise, capture twos and threes; more than half of the seeds
wins.

An action is a house of the mover, 0 to 5 in the direction of sowing. A row of six houses is one
word, a byte per house with house 0 in the highest, so that going back through the houses goes up
through the word: one addition tests all houses at once, and the carry of another follows the
captured houses.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, Drawing, Integer, Numbers, Planes, Stream, Word
from anyzero.core.compile.random import U, next_word, random_below
from anyzero.core.game.contract import OVER
from anyzero.core.game.facts import Facts, Recipe
from anyzero.core.game.game import Game, State
from anyzero.core.game.picture import GameBoard
from anyzero.games import grid

HOUSES = 6
SEEDS_A_HOUSE = 4
TOTAL = 48
HALF = 24
MOST_PLIES = 1000
GrandSlam = Literal["takes_nothing", "takes_all", "illegal"]
TAKES_NOTHING, TAKES_ALL, ILLEGAL = range(3)
LastSeeds = Literal["mover", "owner", "nobody"]
TO_MOVER, TO_OWNER, TO_NOBODY = range(3)

ONES = U(0x010101010101)  # one seed in every house of a row
HIGH_BITS = U(0x808080808080)
FILLED = U(0x7F7F7F7F7F7F)  # added to a row, sets the high bit of each house with seeds
FEEDING = U(
    0x7A7B7C7D7E7F
)  # added to a row, sets the high bit of each house whose seeds reach the other row
TWOS = U(0x020202020202)
UPPER_BITS = U(0xFEFEFEFEFEFE)
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
STATE = [
    ("houses", np.uint64, 2),
    ("stores", np.int8, 2),
    ("ply", np.int16),
    ("num_moves", np.int16),
    ("over", np.int8),
]
"""The repetition rule adds `origin`, the rows after the last capture, and `moves`, those played
since.
"""


class Oware(NamedTuple):
    plies: int
    grand_slam: int
    last_seeds: int
    sowing: np.ndarray
    """Four words for each (place of a house, seeds), 64 seeds per place: what sowing adds to the
    mover's row, to the
    other row, the low bit of the last house if that is in the other row, and a zero."""
    picks: np.ndarray
    """For a draw from 0 to 59 and a set of houses, 64 sets per draw: the shift of the drawn house's
    byte.
    """


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


def sowing_table() -> np.ndarray:
    """The starting house is skipped on every lap."""
    table = np.zeros((HOUSES, 64, 4), np.uint64)
    for house in range(HOUSES):
        ring = [(house + step) % (2 * HOUSES) for step in range(1, 2 * HOUSES)]
        for seeds in range(1, TOTAL + 1):
            targets = [ring[seed % len(ring)] for seed in range(seeds)]
            bits = [1 << shift_of(target % HOUSES) for target in targets]
            same_row = sum(
                bit for target, bit in zip(targets, bits, strict=True) if target < HOUSES
            )
            last = bits[-1] if targets[-1] >= HOUSES else 0
            table[shift_of(house) // 8, seeds, :3] = same_row, sum(bits) - same_row, last
    return table.ravel()


def picks_table() -> np.ndarray:
    """60 is a multiple of every number of houses, so that a uniform draw picks uniformly from every
    set.
    """
    table = np.zeros((60, 64), np.uint8)
    for houses in range(1, 64):
        places = [place for place in range(HOUSES) if houses >> place & 1]
        table[:, houses] = [8 * places[draw % len(places)] for draw in range(60)]
    return table.ravel()


# --- rules


def shift_of(house: int) -> int:
    """The shift of a house's byte in the word of its row."""
    return 8 * (HOUSES - 1 - house)


def initial_state(rules: Oware, state: State) -> None:
    state.houses[0] = state.houses[1] = ONES * U(SEEDS_A_HOUSE)
    forget(state)


def seat_to_move(rules: Oware, state: State) -> int:
    return OVER if state.over else state.ply & 1


def legal_actions(rules: Oware, state: State, actions: Actions) -> int:
    seat = state.ply & 1
    count = 0
    flags = legal_houses(rules, state.houses[seat], state.houses[1 - seat])
    for house in range(HOUSES):
        if flags & (U(0x80) << U(shift_of(house))):
            actions[count] = house
            count += 1
    return count


def useful_houses(row: Word, other_row: Word) -> Word:
    """The high bits of the mover's houses with seeds; if the other row is empty, of those that feed
    it.
    """
    return (row + (FILLED if other_row else FEEDING)) & HIGH_BITS


def legal_houses(rules: Oware, row: Word, other_row: Word) -> Word:
    """The high bits of the houses from which the mover may sow."""
    flags = useful_houses(row, other_row)
    if rules.grand_slam == ILLEGAL:
        for shift in range(0, 8 * HOUSES, 8):
            high = U(0x80) << U(shift)
            if flags & high:
                _, left, taken = sow(rules, row, other_row, U(shift))
                if taken > 0 and left == U(0):
                    flags ^= high
    return flags


def sow(rules: Oware, row: Word, other_row: Word, shift: Integer) -> tuple[Word, Word, int]:
    """The mover's row and the other one after the move, and the number of seeds captured.

    It captures from adjacent houses with two or three seeds, back from the last house sown: a carry
    runs through them.
    """
    seeds = row >> shift & U(255)
    entry = np.int64((shift << U(3)) + seeds) * 4
    row = (row ^ (seeds << shift)) + rules.sowing[entry]
    other_row = other_row + rules.sowing[entry + 1]
    others = ((other_row ^ TWOS) & UPPER_BITS) + FILLED  # high bit: neither two nor three
    takable = (~others >> U(7) & ONES) * U(255)
    caught = other_row & takable & ~(takable + rules.sowing[entry + 2])
    if caught == U(0) or (caught == other_row and rules.grand_slam == TAKES_NOTHING):
        return row, other_row, 0
    return row, other_row ^ caught, count_seeds(caught)


def count_seeds(row: Word) -> int:
    half = (row + (row >> U(24))) & U(0xFFFFFF)
    return np.int64(half * U(0x010101) >> U(16) & U(255))  # type: ignore[return-value]


def play(rules: Oware, state: State, action: int) -> None:
    seat = state.ply & 1
    row, other_row, taken = sow(
        rules, state.houses[seat], state.houses[1 - seat], U(shift_of(action))
    )
    state.houses[seat] = row
    state.houses[1 - seat] = other_row
    state.stores[seat] += taken
    state.ply += 1
    stopped = (
        remember(rules, state, action, taken)
        or state.stores[seat] > HALF
        or state.ply == rules.plies
    )
    if stopped or legal_houses(rules, other_row, row) == U(0):
        finish(rules, state, stopped)


def finish(rules: Oware, state: State, stopped: bool) -> None:
    """End the game: it was stopped, or the seat to move has no move."""
    state.over = 1
    if rules.last_seeds == TO_OWNER or (rules.last_seeds == TO_MOVER and not stopped):
        for row in range(2):
            taker = row if rules.last_seeds == TO_OWNER else state.ply & 1
            state.stores[taker] += count_seeds(state.houses[row])
            state.houses[row] = U(0)
    forget(state)


def payoffs(rules: Oware, state: State, out: Numbers) -> None:
    lead = state.stores[0] - state.stores[1]
    out[0] = 1.0 if lead > 0 else (-1.0 if lead < 0 else 0.0)
    out[1] = -out[0]


def score(rules: Oware, state: State, seat: int) -> float:
    return float(state.stores[seat])


# --- the repetition rule


def remember(rules: Oware, state: State, action: int, taken: int) -> bool:
    """Record the move; whether the same seat has had the same rows since the last capture.

    Without the rule, record nothing and return False.
    """
    if len(state.moves) == 0 or taken > 0:  # no earlier position can recur
        forget(state)
        return False
    state.moves[state.num_moves] = action
    state.num_moves += 1
    seat = (state.ply - state.num_moves) & 1
    last = state.ply & 1
    row = state.origin[seat]
    other_row = state.origin[1 - seat]
    for move in range(state.num_moves):
        if seat == last and row == state.houses[seat] and other_row == state.houses[1 - seat]:
            return True
        after, row, _ = sow(rules, row, other_row, U(shift_of(np.int64(state.moves[move]))))  # type: ignore[arg-type]
        other_row = after
        seat = 1 - seat
    return False


def forget(state: State) -> None:
    if len(state.moves) > 0:
        for seat in range(2):
            state.origin[seat] = state.houses[seat]
        for move in range(state.num_moves):
            state.moves[move] = 0
        state.num_moves = 0


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
                    "simulations": 48,
                    "value_scale": 1.0,
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
                    "method": "puct",
                    "simulations": 40,
                    "final": "value+log visits",
                    "noise_concentration": 1.0,
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
