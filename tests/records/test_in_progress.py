"""The laws of a game in progress."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anyzero
from anyzero.app.records.in_progress import GameInProgress, replay_record
from anyzero.core.game.contract import CHANCE, OVER
from anyzero.core.game.play import Reason
from tests.records.play import load, play_all, random_table

GAMES = st.sampled_from(["tic_tac_toe", "hex:size=3,swap=true", "take_it_easy", "oware:plies=20"])
SEEDS = st.integers(0, 2**32)


def snapshot(table):
    """Everything that can be seen of a table."""
    return table.to_record(), table.state.tobytes(), table.seat_to_move, table.legal_moves


@given(GAMES, SEEDS)
@settings(max_examples=25)
def test_undo_then_redo_changes_nothing(game, seed):
    table = random_table(game, seed)
    seen = [snapshot(table)]
    while table.can_undo:
        table.undo()
        assert table.seat_to_move >= 0
        seen.append(snapshot(table))
    with pytest.raises(anyzero.AnyzeroError, match="no move to take back"):
        table.undo()
    while table.can_redo:
        assert snapshot(table) == seen.pop()
        table.redo()
    assert snapshot(table) == seen.pop()
    assert not seen
    with pytest.raises(anyzero.AnyzeroError, match="no move to redo"):
        table.redo()


@given(GAMES, SEEDS, st.integers(1, 5))
@settings(max_examples=20)
def test_a_move_after_undo_forgets_the_undone_moves(game, seed, steps):
    table = random_table(game, seed)
    for _ in range(steps):
        if table.can_undo:
            table.undo()
    table.play(table.legal_moves[-1])
    assert not table.can_redo
    assert replay_record(table.to_record()).states[-1].tobytes() == table.state.tobytes()


@given(GAMES, SEEDS)
@settings(max_examples=25)
def test_a_table_made_from_its_record_goes_on_in_the_same_way(game, seed):
    table = random_table(game, seed)
    again = GameInProgress.from_record(table.to_record())
    assert snapshot(again) == snapshot(table)
    for _ in range(4):
        if not table.is_over:
            assert again.move_seed == table.move_seed
            move = table.legal_moves[table.move_seed % len(table.legal_moves)]
            table.play(move)
            again.play(move)
        assert snapshot(again) == snapshot(table)


def test_chance_is_drawn_at_once_and_again_the_same():
    table = GameInProgress(load("take_it_easy"), seed=5)
    assert [ply.seat for ply in table.plies] == [CHANCE]
    table.play("3")
    drawn = table.moves
    assert len(drawn) == 3
    table.undo()
    table.play("4")
    assert table.moves == [drawn[0], "4", drawn[2]]
    assert len({GameInProgress(load("take_it_easy"), seed=seed).moves[0] for seed in range(10)}) > 1


def test_every_tile_is_drawn_about_as_often_as_every_other():
    # 2,700 first tiles of 27: a count below 40 or above 175 has a chance of 1e-10 (binomial); 27
    # tiles make it 3e-9.
    counts = {}
    for seed in range(2700):
        (tile,) = GameInProgress(load("take_it_easy"), seed=seed).moves
        counts[tile] = counts.get(tile, 0) + 1
    assert len(counts) == 27
    assert min(counts.values()) >= 40
    assert max(counts.values()) <= 175


def test_resignation_can_be_undone():
    table = play_all("tic_tac_toe", "b2 a1")
    table.resign()
    assert (table.seat_to_move, table.termination, table.payoffs) == (OVER, "resign", (-1.0, 1.0))
    assert table.legal_moves == []
    with pytest.raises(anyzero.IllegalMoveError, match="'c3' cannot be played, the game is over"):
        table.play("c3")
    with pytest.raises(anyzero.IllegalMoveError, match="it cannot be ended, the game is over"):
        table.declare(Reason.FORFEIT)
    table.undo()
    assert (table.seat_to_move, table.termination, table.payoffs) == (0, "unfinished", None)
    table.play("c3")
    assert not table.can_redo


def test_a_seat_can_resign_when_it_is_not_its_turn():
    table = play_all("tic_tac_toe", "b2")
    table.resign(0)
    assert table.payoffs == (-1.0, 1.0)
    assert GameInProgress.from_record(table.to_record()).payoffs == (-1.0, 1.0)


def test_resignation_in_a_game_of_one_seat_is_a_loss():
    table = GameInProgress(load("take_it_easy"))
    table.resign()
    assert table.payoffs == (-1.0,)


def test_the_rules_end_a_game():
    table = play_all("tic_tac_toe", "a1 b1 a2 b2 a3")
    assert (table.is_over, table.termination, table.payoffs) == (True, "rules", (1.0, -1.0))


def test_an_agreed_draw_is_one():
    table = play_all("chess", "e4 e5")
    table.declare(Reason.AGREEMENT)
    assert (table.termination, table.payoffs) == ("agreement", (0.0, 0.0))


def test_moves_are_texts_or_numbers():
    table = GameInProgress(load("connect_four"))
    table.play("d")
    table.play(3)
    assert table.moves == ["d", "d"]
    with pytest.raises(anyzero.IllegalMoveError, match="99"):
        table.play(99)
    with pytest.raises(anyzero.IllegalMoveError, match="'z'"):
        table.play("z")
    assert table.moves == ["d", "d"]


def test_the_start_is_not_changed_by_play():
    game = load("tic_tac_toe")
    start = game.parse_state("3/1x1/3 o")
    before = start.copy()
    table = GameInProgress(game, start=start)
    table.play("a1")
    assert start.tobytes() == before.tobytes()
    assert table.to_record().start == "3/1x1/3 o"


def test_a_record_without_a_seed_stays_without_one():
    record = play_all("tic_tac_toe", "b2").to_record().change(seed=None)
    assert GameInProgress.from_record(record).to_record() == record


def test_players_can_be_named_later():
    table = GameInProgress(load("tic_tac_toe"), players=("human",))
    assert table.players == ("human", "?")
    table.name_player(1, "uct:50")
    assert table.to_record().players == ("human", "uct:50")
