"""Take It Easy: its truths by exact counting, its board by hand, and its rollouts against the exact
mean.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyzero.core.base.errors import BadPositionError, IllegalMoveError
from anyzero.core.base.files import write_whole
from anyzero.core.compile.random import make_streams
from anyzero.core.game.contract import CHANCE, OVER, guided_rollout
from anyzero.core.game.load import load
from anyzero.core.game.rollouts import rollouts
from anyzero.games.take_it_easy import BEST_SCORE, FEATURES, TILE_TEXTS
from anyzero.games.take_it_easy_guide import CERTAIN, POINT, draw_chance, guided_cell, write_gains
from anyzero.games.take_it_easy_tiles import LINES, NUM_CELLS, TILES, VALUES
from anyzero.tools.arena import match
from anyzero.tools.laws.check import check_game
from anyzero.tools.laws.evidence import observe
from tests import OWN

START = ".,.,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. ."
BEST = "563,578,524/568,573,528,564/164,178,123,168,174/974,928,963,978/924,968,973 ."
EXACT_MEAN = Fraction(15981, 1495)


@pytest.fixture(scope="module")
def easy():
    return load("take_it_easy")


def tiles_of(text: str) -> list[int]:
    return [TILE_TEXTS.index(word) for word in text.split()[0].replace("/", ",").split(",")]


def turned(text: str) -> str:
    """The board after a half turn; tiles are not turned with it."""
    board, hand = text.split()
    words = board.replace("/", ",").split(",")[::-1]
    starts = (0, 3, 7, 12, 16, 19)
    columns = [",".join(words[start:end]) for start, end in pairwise(starts)]
    return f"{'/'.join(columns)} {hand}"


def board_score(tiles: list[int]) -> int:
    """The points of 19 tiles by the words of the rules."""
    total = 0
    for line, cells in enumerate(LINES):
        shown = {TILES[tiles[cell]][line // 5] for cell in cells}
        total += len(cells) * shown.pop() if len(shown) == 1 else 0
    return total


# --- rules


def test_the_lines_are_columns_and_diagonals_of_one_hexagon():
    """Every cell is on one line of each direction, and cells on a line are neighbours in one
    direction of the board.
    """
    places = [(column, row) for column, size in enumerate((3, 4, 5, 4, 3)) for row in range(size)]
    centres = [(2 * column, 2 * row - (3, 4, 5, 4, 3)[column]) for column, row in places]
    steps = ((0, 2), (2, -1), (2, 1))
    assert len(LINES) == 15
    assert [len(line) for line in LINES] == [3, 4, 5, 4, 3] * 3
    for number, line in enumerate(LINES):
        for before, after in pairwise(line):
            step = tuple(np.subtract(centres[after], centres[before]))
            assert step == steps[number // 5]
    for direction in range(3):
        assert sorted(
            cell for line in LINES[5 * direction : 5 * direction + 5] for cell in line
        ) == list(range(19))


def test_there_are_27_different_tiles():
    assert len(set(TILES)) == 27
    assert set(TILES) == set(product((1, 5, 9), (2, 6, 7), (3, 4, 8)))


def test_chance_draws_and_the_seat_places(easy):
    state = easy.initial_state()
    assert easy.seat_to_move(state) == CHANCE
    assert easy.legal_moves(state) == list(TILE_TEXTS)
    state = easy.play(state, "168")
    assert easy.seat_to_move(state) == 0
    assert easy.legal_moves(state) == [str(cell) for cell in range(19)]
    state = easy.play(state, "9")
    assert easy.format_state(state) == ".,.,./.,.,.,./.,.,168,.,./.,.,.,./.,.,. ."
    assert "168" not in easy.legal_moves(state)
    assert "9" not in easy.legal_moves(easy.play(state, "123"))


def test_after_nineteen_tiles_it_is_over_and_eight_were_never_seen(easy):
    record = observe(easy, seed=3, rows=40)
    assert len(record.seats) == 39
    assert record.seats.tolist() == [CHANCE, 0] * 19 + [OVER]
    assert int(record.states[-1].left).bit_count() == 8


def test_every_tile_left_is_drawn_with_the_same_weight(easy):
    state = easy.play(easy.play(easy.initial_state(), "168"), "0")
    assert {easy.chance_weight(state, outcome) for outcome in easy.legal_actions(state)} == {1.0}


def test_the_state_holds_no_order_of_the_tiles_to_come(easy):
    """Two ways to the same board, with other draws in another order, lead to the same bytes."""
    one, other = easy.initial_state(), easy.initial_state()
    for move in ("168", "0", "974", "18", "523"):
        one = easy.play(one, move)
    for move in ("974", "18", "168", "0", "523"):
        other = easy.play(other, move)
    assert one.tobytes() == other.tobytes()


# --- scoring


def test_a_full_line_of_one_number_scores_the_number_once_for_each_tile(easy):
    assert easy.score(easy.parse_state("968,923,974/.,.,.,./.,.,.,.,./.,.,.,./.,.,. .")) == 27
    assert easy.score(easy.parse_state("164,.,./563,.,.,./968,.,.,.,./.,.,.,./.,.,. .")) == 18
    assert easy.score(easy.parse_state("128,.,./.,578,.,./.,.,968,.,./.,.,928,./.,.,178 .")) == 40


def test_a_broken_or_an_open_line_scores_nothing(easy):
    assert easy.score(easy.parse_state("968,923,574/.,.,.,./.,.,.,.,./.,.,.,./.,.,. .")) == 0
    assert easy.score(easy.parse_state("968,923,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. .")) == 0
    assert easy.score(easy.parse_state("968,923,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. 974")) == 0


def test_the_best_board_scores_307(easy):
    """Hand count: columns 3*5 + 4*5 + 5*1 + 4*9 + 3*9 = 103, up 3*6 + 4*7 + 5*2 + 4*6 + 3*7 = 101,
    and 103 down.
    """
    state = easy.parse_state(BEST)
    assert easy.score(state) == board_score(tiles_of(BEST)) == BEST_SCORE == 307
    assert easy.payoffs(state).tolist() == [1.0]
    assert easy.scene(state).caption == "the end: 307 points"


def test_sixteen_boards_of_fifteen_full_lines_score_307():
    """Exhaustive over the 3**15 choices of a number for each line; the half turn pairs the
    boards.
    """
    choices = np.array(list(product(range(3), repeat=5)))
    shown, points = [], []
    for direction in range(3):
        lines = LINES[5 * direction : 5 * direction + 5]
        line_of = [
            next(number for number, line in enumerate(lines) if cell in line) for cell in range(19)
        ]
        shown.append(choices[:, line_of])
        points.append(
            np.array(VALUES[direction])[choices] @ np.array([len(line) for line in lines])
        )
    found = set()
    for down, up in product(range(243), repeat=2):
        tiles = shown[0][down] * 9 + shown[1][up] * 3
        if np.bincount(tiles, minlength=27).max() <= 3:
            good = np.flatnonzero(points[0][down] + points[1][up] + points[2] >= BEST_SCORE)
            found |= {
                tuple(board)
                for board in (tiles + shown[2][good]).tolist()
                if len(set(board)) == NUM_CELLS
            }
    assert len(found) == 16
    assert {board_score(board) for board in found} == {307}
    assert {board[::-1] for board in found} == found


def test_the_half_turn_keeps_the_score_and_turns_the_encoding(easy):
    (turn,) = easy.symmetries
    for seed in range(20):
        record = observe(easy, seed=seed, rows=40)
        for state in record.states[::7]:
            other = easy.parse_state(turned(easy.format_state(state)))
            assert easy.score(other) == easy.score(state)
            assert np.array_equal(easy.encode(state)[turn.planes], easy.encode(other))
    assert turn.actions.tolist() == list(range(18, -1, -1))


def test_the_incremental_score_is_that_of_the_rules_in_words(easy):
    for seed in range(50):
        state = observe(easy, seed=seed, rows=40).states[-1]
        assert easy.score(state) == board_score([int(number) - 1 for number in state.cells])


# --- rollouts


def test_the_exact_mean_of_random_play_follows_from_the_lines():
    """A line of n cells shows one number with the chance that n of 27 tiles are all among the nine
    that carry it.
    """
    mean = sum(
        Fraction(math.comb(9, len(line)), math.comb(27, len(line)))
        * len(line)
        * sum(VALUES[number // 5])
        for number, line in enumerate(LINES)
    )
    assert mean == EXACT_MEAN


def test_a_million_rollouts_have_the_exact_mean(easy):
    """Both intervals are 5.5 standard errors wide: a false alarm has a chance below 1e-7; a shift
    of 0.1 is found.
    """
    num = 1_000_000
    found = rollouts(easy, easy.initial_state(), num, seed=5)
    scores = np.rint((found.payoffs[:, 0] + 1.0) / 2.0 * BEST_SCORE)
    assert abs(scores.mean() - float(EXACT_MEAN)) < 5.5 * scores.std() / math.sqrt(num)
    assert abs((scores == 0).mean() - 0.510) < 0.0005 + 5.5 * math.sqrt(0.25 / num)
    assert scores.max() <= BEST_SCORE
    assert (found.moves == 38).all()


def test_a_rollout_finishes_a_game_that_has_begun(easy):
    """All but the last cell is filled with the best board: only tile 973 completes its last three
    lines.
    """
    state = easy.parse_state(BEST.replace("973 .", ". ."))
    sums = rollouts(easy, state, 2000, seed=1)
    scores = Counter(np.rint((sums.payoffs[:, 0] + 1) / 2 * BEST_SCORE).astype(int).tolist())
    endings = {
        easy.score(easy.play(easy.play(state, tile), "18")) for tile in easy.legal_actions(state)
    }
    assert set(scores) == endings
    assert max(scores) == 307
    held = easy.play(state, "973")
    assert (rollouts(easy, held, 10).payoffs == 1.0).all()
    assert (rollouts(easy, held, 10).moves == 1).all()


# --- guided rollouts

GUIDED = """
from dataclasses import replace
from anyzero.games import take_it_easy

def rollout(rules, state, actions, rng):
    return take_it_easy_guided(rules, state, actions, rng)

take_it_easy_guided = take_it_easy.guided_rollout

def make():
    game = take_it_easy.make()
    others = [own for own in game.functions if own.__name__ != "rollout"]
    return replace(game, functions=[*others, rollout])
"""


@pytest.fixture(scope="module")
def guided():
    """The game with the guided rollout in the place of the random one, for whatever plays rollouts.

    Always at the same place: code is kept for a file's path.
    """
    OWN.mkdir(exist_ok=True)
    write_whole(OWN / "guided_take_it_easy.py", GUIDED.encode())
    return load(str(OWN / "guided_take_it_easy.py"))


def finish(easy, state, seed: int, target: str = "cpu"):
    """The state after a guided rollout, and the number of its moves."""
    after = easy.new_states(1)
    after[0] = state
    moves = easy.compile(guided_rollout, target)(
        easy.rules, after[0], easy.new_actions(), make_streams(seed, 1)[0]
    )
    return after[0], moves


def test_a_guided_rollout_ends_in_a_finished_legal_game(easy):
    """From every position of random games, with a tile in hand and without."""
    for seed in range(10):
        record = observe(easy, seed=seed, rows=40)
        for row, state in enumerate(record.states):
            after, moves = finish(easy, state, seed)
            assert easy.is_over(after)
            assert moves == 38 - row
            assert easy.parse_state(easy.format_state(after)).tobytes() == after.tobytes()
            placed = state.cells > 0
            assert (after.cells[placed] == state.cells[placed]).all()
            assert not state.hand or state.hand in after.cells


def test_a_guided_rollout_places_the_same_tiles_interpreted_and_compiled(easy):
    for seed in range(5):
        compiled, plain = (
            finish(easy, easy.initial_state(), seed, target) for target in ("cpu", "interpreted")
        )
        assert compiled[0].tobytes() == plain[0].tobytes()
        assert compiled[1] == plain[1] == 38


@pytest.mark.usefixtures("simulator")
def test_a_guided_rollout_places_the_same_tiles_on_a_simulated_gpu(guided):
    _, result = check_game(guided, "simulated GPU is compiled", seed=3)
    assert result.verdict == "ok", result.detail


def test_guided_rollouts_are_far_better_than_random_play(guided):
    """Their mean is 161.5, with a standard error of 0.14 here: a false alarm needs 7 of them, a
    chance below 1e-11.

    Random play has 10.69; a rule that became worse by two points is found.
    """
    found = rollouts(guided, guided.initial_state(), 40_000, seed=11)
    scores = np.rint((found.payoffs[:, 0] + 1.0) / 2.0 * BEST_SCORE)
    assert scores.mean() > 160.5
    assert scores.max() <= BEST_SCORE


def test_the_chance_of_enough_tiles_is_hypergeometric():
    assert draw_chance(1, 1, 3) == 3 / 9  # one of nine tiles is drawn
    assert draw_chance(2, 2, 3) == 3 / 45  # both of two draws from ten tiles: 3 of the 45 pairs
    assert draw_chance(18, 0, 9) == 1.0
    assert draw_chance(18, 5, 4) == 0.0
    assert draw_chance(0, 1, 8) == 0.0


def test_the_gain_of_a_placement_is_that_of_its_lines(easy):
    """Two 9s in the first column; the third would fill it.

    Six 9s are left among 24 tiles, of which 16 are drawn: none of them with the chance C(18, 16) /
    C(24, 16).
    """
    state = easy.parse_state("968,923,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. 974")
    gains = easy.new_actions()
    write_gains(easy.rules, state, gains)
    waits = 27 * 0.75 * (1 - math.comb(18, 16) / math.comb(24, 16))
    assert gains[0] / (POINT * CERTAIN) == pytest.approx(27 - waits, abs=0.01)
    write_gains(
        easy.rules, easy.parse_state("968,923,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. 574"), gains
    )
    waits = 27 * 0.75 * (1 - math.comb(17, 16) / math.comb(24, 16))  # seven 9s are left
    assert gains[0] / (POINT * CERTAIN) == pytest.approx(-waits, abs=0.01)


@pytest.mark.parametrize(
    ("position", "cell"),
    [
        (
            "563,578,524/568,573,528,564/164,178,.,168,174/974,928,963,978/924,.,973 123",
            9,
        ),  # a 1, a 2 and a 3
        ("563,578,524/568,573,528,564/164,178,.,168,174/974,928,963,978/924,.,973 968", 17),
    ],
)
def test_the_guide_completes_lines(easy, position, cell):
    assert guided_cell(easy.rules, easy.parse_state(position), easy.new_actions()) == cell


@pytest.mark.slow
def test_a_search_with_guided_rollouts_passes_120_points():
    """Its mean is 164 with a standard deviation of 28: 30 deals below 120 have a chance below
    1e-15.
    """
    searching = "uct:200,evaluator=guided,exploration=0.2,expand_after=20,final=value"
    standings = match("take_it_easy", searching, "random", games=60, workers=1)
    assert not standings.forfeits
    assert standings.means[0] > 120.0


# --- for search and learning


def test_amaf_keys_are_tile_and_cell(easy):
    state = easy.play(easy.initial_state(), "168")
    keys = [easy.amaf_key(state, cell) for cell in range(19)]
    assert keys == [TILE_TEXTS.index("168") * 19 + cell for cell in range(19)]


def test_the_encoding_shows_board_hand_deck_and_lines(easy):
    planes = easy.encode(easy.parse_state("168,.,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. 974"))
    assert planes.shape == (FEATURES,) == (288,)
    cells, hand, left, shows, fill = np.split(planes[:-1], [190, 200, 227, 272])
    cells = cells.reshape(10, 19)
    assert np.argwhere(cells[:9]).tolist() == [[0, 0], [4, 0], [8, 0]]  # 1, 6 and 8 on cell 0
    assert cells[9].tolist() == [0.0] + [1.0] * 18
    assert hand.tolist() == [0, 0, 1, 0, 0, 1, 0, 1, 0, 1]  # 9, 7, 4, and a tile is there
    assert [TILE_TEXTS[tile] for tile in np.flatnonzero(left == 0)] == ["168", "974"]
    shows = shows.reshape(15, 3)
    assert shows[[0, 5, 12]].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert np.delete(shows, [0, 5, 12], axis=0).all()
    assert fill[[0, 5, 12]].tolist() == np.float32([1 / 3, 1 / 3, 1 / 5]).tolist()
    assert planes[-1] == np.float32(1 / 19)


def test_at_a_chance_node_the_encoding_is_the_afterstate(easy):
    planes = easy.encode(easy.parse_state("168,.,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. ."))
    assert not planes[190:200].any()


# --- text and picture


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("168", "expected 2 parts"),
        (".,.,./.,.,./.,.,.,.,./.,.,.,./.,.,. .", "3, 3, 5, 4, 3 cells, not 3, 4, 5, 4, 3"),
        ("169,.,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. .", "'169' is not a tile"),
        ("١٦٨,.,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. .", "is not a tile"),
        ("168,168,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. .", "only one tile 168"),
        ("168,.,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. 168", "only one tile 168"),
        (BEST[:-1] + "124", "the board is full"),
    ],
)
def test_a_wrong_text_is_told_what_is_wrong(easy, text, reason):
    with pytest.raises(BadPositionError, match=reason):
        easy.parse_state(text)


WORDS = st.sampled_from([".", ".", ".", *TILE_TEXTS, "169", "", "0"])
BOARDS = st.lists(WORDS, min_size=19, max_size=19).map(
    lambda words: "/".join(
        ",".join(words[a:b]) for a, b in ((0, 3), (3, 7), (7, 12), (12, 16), (16, 19))
    )
)
PERMUTED = st.builds(
    lambda tiles, num, hand: turned(
        turned(f"{','.join((list(tiles) + ['.'] * 19)[:num] + ['.'] * (19 - num))} {hand}")
    ),
    st.permutations(TILE_TEXTS),
    st.integers(0, 19),
    WORDS.filter(bool),
)


@given(st.one_of(st.text(), st.builds("{} {}".format, BOARDS, WORDS), PERMUTED))
@example("\0 \0")
@example("/,/,, .")
def test_any_text_is_a_position_that_can_be_played_or_a_clear_error(easy, text):
    try:
        state = easy.parse_state(text)
    except BadPositionError:
        return
    assert easy.parse_state(easy.format_state(state)).tobytes() == state.tobytes()
    while actions := easy.legal_actions(state):
        state = easy.play(state, actions[len(actions) // 2])
    assert 0 <= easy.score(state) <= BEST_SCORE


@given(st.text(max_size=4))
def test_any_text_is_a_move_or_a_clear_error(easy, text):
    for state in (easy.initial_state(), easy.play(easy.initial_state(), "168")):
        try:
            action = easy.parse_action(state, text)
        except IllegalMoveError:
            continue
        assert easy.format_action(state, action) == text.strip()


def test_the_picture_is_readable_in_a_terminal(easy):
    state = easy.parse_state("964,.,968/.,923,.,./578,.,.,.,./.,.,.,./563,.,174 963")
    text = easy.show(state).text
    *rows, caption = [line.split() for line in text.replace("in hand", "").split("\n")]
    assert rows == [
        ["578"],
        ["3", "12"],
        ["964", "8", "563"],
        ["923", "13"],
        ["1", "9", "17", "963"],
        ["5", "14"],
        ["968", "10", "174"],
        ["6", "15"],
        ["11"],
    ]
    assert " ".join(caption) == "place 963 (9↓6↗3↘), 0 points so far"


def test_tiles_are_drawn_with_stripes_in_the_colours_of_their_numbers(easy):
    state = easy.parse_state("168,.,./.,.,.,./.,.,.,.,./.,.,.,./.,.,. 974")
    scene = easy.scene(state)
    fills = {piece.cell: [shape.fill for shape in piece.shapes] for piece in scene.pieces}
    assert set(fills) == {"0", "hand"}
    assert {"series1", "series6", "series8"} <= set(fills["0"])
    assert {"series9", "series7", "series4"} <= set(fills["hand"])
    assert scene.clicks == {cell: (str(cell),) for cell in range(1, 19)}
    assert easy.scene(easy.initial_state()).clicks == {}
