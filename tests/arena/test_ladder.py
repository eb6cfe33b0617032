"""Ladders: what a net is measured against, when a flight is left, and the card that comes of it."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import anyzero
from anyzero.core.base.errors import BadOptionError, UnknownNameError
from anyzero.core.base.statistics import Interval
from anyzero.core.learning.find import best_network, hash_of
from anyzero.core.nets.config import BadNetworkError
from anyzero.core.nets.weights import read_network, save_network
from anyzero.tools.arena import ladder as ladders
from anyzero.tools.arena.cards import Made, nets, read_card, write_card
from anyzero.tools.arena.ladder import UCT, ladder, lost_after, make_card_result, rate

pytestmark = pytest.mark.usefixtures("games_here")

QUIET = {"workers": 1, "progress": False}


def test_a_ladder_rises_from_random_play_to_the_best_method_and_for_chess_to_stockfish():
    assert ladder(anyzero.load("oware")) == [UCT]
    assert ladder(anyzero.load("hex"))[1] == ("rave:1000", "rave:10000", "rave:100000")
    levels, elos = ladder(anyzero.load("chess"))[1:]
    assert levels[0] == "uci:stockfish,level=0,nodes=1000"
    assert (elos[0], elos[-1]) == ("uci:stockfish,elo=1350", "uci:stockfish,elo=2000")


def test_twelve_lost_games_are_enough_and_a_few_points_are_not():
    """Wilson's limit for 0 of n is z2 / (n + z2): 0.243 for 12 games, 0.278 for 10."""
    assert lost_after([0.0] * 10) is None
    assert lost_after([0.0] * 20) == 12
    assert lost_after([0.5, 0.0] * 20) is None
    assert lost_after([]) is None


def test_a_rating_is_written_as_a_card_goes_on_and_keeps_how_the_net_was_made(tmp_path):
    made = Made(command="anyzero train tic_tac_toe", commit="abc", device="one core", minutes=1.5)
    found = rate(
        "@best",
        "tic_tac_toe",
        simulations=8,
        games=4,
        most=100,
        made=made,
        folder=tmp_path,
        **QUIET,
    )
    against = [
        (result.opponent, result.games)
        for result in found.card.results
        if result.player == "gumbel:8"
    ]
    assert against == [("random", 4), ("uct:100", 4)]
    assert found.left_out == ("not played: uct:1000 and stronger",)
    games = next(tmp_path.glob("*/*uct_100.jsonl")).read_text()
    again = rate(
        "@best",
        "tic_tac_toe",
        simulations=8,
        games=4,
        against=["uct:100"],
        folder=tmp_path,
        **QUIET,
    )
    assert next(tmp_path.glob("*/*uct_100.jsonl")).read_text() == games
    assert again.card == found.card == read_card(found.path)
    assert json.loads(json.dumps(again.to_json()))["made"]["device"] == "one core"
    other = rate(
        "@best",
        "tic_tac_toe",
        simulations=4,
        games=2,
        against=["uct:100"],
        folder=tmp_path,
        **QUIET,
    )
    results = [
        (result.player, result.games)
        for result in other.card.results
        if result.opponent == "uct:100"
    ]
    assert sorted(results) == [("gumbel:4", 2), ("gumbel:8", 4)]


def test_a_card_has_the_results_of_one_board(tmp_path):
    """Results on the bundled card's board, whose text leaves out the options, are kept; those of
    another are not.
    """
    measured = Interval(0.5, 0.4, 0.6)
    first, second = (
        make_card_result("gumbel:8", 4, measured, opponent=name) for name in ("random", "uct:20")
    )
    earlier = tmp_path / "card.toml"

    def rated(board, *results):
        game = anyzero.load(board)
        write_card(earlier, ladders.new_card(game, best_network(game), results, None, (earlier,)))
        return read_card(earlier)

    assert rated("breakthrough", first).results == (first,)
    write_card(earlier, read_card(earlier).change(game="breakthrough"))
    assert rated("breakthrough:columns=8", second).results == (first, second)
    assert rated("breakthrough:rows=6", second).results == (second,)


def test_a_clearly_stronger_opponent_ends_the_flight_and_only_the_games_that_say_so_count(
    tmp_path, monkeypatch
):
    """A net of zeros plays nearly at random: to score 9 of 20 against `uct:300` would be a
    wonder.
    """
    monkeypatch.setattr(ladders, "ladder", lambda game: [("uct:300", "uct:5000")])
    monkeypatch.setattr(ladders, "CLEARLY_LOST", 0.45)
    game, net = anyzero.load("tic_tac_toe"), tmp_path / "zeros.safetensors"
    best = read_network(best_network(game), game)
    zeros = {name: np.zeros_like(weight) for name, weight in best.weights.items()}
    save_network(net, replace(best, weights=zeros), game)
    found = rate(str(net), simulations=2, games=20, folder=tmp_path, **QUIET)
    (result,) = found.card.results
    assert result.stopped
    assert result.games < 20
    assert result.high < 0.45
    assert found.left_out == ("uct:300 is too strong; not played: uct:5000",)


def test_a_game_of_one_seat_is_rated_by_its_mean_points(tmp_path, monkeypatch):
    monkeypatch.setattr(ladders, "DEALS_A_GAME", 2)
    net = shutil.copy(best_network(anyzero.load("take_it_easy")), tmp_path / "net.safetensors")
    found = rate(
        str(net), "take_it_easy", simulations=20, games=2, folder=tmp_path, **QUIET
    )  # by what it is
    points = next(result for result in found.card.results if result.player == "expectimax:20")
    assert (points.kind, points.games) == ("points", 4)
    assert 60 < points.low < points.score < points.high < 307


def test_stockfish_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setattr(ladders, "find_program", lambda name: None)
    chess = anyzero.load("chess")
    climb = ladders.Climb(chess, best_network(chess), "gumbel:2", 2, None, QUIET)
    levels = chess.facts.engines[0]
    assert list(climb.climb([levels], 100)) == []
    assert climb.left_out == [f"stockfish is not installed; not played: {levels[0]} and stronger"]


def test_every_opponent_that_is_named_is_played(tmp_path, monkeypatch):
    """One that is too strong, or another engine where there is no Stockfish, says nothing of the
    next.
    """
    monkeypatch.setattr(ladders, "find_program", lambda name: None)
    lost = Interval(0.0, 0.0, 0.1)
    monkeypatch.setattr(
        ladders.Climb,
        "meet",
        lambda climb, one: make_card_result(climb.search, 12, lost, opponent=one),
    )
    found = rate(
        "@best",
        "tic_tac_toe",
        against=["uct:1000", "uci:another", "random"],
        folder=tmp_path,
        **QUIET,
    )
    played = {result.opponent for result in found.card.results if result.games == 12}
    assert played == {"uct:1000", "uci:another", "random"}
    assert found.left_out == ()


def test_what_is_no_net_of_the_game_is_one_sentence(tmp_path):
    with pytest.raises(BadOptionError, match="name the game too"):
        rate("@best")
    with pytest.raises(UnknownNameError, match="there is no network 'nothing'"):
        rate("nothing")
    foreign = tmp_path / "oware.safetensors"
    shutil.copy(best_network(anyzero.load("oware")), foreign)
    with pytest.raises(BadNetworkError, match="plays oware, not hex"):
        rate(str(foreign), "hex", folder=tmp_path, **QUIET)


def test_every_card_in_the_box_is_of_the_net_beside_it_and_says_how_it_was_made_and_measured():
    for name, card in nets().cards.items():
        assert card.network == hash_of(best_network(anyzero.load(name))), (
            f"{name}: the card is of another net"
        )
        assert card.made.command.startswith("anyzero train")
        assert card.made.commit
        assert card.made.device
        assert card.made.minutes > 0
        assert card.date >= "2026-11-16"
        assert card.results
