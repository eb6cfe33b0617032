"""The nets in the box: each has a card, plays, and beats a search without a network; no other file
passes for one.
"""

import json
import shutil
from pathlib import Path

import pytest

import anyzero
from anyzero.core.base.errors import BadOptionError, UnknownNameError
from anyzero.core.base.sealed import DamagedError
from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.learning.find import best_network, find_network, net_file
from anyzero.core.nets.config import BadNetworkError
from anyzero.extras.export import export
from anyzero.tools.arena.cards import CardResult, Made, nets, read_card, size_of
from anyzero.tools.arena.ladder import read_problems, solve_problems
from anyzero.tools.players.text import net_method

pytestmark = pytest.mark.usefixtures("games_here")

MOST_BYTES = 24_000_000


def test_every_game_has_a_net_and_all_are_small():
    assert set(nets().cards) == set(BUILT_IN)
    assert sum(map(size_of, nets().cards)) < MOST_BYTES


def test_a_result_says_what_was_measured():
    found = CardResult(
        player="gumbel:64", opponent="uct:10000", games=100, score=0.985, low=0.938, high=0.997
    )
    assert str(found) == "98.5 % (94 to 100) of 100 games, gumbel:64 against uct:10000"
    moves = found.change(kind="moves", opponent="", games=600)
    assert str(moves) == "98.5 % (93.8 to 99.7) of 600 moves optimal, gumbel:64"
    points = found.change(
        kind="points", opponent="", games=1000, score=164.4, low=162.8, high=165.9
    )
    assert str(points) == "164.4 points (162.8 to 165.9) in 1,000 deals, gumbel:64"
    assert str(Made(device="one H200", minutes=8.3)) == "8.3 minutes of one H200"


def test_a_card_names_the_hardest_opponent_it_beats_and_the_first_it_does_not():
    card = nets().cards["oware"]
    scores = {"random": 1.0, "uct:100": 0.9, "uct:1000": 0.4, "uct:10000": 0.1}
    results = [
        CardResult(player="gumbel:1", opponent=opponent, games=10, score=score, low=0.0, high=1.0)
        for opponent, score in scores.items()
    ]
    shown = card.change(results=results).strength
    assert "against uct:100;" in shown
    assert shown.endswith("against uct:1000")
    assert json.loads(json.dumps(nets().to_json()))["oware"]["results"][0]["games"] > 0


@pytest.mark.slow
def test_a_figure_of_a_card_comes_out_again():
    """Connect Four without search, over all its problems; another processor may round another way
    in a close call.
    """
    found = next(
        result for result in nets().cards["connect_four"].results if result.player == "gumbel:1"
    )
    assert found.games == len(read_problems("connect_four"))
    again = solve_problems("connect_four", "gumbel:1@best", progress=False)
    assert sum(again) / len(again) == pytest.approx(found.score, abs=0.005)


def test_a_game_without_a_net_is_one_sentence():
    with pytest.raises(
        UnknownNameError, match="there is no bundled net for race; nets: atarigo, breakthrough"
    ):
        best_network(load("tests/race.py"))


def test_a_damaged_or_foreign_bundled_net_is_refused_with_a_sentence(tmp_path):
    game, damaged = load("oware"), tmp_path / "damaged.safetensors"
    damaged.write_bytes(best_network(game).read_bytes()[:-1000])
    with pytest.raises(
        BadNetworkError, match=r"damaged.safetensors is not a network file, or only a part of one"
    ):
        anyzero.search(game, method=f"gumbel:4@{damaged}")
    foreign = shutil.copy(best_network(load("hex")), tmp_path)
    with pytest.raises(BadNetworkError, match=r"hex.safetensors plays hex, not oware"):
        anyzero.search(game, method=f"gumbel:4@{foreign}")
    nothing = tmp_path / "nothing.safetensors"
    nothing.write_bytes(b"no tensors")
    with pytest.raises(BadNetworkError, match="is not a network file"):
        anyzero.search(game, method=f"gumbel:4@{nothing}")


def test_an_edited_card_breaks_its_seal_and_is_refused(tmp_path):
    card = Path(shutil.copy(best_network(load("oware")).with_suffix(".toml"), tmp_path))
    text = card.read_text()
    for edit in ('date = "2026', 'date = "2027'), ("score = 0.", "score = 1."), ("seal", "#seal"):
        assert edit[0] in text
        card.write_text(text.replace(*edit, 1))
        with pytest.raises(DamagedError, match=r"oware.toml is not as anyzero rate wrote it"):
            read_card(card)


def test_best_is_a_net_only_where_the_game_is_known():
    assert find_network("best", load("oware")) == best_network(load("oware"))
    with pytest.raises(UnknownNameError, match="there is no network 'best'"):
        find_network("best")


def test_a_net_without_a_policy_is_played_by_expectimax_alone(tmp_path):
    with pytest.raises(
        BadOptionError, match="best has no policy for 'puct:8@best'; play expectimax:8000@best"
    ):
        anyzero.search("take_it_easy", method="puct:8@best")
    with pytest.raises(
        BadOptionError, match="best has no policy for 'puct:8@best'; play expectimax:8000@best"
    ):
        export("take_it_easy", bot=tmp_path / "bot.py", player="puct:8@best")


QUICK = ("connect_four", "tic_tac_toe")
"""Each further game compiles kernels of its own."""


@pytest.mark.parametrize(
    "name",
    [
        *QUICK,
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in sorted(set(BUILT_IN) - set(QUICK))
        ),
    ],
)
def test_a_net_plays_legally_and_beats_uct_1000(name):
    """Seeds are fixed. By the cards, the nets lose at most one game in fifty to this opponent: to
    score half of 8 games or less would have a probability of one in a hundred thousand; a mean
    below its over 40 deals, about the same.
    """
    games = 80 if name == "take_it_easy" else 8
    method = net_method(net_file(name))
    player = f"{method}:{100 if method == 'expectimax' else 64}@best"
    found = anyzero.match(name, player, "uct:1000", games=games, workers=1, progress=False)
    assert not found.forfeits  # as an illegal move would be
    if found.difference is not None:
        assert found.difference.value > 0.0
    elif name == "tic_tac_toe":
        assert found.tally.losses == 0  # who plays well draws
    else:
        assert found.tally.score > 0.5
