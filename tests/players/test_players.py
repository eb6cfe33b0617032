"""From texts to players, and what they choose."""

import re

import pytest

import anyzero
from anyzero.core.base.errors import AnyzeroError, BadOptionError, UnknownNameError
from anyzero.core.game.play import Play
from anyzero.tools.players import Player, parse_player
from anyzero.tools.players.text import ENGINE, FILE, OWN_KINDS, SEARCH, level_text, split_player
from anyzero.tools.search import search

GAME = anyzero.load("tic_tac_toe")
START = GAME.initial_state()
BEGUN = Play.begin(GAME, START)


def test_random_play_gives_every_action_its_share():
    player = parse_player("random")
    seeds = [
        ((2 * number + 1) << 64) // 18 for number in range(9)
    ]  # the middles of nine equal parts
    assert [player.choose(GAME, BEGUN, seed) for seed in seeds] == GAME.legal_actions(START)
    assert player.choose(GAME, BEGUN, 2**64 - 1) == GAME.legal_actions(START)[-1]


def test_a_search_player_plays_the_search_s_best_move():
    player = parse_player("uct:100,exploration=1.0")
    found = player.choose(GAME, BEGUN, 3)
    assert found == search(GAME, START, "uct", simulations=100, seed=3, exploration=1.0).best_action
    assert player.limit_s is None


def test_a_budget_of_seconds_allows_half_as_much_again_and_a_second():
    assert parse_player("grave:2s").limit_s == 4.0


def test_the_only_move_is_played_without_a_search():
    state = START
    for move in ("a1", "b1", "a2", "b2", "b3", "a3", "c1", "c2"):
        state = GAME.play(state, move)
    assert (
        parse_player("uct:900000000").choose(GAME, Play.begin(GAME, state), 0)
        == GAME.legal_actions(state)[0]
    )


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("rondom", UnknownNameError, "did you mean random"),
        ("uctt:5", UnknownNameError, "did you mean uct"),
        ("zzz", UnknownNameError, "known: random, flat"),
        ("", UnknownNameError, "known: random, flat"),
        ("uct", BadOptionError, "'uct' needs a budget"),
        ("uct:-5", BadOptionError, "the budget '-5'"),
        ("uct:nan", BadOptionError, "the budget 'nan'"),
        ("random:5", BadOptionError, "neither a budget"),
        ("uct:5,explore=1", UnknownNameError, "did you mean exploration"),
        ("./nowhere.py", UnknownNameError, "cannot read the player file ./nowhere.py"),
    ],
)
def test_a_wrong_text_is_answered_with_what_is_possible(text, error, says):
    with pytest.raises(error, match=re.escape(says)):
        parse_player(text)


def test_a_file_makes_a_player_with_typed_options(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from anyzero.tools.players import Player\n"
        "def make(index: int = 0):\n"
        "    return Player('mine', lambda game, line, seed: "
        "game.legal_actions(line.state)[index])\n"
    )
    player = parse_player(f"{path}:index=2")
    assert player.text == f"{path}:index=2"
    assert player.choose(GAME, BEGUN, 0) == GAME.legal_actions(START)[2]
    with pytest.raises(UnknownNameError, match="did you mean index"):
        parse_player(f"{path}:indx=2")
    path.write_text("def make():\n    return 5\n")
    with pytest.raises(AnyzeroError, match="not a Player"):
        parse_player(str(path))
    path.write_text("x = 1\n")
    with pytest.raises(AnyzeroError, match="has no function make"):
        parse_player(str(path))


def test_a_player_is_a_text_and_a_function():
    player = Player("mine", lambda game, line, seed: 4)
    assert (player.choose(GAME, BEGUN, 0), player.limit_s, player.prepare(GAME)) == (4, None, None)


def test_a_text_is_split_into_its_parts():
    wanted = split_player(" gumbel:64,considered=8@hex7/12 ")
    assert (wanted.kind, wanted.name, wanted.network) == (SEARCH, "gumbel", "hex7/12")
    assert (wanted.search.method, wanted.search.simulations, wanted.search.options) == (
        "gumbel",
        64,
        {"considered": "8"},
    )
    assert split_player("level:easy").in_game(GAME).text == level_text(GAME, "easy")
    assert split_player("./p.py:a=1")[1:4] == (FILE, "./p.py", "a=1")
    assert split_player("uci:'a, b' -c,x=1")[1:4] == (ENGINE, "uci", "'a, b' -c,x=1")
    with pytest.raises(BadOptionError, match="there is no network after the @"):
        split_player("uct:5@")


@pytest.mark.parametrize("text", ["./p.py", "uci:stockfish", "human"])
def test_only_the_kinds_that_are_wanted_are_known(text):
    with pytest.raises(UnknownNameError, match="known: random, flat") as error:
        split_player(text, OWN_KINDS)
    assert ".py" not in str(error.value).split(";")[1]
