"""The solver against truths found in other ways: minimax without a table, must-play in Hex,
published results.
"""

import sys
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from anyzero.core.base.errors import AnyzeroError, BadGameError, BadOptionError, UnknownNameError
from anyzero.core.compile.random import U
from anyzero.core.game.load import load
from anyzero.tools.proofs.proof_table import (
    MOST,
    disproof_of,
    find_content,
    goal_of,
    high_of,
    low_of,
    new_table,
    pack_content,
    proof_of,
    put_content,
    work_rank,
)
from anyzero.tools.proofs.solve import Solver, solve
from tests import race
from tests.search.oracles import (
    NAMES,
    MustPlay,
    Plain,
    mover_of,
    moves_of,
    reachable,
    tic_tac_toe_value,
)

RACE = race.make(goal=12)


def solve_start(text, **options):
    game = load(text)
    return solve(game, game.initial_state(), **options)


# --- tic-tac-toe


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_every_position_of_tic_tac_toe_has_its_value_and_so_has_every_move(every):
    boards = reachable("." * 9)
    assert len(boards) == 5_478
    game = load("tic_tac_toe")
    solver = Solver(game, max_memory=1)
    for board in sorted(boards)[::every]:
        rows = "/".join(board[row : row + 3] for row in (6, 3, 0))
        state = game.parse_state(f"{rows} {mover_of(board)}")
        after = moves_of(board)
        if not after:
            with pytest.raises(AnyzeroError, match="nothing to solve, the game is over"):
                solver.solve(state)
            continue
        found = solver.solve(state)
        assert found.solved
        assert found.value == tic_tac_toe_value(board)
        assert found.moves == {move: -tic_tac_toe_value(board) for move, board in after.items()}


def test_tic_tac_toe_is_a_draw_with_every_opening():
    found = solve_start("tic_tac_toe")
    assert (found.value, found.outcome) == (0, "draw")
    assert found.moves == dict.fromkeys(NAMES, 0)
    assert found.best_moves == NAMES


# --- Hex

HEX_OPENINGS = {2: {"b1", "a2"}, 3: {"c1", "a2", "b2", "c2", "a3"}, 4: {"d1", "c2", "b3", "a4"}}
"""Those that win."""


@pytest.mark.parametrize("size", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_hex_openings_are_those_of_a_search_by_must_play(size):
    game = load(f"hex:size={size}")
    found = Solver(game, target="interpreted" if size == 2 else "cpu").solve(game.initial_state())
    assert (found.value, found.outcome) == (1, "win")
    assert set(found.best_moves) == HEX_OPENINGS[size] == MustPlay(size).winning_openings()
    assert set(found.moves.values()) == {-1, 1}


def test_hex_3x3_openings_are_those_of_brute_force():
    board = MustPlay(3)

    @cache
    def wins(mine, theirs, seat):
        if board.joined(theirs, 1 - seat):
            return False
        empty = [cell for cell in board.cells if not (mine | theirs) >> cell & 1]
        return any(not wins(theirs, mine | 1 << cell, 1 - seat) for cell in empty)

    won = {board.name(cell) for cell in board.cells if not wins(0, 1 << cell, 1)}
    assert won == set(solve_start("hex:size=3").best_moves) == HEX_OPENINGS[3]


def test_with_the_swap_the_second_seat_of_hex_wins():
    found = solve_start("hex:size=3,swap=true")
    assert (found.value, found.outcome) == (-1, "loss")
    assert set(found.best_moves) == set(found.moves)


# --- published results

DOMINEERING = {
    (rows, columns): winner
    for rows, winners in {2: "11HV11H", 3: "1HHH", 4: "1V1", 5: "2"}.items()
    for columns, winner in enumerate(winners, start=rows)
}
"""Who wins on rows x columns: V(ertical), H(orizontal), whoever begins (1) or does not (2).

Breuker, Uiterwijk and van den Herik 2000, Solving 8x8 Domineering, table 1; Lachmann, Moore and
Rapaport 2002.
"""
TURNED = {"V": "H", "H": "V", "1": "1", "2": "2"}


@pytest.mark.parametrize(("rows", "columns"), DOMINEERING)
def test_domineering_has_the_published_winners(rows, columns):
    winner = DOMINEERING[rows, columns]
    for high, wide, wins in ((rows, columns, winner), (columns, rows, TURNED[winner])):
        found = solve_start(f"domineering:rows={high},columns={wide}")
        assert found.value == (1 if wins in "V1" else -1)  # vertical begins


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (4, 5), (5, 4)])
def test_small_boards_of_connect_four_are_draws(rows, columns):
    """Tromp's table of board sizes."""
    assert solve_start(f"connect_four:rows={rows},columns={columns}").value == 0


def test_the_second_player_wins_breakthrough_on_small_boards():
    """As on 5x5, which takes minutes (docs/solve.md)."""
    assert solve_start("breakthrough:rows=4,columns=4").value == -1
    assert solve_start("breakthrough:rows=5,columns=3").value == -1


# --- late positions, by minimax without a table or bounds


LATE = [
    "connect_four:rows=4,columns=5",
    "domineering:rows=5,columns=4",
    pytest.param("breakthrough:rows=5,columns=3", marks=pytest.mark.slow),
    pytest.param("atarigo:size=3", marks=pytest.mark.slow),
]


@cache
def late(text):
    plain = Plain(text)
    return plain, {
        method: Solver(plain.game, max_memory=1, method=method)
        for method in ("both", "depth", "proof")
    }


@pytest.mark.parametrize("text", LATE)
@examples(max_examples=12)
@given(seed=st.integers(0, 10**6), method=st.sampled_from(["both", "depth", "proof"]))
def test_late_positions_have_the_value_of_plain_minimax(text, seed, method):
    plain, solvers = late(text)
    state = plain.late_position(seed, 500)
    assume(state is not None)
    sign = 1 - 2 * plain.seat(state)
    found = solvers[method].solve(state)
    assert found.value == sign * plain.value(state)
    expected = {
        plain.game.format_action(state, a): sign * plain.value(after)
        for a, after in plain.after(state).items()
    }
    assert found.moves == expected


def test_a_seat_may_move_several_times_in_a_row():
    """Who lands on a multiple of 4 moves again."""
    game = change_race("play", play_again)
    for total in range(12):
        state = game.new_states(1)[0]
        state.total = total
        assert Solver(game, target="interpreted").solve(state).value == race_value(total, 12)


def change_race(name, function):
    """The race with another function under this name."""
    function.__name__ = name
    return replace(RACE, functions=tuple({**RACE.by_name, name: function}.values()))


def play_again(rules, state, action):
    state.total += action
    if state.total % 4 != 0 or state.total >= rules.goal:
        state.mover = 1 - state.mover


def race_value(total, goal):
    if total >= goal:
        return -1  # the other one got there
    after = [total + step for step in (1, 2, 3)]
    return max(race_value(t, goal) * (1 if t % 4 == 0 and t < goal else -1) for t in after)


# --- the same answer whatever the means


def test_interpreted_is_compiled():
    for text, moves in (("tic_tac_toe", ["b2", "a1"]), ("hex:size=3", ["a1"])):
        game = load(text)
        state = game.initial_state()
        for move in moves:
            state = game.play(state, move)
        plain, compiled = (
            Solver(game, target=target).solve(state) for target in ("interpreted", "cpu")
        )
        assert replace(plain, seconds=0.0) == replace(compiled, seconds=0.0)


def test_a_proof_table_that_is_far_too_small_changes_no_answer():
    large, small = solve_start("hex:size=4"), solve_start("hex:size=4", max_memory=0.05)
    assert small.moves == large.moves
    assert small.table_mb < 0.06
    assert small.nodes > large.nodes


def test_the_proof_table_grows_to_its_cap_and_not_beyond(monkeypatch):
    monkeypatch.setattr(sys.modules["anyzero.tools.proofs.solve"], "SMALL_TABLE_MB", 0.05)
    found = solve_start("hex:size=4", max_memory=3)
    assert found.table_mb == 3
    assert set(found.best_moves) == HEX_OPENINGS[4]


def test_a_search_that_runs_out_says_what_it_knows():
    first, again = (solve_start("hex:size=4", max_nodes=5_000) for _ in range(2))
    assert not first.solved
    assert (first.value, first.outcome, first.best_moves) == (None, None, [])
    assert first.bounds == (-1, 1)
    assert 5_000 <= first.nodes < 7_000
    assert replace(first, seconds=0.0) == replace(again, seconds=0.0)
    assert not solve_start("hex:size=4", seconds=1e-6).solved


def test_a_loss_is_known_for_every_move_at_once():
    found = solve_start("hex:size=3,swap=true")
    assert set(found.moves.values()) == {-1}


# --- what cannot be solved


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"num_seats": 3}, "it has 3 seats"),
        ({"num_seats": 1}, "it has one seat"),
        ({"num_outcomes": 2}, "it has chance"),
        ({"zero_sum": False}, "do not sum to zero"),
    ],
)
def test_other_kinds_of_games_are_refused(change, says):
    game = replace(RACE, **change)
    with pytest.raises(AnyzeroError, match=says):
        solve(game, game.initial_state())


def half_payoffs(rules, state, out):
    out[state.mover] = -0.5
    out[1 - state.mover] = 0.5


def no_actions(rules, state, actions):
    return 0 if state.total == 5 else race.legal_actions(rules, state, actions)


@pytest.mark.parametrize(
    ("name", "function", "says"),
    [
        ("payoffs", half_payoffs, "payoffs of -1, 0 and 1"),
        ("legal_actions", no_actions, "neither a move nor an end"),
    ],
)
def test_a_game_that_breaks_the_contract_is_named(name, function, says):
    game = change_race(name, function)
    with pytest.raises(BadGameError, match=says):
        Solver(game, target="interpreted").solve(game.initial_state())


def test_a_game_longer_than_it_says_is_named():
    game = replace(RACE, max_plies=2)
    with pytest.raises(BadGameError, match="longer than its max_plies"):
        Solver(game, target="interpreted").solve(game.initial_state())


def test_bad_budgets_and_methods_are_refused():
    for options in ({"max_memory": 0}, {"seconds": -1.0}, {"max_nodes": 0}):
        with pytest.raises(BadOptionError):
            solve_start("tic_tac_toe", **options)
    with pytest.raises(UnknownNameError, match="did you mean depth"):
        solve_start("tic_tac_toe", method="depht")


# --- chess: the state holds the history, and so does the key


@pytest.mark.slow
def test_a_mate_counts_only_before_the_fifty_moves_are_over():
    game = load("chess")
    solver = Solver(game, max_memory=16)
    #  two moves from mate: Kb6 and then Qh8, or others like it
    for clock, value in ((0, 1), (96, 1), (98, 0), (0, 1)):
        found = solver.solve(
            game.parse_state(f"k7/8/2K5/8/8/8/8/6Q1 w - - {clock} 80"), max_nodes=3_000_000
        )
        assert found.value == value


@pytest.mark.slow
@pytest.mark.parametrize(
    ("position", "key"),
    [
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6"),  # mate in two by Morphy
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6"),  # mate in three
    ],
)
def test_chess_problems_are_solved(position, key):
    game = load("chess")
    state = game.parse_state(position)
    found = solve(game, state, max_nodes=100_000)
    assert found.value == 1
    assert key in found.best_moves
    assert not found.solved  # whether other moves win as well is a long story


# --- the table


def test_an_entry_of_the_proof_table_gives_back_what_was_packed():
    for low, high, goal in product((-1, 0, 1), (-1, 0, 1), (0, 1)):
        content = pack_content(low, high, 123, MOST, goal, 1_000)
        found = (
            low_of(content),
            high_of(content),
            proof_of(content),
            disproof_of(content),
            goal_of(content),
        )
        assert found == (low, high, 123, MOST, goal)
        assert content != 0


def test_more_work_never_ranks_lower():
    ranks = [work_rank(U(work)) for work in [*range(1, 200), 2**20, 2**40, 2**62]]
    assert ranks == sorted(ranks)
    assert ranks[-1] < 1024


def test_a_full_bucket_of_the_proof_table_drops_the_entry_with_the_least_work():
    table = new_table(0.00005)
    assert len(table.words) == 1
    for key, work in ((1, 50), (2, 5), (3, 500), (4, 5_000), (5, 1)):
        put_content(table, U(key), U(0), pack_content(-1, 1, 1, 1, 1, work))
    assert [bool(find_content(table, U(key), U(0))) for key in range(1, 6)] == [
        True,
        False,
        True,
        True,
        True,
    ]
    put_content(table, U(3), U(0), pack_content(1, 1, 0, MOST, 1, 1))
    assert low_of(find_content(table, U(3), U(0))) == 1
    assert find_content(table, U(4), U(0)) != 0
