"""Oware against the same rules in plain lists, against OpenSpiel for its own variant, and against
the laws.
"""

import numpy as np
import pyspiel
import pytest

from anyzero.core.game.contract import OVER
from anyzero.core.game.load import load
from anyzero.games.oware import seeds_of
from anyzero.tools.laws.check import check_game
from anyzero.tools.laws.evidence import observe
from anyzero.tools.proofs.perft import perft

OPEN_SPIEL = "oware:plies=1000,last_seeds=owner,repetition=true"
VARIANTS = [
    f"oware:grand_slam={slam},last_seeds={last}"
    for slam in ("takes_nothing", "takes_all", "illegal")
    for last in ("mover", "owner", "nobody")
]


@pytest.fixture(scope="module")
def oware():
    return load("oware")


class PlainOware:
    """The rules in plain lists: houses 0 to 5 are South's, 6 to 11 North's."""

    def __init__(self, slam: str = "takes_nothing", last: str = "mover", plies: int = 200):
        self.slam, self.last, self.plies = slam, last, plies
        self.houses, self.taken, self.ply, self.over = [4] * 12, [0, 0], 0, False

    def copy(self):
        twin = PlainOware(self.slam, self.last, self.plies)
        twin.houses, twin.taken, twin.ply, twin.over = (
            self.houses[:],
            self.taken[:],
            self.ply,
            self.over,
        )
        return twin

    def row(self, seat):
        return range(6 * seat, 6 * seat + 6)

    def outcome(self, house):
        """The houses after sowing, and those that would be taken."""
        seat, houses = self.ply % 2, self.houses[:]
        origin = place = 6 * seat + house
        seeds, houses[origin] = houses[origin], 0
        while seeds:
            place = (place + 1) % 12
            if place != origin:
                houses[place] += 1
                seeds -= 1
        caught = []
        while place in self.row(1 - seat) and houses[place] in (2, 3):
            caught.append(place)
            place -= 1
        return houses, caught

    def is_slam(self, house):
        houses, caught = self.outcome(house)
        return bool(caught) and all(
            houses[place] == 0 or place in caught for place in self.row(1 - self.ply % 2)
        )

    def gives(self, house):
        theirs = self.row(1 - self.ply % 2)
        return any(self.outcome(house)[0][place] > self.houses[place] for place in theirs)

    def legal(self):
        if self.over:
            return []
        seat = self.ply % 2
        moves = [house for house in range(6) if self.houses[6 * seat + house]]
        if not any(self.houses[place] for place in self.row(1 - seat)):
            moves = [house for house in moves if self.gives(house)]
        return [house for house in moves if self.slam != "illegal" or not self.is_slam(house)]

    def play(self, house):
        seat, slam = self.ply % 2, self.is_slam(house)
        self.houses, caught = self.outcome(house)
        for place in [] if slam and self.slam == "takes_nothing" else caught:
            self.taken[seat] += self.houses[place]
            self.houses[place] = 0
        self.ply += 1
        stopped = self.taken[seat] > 24 or self.ply == self.plies
        stuck = not self.legal()
        self.over = stopped or stuck
        if self.over and (self.last == "owner" or (self.last == "mover" and not stopped)):
            for place in range(12):
                self.taken[place // 6 if self.last == "owner" else self.ply % 2] += self.houses[
                    place
                ]
                self.houses[place] = 0

    def perft(self, depth):
        if depth == 0:
            return 1
        total = 0
        for house in self.legal():
            twin = self.copy()
            twin.play(house)
            total += twin.perft(depth - 1)
        return total


@pytest.mark.parametrize("text", [*VARIANTS, "oware:plies=30"])
def test_random_games_are_those_of_plain_lists(text):
    game = load(text)
    options = game.options
    for seed in range(8):
        plain = PlainOware(options["grand_slam"], options["last_seeds"], options["plies"])
        record = observe(game, seed=seed, rows=game.max_plies + 1)
        for row, state in enumerate(record.states):
            assert [*seeds_of(state.houses[0]), *seeds_of(state.houses[1])] == plain.houses
            assert record.scores[row].tolist() == plain.taken
            assert record.actions[row, : record.counts[row]].tolist() == plain.legal()
            assert (record.seats[row] == OVER) == plain.over
            if not plain.over:
                plain.play(int(record.chosen[row]))
        south, north = plain.taken
        assert record.payoffs.tolist() == [np.sign(south - north), np.sign(north - south)]


def test_perft_is_that_of_plain_lists(oware):
    assert [perft(oware, oware.initial_state(), depth) for depth in range(1, 6)] == [
        PlainOware().perft(depth) for depth in range(1, 6)
    ]


def test_perft_of_an_end_game_is_that_of_plain_lists(oware):
    plain = PlainOware()
    plain.houses, plain.taken, plain.ply = [1, 0, 2, 0, 3, 1, 0, 2, 0, 1, 0, 1], [18, 19], 60
    start = oware.parse_state("1,0,2,0,3,1/0,2,0,1,0,1 18-19 S 60")
    for depth in (4, 8):
        assert perft(oware, start, depth) == plain.perft(depth)


def test_whole_random_games_are_those_of_open_spiel():
    """150 games: each ply's legal actions, and the seeds and results at the end."""
    game, endless, oracle = (
        load(OPEN_SPIEL),
        load("oware:plies=1000,last_seeds=owner"),
        pyspiel.load_game("oware"),
    )
    repetitions = 0
    for seed in range(150):
        record, state = (
            observe(game, seed=seed, rows=game.max_plies + 1),
            oracle.new_initial_state(),
        )
        for row in range(len(record.seats)):
            assert record.actions[row, : record.counts[row]].tolist() == state.legal_actions()
            assert (record.seats[row] == OVER) == state.is_terminal()
            if not state.is_terminal():
                assert record.seats[row] == state.current_player()
                state.apply_action(int(record.chosen[row]))
        assert record.payoffs.tolist() == state.returns()
        south, north = record.scores[-1]
        assert f"Player 1 score = {north:g}\n" in str(state)
        assert f"Player 0 score = {south:g}\n" in str(state)
        repetitions += (
            observe(endless, seed=0, rows=len(record.seats), script=record.chosen).seats[-1] != OVER
        )
    assert repetitions > 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [*VARIANTS[1:], OPEN_SPIEL, "oware:repetition=true,last_seeds=nobody,plies=70"]
)
def test_every_variant_keeps_the_laws(text):
    assert [found for found in check_game(load(text)) if not found.ok] == []
