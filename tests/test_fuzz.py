"""Whatever is read from outside, damaged at random: it is read or refused in one sentence, and nothing else happens.

`few` runs always, `many` with the slow tests. A text that is read and can be written again reads back the same.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from anyzero.errors import AnyzeroError
from anyzero.experiments.config import load_experiment
from anyzero.files import parse_object
from anyzero.games.load import load
from anyzero.networks.config import parse_network
from anyzero.players import parse_player
from anyzero.players.text import split_player
from anyzero.protocols.gtp import GtpEngine
from anyzero.protocols.uci import UciEngine
from anyzero.records import read_records
from anyzero.records.files import FORMS, MATCH_FORM
from anyzero.search.methods import parse_search
from anyzero.web.messages import read_message
from tests.protocols.lines import Listener
from tests.records.play import random_table

EXAMPLE = Path(__file__).parent.parent / "examples" / "hex_rave.toml"
FEW = pytest.param(1, id="few")
MANY = pytest.param(25, id="many", marks=pytest.mark.slow)

ODD = ("", "\x00", "\t", "ä", "٣", "-1", "1e9", "1e999", "9" * 5000, "nan", "null", "\u2028", "\\", "%", "--", "Z0")
ODD += ('"', "[", "]", "{", "}", "(", ")", ";", ",", ":", "=", "@", "[[[[[[[", "./evil.py", "hex:size=19", "1-0", "$3")


def damage(rng: random.Random, texts: tuple[str, ...]) -> str:
    """One of these texts, mostly with letters, words or halves changed."""
    text = rng.choice(texts)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        place, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        end = rng.choice((place, place + 1, place + 1, end))
        other = rng.choice(texts)
        letter = chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x3000))))
        word = rng.choice((*other.split(), "", *ODD))
        half = other[rng.randrange(len(other) + 1) :]
        text = text[:place] + rng.choice((letter, letter, "", word, f" {word} ", text[place:end] * 2)) + text[end:]
        text = text[:place] + half if rng.random() < 0.1 else text
    return text


# --- files


def record_texts(suffix: str) -> tuple[str, ...]:
    game = {".pgn": "chess", ".sgf": "hex:size=3,swap=true"}.get(suffix, "tic_tac_toe")
    records = [random_table(game, seed, most=4).to_record() for seed in range(5)]
    if suffix == ".jsonl":
        header = {"form": MATCH_FORM, "game": "tic_tac_toe", "seed": 0}
        played = {"match": [0, 1, 0, 0], "players": ["a", "b"], "moves": ["a1"], "payoffs": [-1.0, 1.0]}
        return (json.dumps(header) + "\n" + json.dumps({**played, "reason": "time"}) + "\n",)
    return tuple(FORMS[suffix][1](record) for record in records)


def refusal(read: Callable[[str], object], text: str) -> str:
    """The sentence that refuses a text; empty if it is read."""
    try:
        read(text)
    except AnyzeroError as error:
        return str(error) or "without a word"
    return ""


@pytest.mark.parametrize("times", [FEW, MANY])
@pytest.mark.parametrize(("suffix", "count"), [(".json", 150), (".jsonl", 50), (".pgn", 40), (".sgf", 100)])
def test_a_damaged_record_is_read_or_refused(tmp_path, suffix, count, times):
    rng, texts, path = random.Random(suffix), record_texts(suffix), tmp_path / f"damaged{suffix}"
    again = path if suffix in (".pgn", ".sgf") else tmp_path / "again.json"
    num_refused = 0
    for _ in range(times * count):
        content = damage(rng, texts).encode("utf-8", errors="surrogatepass")
        path.write_bytes(content if rng.random() < 0.9 else content[: len(content) // 2] + b"\xff" + content)
        if said := refusal(read_records, str(path)):
            num_refused += 1
            assert said.startswith(f"{path}: "), (content, said)
            assert "\n" not in said, (content, said)
            continue
        for record in read_records(path):
            again.write_text(FORMS[again.suffix][1](record))
            assert read_records(again) == [record]
    assert 0 < num_refused < times * count


@pytest.mark.parametrize("times", [FEW, MANY])
def test_a_damaged_experiment_is_read_or_refused(tmp_path, times):
    rng, path, text = random.Random(3), tmp_path / "damaged.toml", EXAMPLE.read_text()
    said = []
    for _ in range(times * 150):
        path.write_text(damage(rng, (text,)), errors="replace")
        said.append(refusal(load_experiment, str(path)))
    assert all("\n" not in one for one in said)
    assert 0 < sum(map(bool, said)) < len(said)


# --- texts


class Reader(NamedTuple):
    read: Callable[[str], object]
    texts: tuple[str, ...]
    count: int


PLAYERS = ("random", "uct:2000", "rave:0.5s,bias=1e-5,final=value", "gumbel:64@none", "level:easy", "./none.py:a=3")
PLAYERS += ("uci:true,elo=1400,movetime=0.1", "gtp:'true' -x,movetime=2", "uct:100,reuse=1,trees=2", "human")
GAMES = ("hex:size=7,swap=true", "tic_tac_toe", "breakthrough:rows=6,columns=5", "take_it_easy", "./none.py:goal=5")
NETWORKS = ("tiny", "resnet:blocks=2,channels=16", "small,heads=wide", "kind=mlp,blocks=1")
MESSAGES = (
    '{"type": "new", "game": "hex:size=5", "seats": ["human", "uct:9"], "seed": 7, "moves": ["a1"], "pace": 0.5}',
    '{"type": "move", "table": "x", "move": "a1", "ply": 3, "seconds": 1.5, "request": 4}',
    '{"type": "analyse", "game": "hex", "moves": [], "player": "rave:100", "lane": "b", "request": 5}',
    '{"type": "pace", "table": "x", "paused": true, "request": 6}',
)
READERS = {
    "messages": Reader(lambda text: read_message(parse_object(text)), MESSAGES, 1500),
    "players": Reader(parse_player, PLAYERS, 1500),
    "player texts": Reader(split_player, PLAYERS, 1500),
    "searches": Reader(parse_search, PLAYERS[1:4], 1500),
    "games": Reader(load, GAMES, 600),
    "networks": Reader(parse_network, NETWORKS, 400),
}


@pytest.mark.parametrize("times", [FEW, MANY])
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_text_is_read_or_refused(monkeypatch, tmp_path, name, times):
    monkeypatch.chdir(tmp_path)
    rng, (read, texts, count) = random.Random(name), READERS[name]
    said = [refusal(read, damage(rng, texts)) for _ in range(times * count)]
    assert 0 < sum(map(bool, said)) < len(said)
    assert "without a word" not in said


# --- engines: each line is answered, and where it is refused nothing changes

UCI_LINES = (
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3 b8c6",
    "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "setoption name Seed value 7",
    "setoption name MultiPV value 2",
    "setoption name Method value uct",
    "setoption name Hash value 16",
    "setoption name Network value runs/none",
    "setoption name Ponder value true",
    "go nodes 5",
    "go wtime 100 btime 100 winc 1 binc 1 movestogo 40",
    "go movetime 1 searchmoves e2e4",
    "go infinite",
    "go ponder nodes 3",
    "go depth 1",
    "stop",
    "ponderhit",
    "debug on",
)
GTP_LINES = (
    "protocol_version",
    "7 name",
    "known_command play",
    "boardsize 3",
    "boardsize 4 4",
    "clear_board",
    "komi 6.5",
    "play b a1",
    "play w b2",
    "12 play black c3",
    "play w swap-pieces",
    "play b resign",
    "genmove b",
    "genmove w",
    "reg_genmove w",
    "undo",
    "showboard",
    "all_legal_moves",
    "time_settings 0 1 100",
    "time_left b 1 100",
    "final_score",
    "# nothing",
)


def lines_of(rng: random.Random, texts: tuple[str, ...], count: int) -> list[str]:
    """Damaged lines, none of which ends the engine."""
    lines = [damage(rng, texts).replace("\n", " ") for _ in range(count)]
    return [line for line in lines if "quit" not in line]


def uci_state(engine: UciEngine) -> object:
    return engine.options, engine.position.start, engine.position.moves, engine.position.state.tobytes()


@pytest.mark.parametrize("times", [FEW, MANY])
def test_the_uci_engine_lives_through_any_lines(times):
    listener, accepted = Listener(UciEngine), 0
    engine = listener.engine
    listener.tell("isready")
    for line in lines_of(random.Random(times), UCI_LINES, 2_000 * times):
        before, was_searching = uci_state(engine), engine.is_searching
        sent = listener.tell(line)
        refused = [text for text in sent if text.startswith("info string ") and "mate is no" not in text]
        assert not any("failed: " in text for text in sent), (line, sent)
        if refused and not was_searching:
            assert uci_state(engine) == before, (line, sent)
        if line.split()[:1] == ["go"] and not refused:
            accepted += 1
            listener.tell("stop")
    listener.tell("stop")
    over = listener.sent.count("bestmove (none)")  # a `go` in a finished game says so, which counts as refused
    assert sum(text.startswith("bestmove") for text in listener.sent) == accepted + over


def gtp_state(engine: GtpEngine) -> object:
    return engine.game.text, engine.table.moves, engine.table.termination, tuple(engine.clocks), engine.player.text


@pytest.mark.parametrize("times", [FEW, MANY])
def test_the_gtp_engine_lives_through_any_lines(times):
    listener = Listener(lambda send: GtpEngine("hex:size=3", "random", send))
    engine = listener.engine
    for line in lines_of(random.Random(times), GTP_LINES, 2_000 * times):
        before, sent = gtp_state(engine), listener.tell(line)
        assert len(sent) <= 1
        for answer in sent:
            assert answer.startswith(("=", "?"))
            assert answer.endswith("\n")
            assert "\n\n" not in answer
            assert "failed: " not in answer, (line, answer)
            if answer.startswith("?"):
                assert gtp_state(engine) == before, (line, answer)
