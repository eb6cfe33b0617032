"""Every built-in game keeps the laws, and a game with a planted fault is caught by the law that
names it.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import anyzero
from anyzero.core.base.errors import BadGameError
from anyzero.core.compile.random import random_below
from anyzero.core.game.contract import OVER, legal_actions, play, seat_to_move
from anyzero.core.game.game import Symmetry
from anyzero.core.game.load import BUILT_IN, load
from anyzero.games.breakthrough import format_state, payoffs
from anyzero.tools.laws.check import check_game
from anyzero.tools.laws.laws import LAWS

EXAMPLE = Path(__file__).parents[2] / "examples" / "tic_tac_toe.py"

VARIANTS = [
    *(name for name in BUILT_IN if name not in ("hex", "breakthrough")),
    "hex:size=5",
    "hex:size=5,swap=true",
    "breakthrough:rows=5,columns=6",
    str(EXAMPLE),
]


@pytest.mark.parametrize("text", VARIANTS)
def test_a_picture_is_the_same_in_wasm(text):
    pytest.importorskip("wasmtime")
    _, result = check_game(load(text), "pictures are compiled", num_games=1, target="interpreted")
    assert result.ok, result.detail


IN_WASM = ("connect_four", "take_it_easy")
"""Those whose kernels are small, with and without chance; the others take minutes to compile."""
WASM = "wasm is interpreted"


MORE = ("hex:size=5,swap=true", str(EXAMPLE))
"""No built-in games of their own."""


@pytest.mark.parametrize("num_games", [2, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "text", [pytest.param(text, marks=[pytest.mark.slow] * (text in MORE)) for text in VARIANTS]
)
@pytest.mark.usefixtures("simulator")
def test_a_game_keeps_the_laws(text, num_games):
    results = check_game(load(text), num_games=num_games, plies=25_000 * num_games, browser=False)
    assert [result.law for result in results] == ["the game runs", *LAWS]
    assert [result for result in results if not result.ok] == []


@pytest.mark.parametrize(
    "text",
    [
        *IN_WASM,
        *(pytest.param(text, marks=pytest.mark.slow) for text in VARIANTS if text not in IN_WASM),
    ],
)
def test_a_game_is_the_same_game_in_wasm(text):
    pytest.importorskip("wasmtime")
    _, result = check_game(load(text), WASM, num_games=2)
    assert result.ok, result.detail
    assert not result.detail.startswith("not checked")


def is_broken(law: str, *faults, target="interpreted", **changes) -> bool:
    """Whether this law breaks when these functions take the place of the game's own; most need no
    compiler for it.
    """
    game = load(GAME)
    names = {fault.__name__ for fault in faults}
    functions = [function for function in game.functions if function.__name__ not in names]
    faulty = replace(game, functions=[*functions, *faults], **changes)
    _, result = check_game(faulty, law, num_games=8, target=target)
    assert result.law == law
    return not result.ok


GAME = "breakthrough:rows=5,columns=5"
ROLLOUTS = "rollouts are random play"


def named(name):
    """Give a fault the name of the function that it replaces."""

    def rename(function):
        function.__name__ = name
        return function

    return rename


@named("symmetries")
def top_bottom_mirror(rules):
    """The board upside down is not a symmetry of Breakthrough."""
    cells = np.arange(rules.rows * rules.columns).reshape(rules.rows, rules.columns)
    flipped = cells[::-1].ravel()
    return [
        Symmetry(
            np.concatenate([flipped, flipped + cells.size]),
            (flipped[:, None] * 3 + np.arange(3)).ravel(),
        )
    ]


@named("payoffs")
def payoffs_for_both(rules, state, out):
    out[0] = 1.0
    out[1] = 1.0


@named("payoffs")
def payoffs_for_one(rules, state, out):
    out[0] = 0.0


@named("rollout")
def lopsided_rollout(rules, state, actions, rng):
    """Plays the first of two drawn moves by number: legal, but not uniform."""
    moves = 0
    while seat_to_move(rules, state) != OVER:
        count = legal_actions(rules, state, actions)
        index = max(random_below(rng, count), random_below(rng, count))
        play(rules, state, np.int64(actions[index]))
        moves += 1
    return moves


@named("legal_actions")
def actions_listed_twice(rules, state, actions):
    actions[0] = 7
    actions[1] = 7
    return 2


@named("encode")
def encode_too_large(rules, state, planes):
    planes[0, 0, 0] = 3.0


@named("amaf_key")
def amaf_key_out_of_range(rules, state, action):
    return 1000 + action


@named("format_action")
def one_text_for_all(rules, state, action):
    return "a move"


@named("draw")
def draw_a_third_kind(rules, state, shown):
    shown.pieces[0] = 3


@named("draw")
def draw_and_play(rules, state, shown):
    state.mover = 1 - state.mover


@named("move_number")
def one_move_for_all(rules, state, action):
    return 0


@named("move_number")
def move_number_out_of_range(rules, state, action):
    return 10_000 + action


@named("state_key")
def one_key_for_all(rules, state):
    return np.uint64(7)


@named("format_state")
def text_without_mover(rules, state):
    return format_state(rules, state)[:-1] + "w"


@named("payoffs")
def payoffs_that_change_the_state(rules, state, out):
    payoffs(rules, state, out)
    state.pawns[0] = np.uint64(0)


@named("play")
def play_that_never_ends(rules, state, action):
    state.mover = 1 - state.mover


def test_the_game_without_a_fault_breaks_no_law():
    laws = [law for law in LAWS if law not in ("simulated GPU is compiled", WASM, ROLLOUTS)]
    results = check_game(load(GAME), *laws, num_games=8, target="interpreted")
    assert [result for result in results if not result.ok] == []


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        (top_bottom_mirror, "symmetries commute with play"),
        (payoffs_for_both, "payoffs are fair"),
        (payoffs_for_one, "payoffs are fair"),
        (actions_listed_twice, "actions are legal numbers"),
        (encode_too_large, "encodings are bounded"),
        (amaf_key_out_of_range, "AMAF keys are in range"),
        (one_text_for_all, "moves have texts"),
        (one_move_for_all, "moves have texts"),
        (move_number_out_of_range, "moves have texts"),
        (draw_a_third_kind, "pictures are complete"),
        (draw_and_play, "pictures are compiled"),
        (one_key_for_all, "keys tell positions apart"),
        (text_without_mover, "positions have texts"),
        (payoffs_that_change_the_state, "questions change nothing"),
        (play_that_never_ends, "games end"),
    ],
)
def test_a_planted_fault_is_caught_by_the_law_that_names_it(fault, law):
    assert is_broken(law, fault)


@pytest.mark.parametrize(
    ("outcomes", "ok"), [("cells", True), ("np.roll(cells, 1)", False), ("()", False)]
)
def test_a_symmetry_also_turns_the_outcomes_of_chance(tmp_path, outcomes, ok):
    """Tic-tac-toe against chance, which marks a cell at random: half a turn of the board moves
    those cells too.
    """
    source = EXAMPLE.read_text().replace("import OVER, Game", "import CHANCE, OVER, Game, Symmetry")
    source = source.replace("else state.mover", "else CHANCE if state.mover else 0", 1)
    source = source.replace('"num_actions": 9', '"num_actions": 9, "num_outcomes": 9')
    source = source.replace("functions + texts", "(*functions, symmetries)")
    turn = f"[Symmetry(np.append(cells, cells + 9), cells, {outcomes})]"
    path = tmp_path / "against_chance.py"
    path.write_text(
        f"{source}\n\ndef symmetries(rules):\n    cells = np.arange(9)[::-1]\n    return {turn}\n"
    )
    _, result = check_game(
        load(str(path)), "symmetries commute with play", num_games=8, target="interpreted"
    )
    assert result.ok == ok, result.detail


@named("score")
def score_that_follows(rules, state, seat):
    return 400.0 if seat == state.mover else 0.0


@named("payoffs")
def payoffs_in_points(rules, state, out):
    """400 of 800 points are a payoff of 0, none are -1."""
    out[state.mover] = 0.0
    out[1 - state.mover] = -1.0


def test_a_best_score_of_which_payoffs_are_no_function_is_caught():
    faults, changes = (score_that_follows, payoffs_in_points), {"zero_sum": False}
    assert not is_broken("payoffs are fair", *faults, best_score=800.0, **changes)
    assert is_broken("payoffs are fair", *faults, best_score=400.0, **changes)
    assert is_broken("payoffs are fair", score_that_follows, best_score=800.0)
    with pytest.raises(
        BadGameError, match="best_score turns payoffs into points, and there is no function score"
    ):
        replace(load(GAME), best_score=800.0)


def test_payoffs_that_do_not_sum_to_zero_are_told_what_allows_that():
    game = replace(load(GAME), functions=[*load(GAME).functions, payoffs_for_both])
    _, result = check_game(game, "payoffs are fair", num_games=8, target="interpreted")
    assert result.detail.startswith(
        "payoffs [1.0, 1.0] do not sum to zero, which needs zero_sum=False,"
    )


def test_an_example_that_cannot_be_played_is_caught_and_the_rules_name_it(tmp_path):
    path = tmp_path / "swop.py"
    path.write_text(
        EXAMPLE.read_text().replace('"num_actions": 9', '"num_actions": 9, "example": "b2 swop"')
    )
    _, result = check_game(
        load(str(path)), "pictures are complete", num_games=8, target="interpreted"
    )
    says = "the game's example cannot be played: my_tic_tac_toe: 'swop' is not a legal move here"
    assert not result.ok
    assert says in result.detail
    with pytest.raises(BadGameError, match=says):
        _ = anyzero.rules(str(path)).pictures


def test_a_rollout_that_is_not_random_play_is_caught():
    """Compiled, for the many games that it takes: they can show a difference of two hundredths."""
    assert is_broken(ROLLOUTS, lopsided_rollout, target="cpu")


@pytest.mark.parametrize("bound", [12, 0, -1])
def test_a_bound_on_plies_that_is_too_low_is_caught(bound):
    assert is_broken("games end", max_plies=bound)


@pytest.mark.parametrize(("bound", "ok"), [(8, False), (9, True)])
def test_a_bound_may_be_reached_and_not_exceeded_by_a_single_ply(bound, ok):
    _, result = check_game(
        replace(load("tic_tac_toe"), max_plies=bound), "games end", target="interpreted"
    )
    assert result.ok is ok
