"""Bots: one file, no package but NumPy, and the moves of the player that they were made from."""

import importlib.util
import random
import subprocess
import sys
from dataclasses import replace
from math import prod

import numpy as np
import pytest

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.game.load import load
from anyzero.core.nets.config import NetworkConfig
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import save_network, store
from anyzero.core.search import Searcher
from anyzero.extras.bots.bot import make_bot, stored
from anyzero.extras.bots.source import pack_bytes, unpack_array
from anyzero.extras.export import export
from anyzero.tools.arena import match
from anyzero.tools.laws.new import start_game
from tests import race

SLOW = pytest.mark.slow


def imported(path):
    spec = importlib.util.spec_from_file_location("bot", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def moves_of(game, searcher, choose, most=8):
    """(move of the player, move of the bot) along a game of the player."""
    state, found = game.initial_state(), []
    while not game.is_over(state) and len(found) < most:
        legal = game.legal_actions(state)
        if game.seat_to_move(state) < 0 or len(legal) == 1:
            state = game.play(state, legal[0])
            continue
        found.append((searcher.choose(state, len(found)), choose(state.copy(), len(found))))
        state = game.play(state, found[-1][0])
    return found


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("tic_tac_toe", "uct"),
        ("oware", "uct"),
        (race.__file__, "uct"),  # as a user wrote it: unchecked, and without a rollout of its own
        pytest.param("connect_four", "rave", marks=SLOW),
        pytest.param("hex:size=5,swap=true", "grave", marks=SLOW),
        pytest.param("take_it_easy", "uct", marks=SLOW),
        pytest.param("chess", "uct", marks=SLOW),
    ],
)
def test_a_bot_plays_the_moves_of_its_player(text, method, tmp_path):
    game = load(text)
    export(game, bot=tmp_path / "bot.py", player=f"{method}:20")
    assert "anyzero." not in (tmp_path / "bot.py").read_text().partition("\n")[2]
    found = moves_of(
        game, Searcher(game, method, simulations=20), imported(tmp_path / "bot.py").choose
    )
    assert len(found) >= 3
    assert [ours for ours, _ in found] == [theirs for _, theirs in found]


@pytest.mark.parametrize(
    ("method", "bits"), [pytest.param("puct", 16, marks=pytest.mark.slow), ("gumbel", 8)]
)
def test_a_bot_with_a_net_plays_the_moves_of_its_player(method, bits, tmp_path):
    game = load("tic_tac_toe")
    network = store(new_network(game, NetworkConfig(blocks=1, channels=8), seed=1))
    whole, _ = make_bot(game, f"{method}:12@net", network)
    most = None if bits == 16 else len(whole) - 1
    text, note = make_bot(game, f"{method}:12@net", network, most)
    assert f"{bits}-bit weights" in note
    (tmp_path / "bot.py").write_text(text)
    rounded = {
        name: prod(stored(weight, bits)).astype(np.float32)
        for name, weight in network.weights.items()
    }
    evaluator = NetworkEvaluator(
        game, replace(network, weights=rounded, taken=set()), threads=1, cache=0
    )
    searcher = Searcher(game, method, simulations=12, evaluator=evaluator)
    found = moves_of(game, searcher, imported(tmp_path / "bot.py").choose)
    assert (
        sum(ours == theirs for ours, theirs in found) >= len(found) - 1
    )  # a rounding may decide between equals


def test_a_bot_that_is_too_long_says_by_how_much(tmp_path):
    game = load("tic_tac_toe")
    network = store(new_network(game, NetworkConfig(blocks=2, channels=16), seed=1))
    save_network(tmp_path / "net.safetensors", network, game)
    with pytest.raises(AnyzeroError, match=r"with 8-bit weights.*10,000.*smaller network"):
        export(
            game,
            bot=tmp_path / "bot.py",
            player=f"puct:8@{tmp_path}/net.safetensors",
            max_characters=10_000,
        )
    assert not (tmp_path / "bot.py").exists()


def test_a_bot_is_an_engine_for_the_arena(tmp_path):
    export("tic_tac_toe", bot=tmp_path / "a bot.py", player="uct:0.01s")
    standings = match(
        "tic_tac_toe", f"gtp:{sys.executable} '{tmp_path}/a bot.py'", "random", games=2
    )
    assert standings.games == 2
    assert not standings.forfeits


def answers_of(bot, *lines):
    command = [sys.executable, str(bot)]
    found = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, timeout=60
    )
    assert found.stderr == ""
    return [answer.rstrip() for answer in found.stdout.split("\n\n")[:-1]]


def test_a_bot_echoes_numbers_and_refuses_what_it_cannot_do(tmp_path):
    export("tic_tac_toe", bot=tmp_path / "bot.py", player="uct:2")
    moves = {"7 play b b2": "=7", "8 play w b2": "?8 illegal move", "play w zz": "? illegal move"}
    moves |= {
        "play": "? illegal move",
        "play b a1": "? illegal move",
        "genmove b": "? illegal move",
    }
    rest = {
        "undo": "? unknown command",
        "known_command undo": "= false",
        "known_command play # is": "= true",
    }
    rest |= {"boardsize 3": "=", "boardsize 3 4": "? unacceptable size", "quit": "="}
    assert answers_of(tmp_path / "bot.py", *moves, *rest) == [*moves.values(), *rest.values()]


def test_a_bot_has_no_move_once_the_game_is_over(tmp_path):
    export("tic_tac_toe", bot=tmp_path / "bot.py", player="uct:2")
    won = (
        "play b a1",
        "play w a2",
        "play b b1",
        "play w b2",
        "play b c1",
        "genmove w",
        "genmove b",
        "clear_board",
    )
    found = answers_of(tmp_path / "bot.py", *won, "genmove b")
    assert found[:-1] == [*["="] * 5, *["? illegal move"] * 2, "="]
    assert found[-1][2:] in load("tic_tac_toe").legal_moves(load("tic_tac_toe").initial_state())


def test_a_bot_of_a_game_with_dice_is_told_what_they_show(tmp_path):
    """The template's die shows 1 to 3; its outcomes are numbered from 0."""
    start_game(tmp_path / "dice.py", "dice")
    export(str(tmp_path / "dice.py"), bot=tmp_path / "bot.py", player="uct:2")
    found = answers_of(
        tmp_path / "bot.py",
        "genmove b",
        "play b 0",
        "play b 3",
        "genmove w",
        "genmove b",
        "play b 1",
    )
    assert found[:4] == ["? illegal move", "? illegal move", "=", "? illegal move"]
    assert found[4] in ("= first", "= second")
    assert found[5] == "="


def test_a_bot_of_oware_plays_for_the_judge(tmp_path):
    """The judge's lines are houses, our own first; the other side plays at random."""
    game, rng = load("oware"), random.Random(1)
    export(game, bot=tmp_path / "bot.py", player="uct:2", max_characters=100_000)
    for seat in (0, 1):
        command = [sys.executable, str(tmp_path / "bot.py")]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as bot:
            state, moves = game.initial_state(), 0
            while not game.is_over(state) and moves < 12:
                action = rng.choice(game.legal_actions(state))
                if game.seat_to_move(state) == seat:
                    rows = [
                        [int(row) >> 8 * (5 - house) & 255 for house in range(6)]
                        for row in state.houses
                    ]
                    print(*rows[seat], *rows[1 - seat], file=bot.stdin, flush=True)
                    action, moves = int(bot.stdout.readline()), moves + 1
                    assert action in game.legal_actions(state)
                state = game.play(state, action)
            bot.stdin.close()
            assert moves == 12
        assert bot.returncode == 0


def test_bytes_come_back_from_text():
    numbers = np.arange(-50, 51, dtype=np.int16).reshape(-1, 1)
    assert (unpack_array(pack_bytes(numbers.tobytes()), "<i2", numbers.shape) == numbers).all()
