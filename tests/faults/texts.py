"""Every door that a text comes in by, with texts that are damaged at random: read, or refused in
one sentence.

What a door reads and can write again reads back the same; an engine that refuses a line is as it
was before.
"""

import json
import random
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from anyzero.app.protocols.gtp import GtpEngine
from anyzero.app.protocols.uci import UciEngine
from anyzero.app.records.files import WRITERS, read_records
from anyzero.app.web.forms import Message
from anyzero.core.base.files import parse_object
from anyzero.core.base.schema import write_toml
from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.learning.config import RunConfig, change, load_config, parse_setting
from anyzero.core.nets.config import parse_network
from anyzero.core.search.methods import parse_search
from anyzero.tools.arena.match import MATCH_FORM
from anyzero.tools.lab.config import load_experiment
from anyzero.tools.lab.opening import make_config
from anyzero.tools.players import parse_player
from anyzero.tools.players.text import split_player
from tests.faults.table import Table, Told
from tests.protocols.lines import Listener
from tests.records.play import random_table

EXAMPLE = Path(__file__).parents[2] / "examples" / "hex_rave.toml"
ODD = (
    "",
    "\x00",
    "\t",
    "ä",
    "٣",
    "-1",
    "1e9",
    "1e999",
    "9" * 5000,
    "1" + "0" * 400,
    "nan",
    "null",
    "\u2028",
    "\\",
)
ODD += (
    '"',
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ";",
    ",",
    ":",
    "=",
    "@",
    "[[[[[[[",
    "./evil.py",
    "hex:size=19",
    "1-0",
    "$3",
)
ODD += ("%", "--", "Z0", "n" * 300, "\udcff")


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
        text = (
            text[:place]
            + rng.choice((letter, letter, "", word, f" {word} ", text[place:end] * 2))
            + text[end:]
        )
        text = text[:place] + half if rng.random() < 0.1 else text
    return text


Use = Callable[[str], object]


class Door(NamedTuple):
    open: Callable[[Path], Use]
    """What reads a text, given a folder to write in; an AssertionError is a fault of ours."""
    texts: Callable[[], tuple[str, ...]]
    """Such as are read."""
    count: int
    """Of the small campaign."""


# --- files


def record_texts(suffix: str) -> tuple[str, ...]:
    game = {".pgn": "chess", ".sgf": "hex:size=3,swap=true"}.get(suffix, "tic_tac_toe")
    if suffix == ".jsonl":
        header = {"form": MATCH_FORM, "game": "tic_tac_toe", "seed": 0}
        played = {
            "match": [0, 1, 0, 0],
            "players": ["a", "b"],
            "moves": ["a1"],
            "payoffs": [-1.0, 1.0],
        }
        return (json.dumps(header) + "\n" + json.dumps({**played, "reason": "time"}) + "\n",)
    return tuple(WRITERS[suffix](random_table(game, seed, most=4).to_record()) for seed in range(5))


def in_file(name: str, read: Callable[[Path], object], folder: Path) -> Use:
    """A reader of texts that lie in a file, some with bytes that are no text."""
    path, rng = folder / name, random.Random(name)

    def use(text: str) -> object:
        content = text.encode("utf-8", errors="surrogatepass")
        path.write_bytes(
            content if rng.random() < 0.9 else content[: len(content) // 2] + b"\xff" + content
        )
        return read(path)

    return use


def read_and_write_again(path: Path) -> None:
    again = path.with_name("again" + (path.suffix if path.suffix in (".pgn", ".sgf") else ".json"))
    for record in read_records(path):
        again.write_text(WRITERS[again.suffix](record))
        assert read_records(again) == [record]


# --- games


@cache
def states_of(name: str) -> list[Any]:
    """The start, and where a few random games were left that are not over."""
    game = load(name)
    states = [game.initial_state(), *(random_table(name, seed, most=30).state for seed in range(6))]
    return [state for state in states if not game.is_over(state)]


def positions_of(name: str) -> tuple[str, ...]:
    return tuple(map(load(name).format_state, states_of(name)))


def moves_of(name: str) -> tuple[str, ...]:
    return tuple(
        sorted({move for state in states_of(name) for move in load(name).legal_moves(state)})
    )


def read_positions(name: str, _folder: Path) -> Use:
    game = load(name)

    def use(text: str) -> None:
        found = game.parse_state(text)
        assert game.parse_state(game.format_state(found)).tobytes() == found.tobytes()

    return use


def read_moves(name: str, _folder: Path) -> Use:
    game, states = load(name), states_of(name)
    return lambda text: game.play(random.Random(text.encode(errors="replace")).choice(states), text)


# --- engines: each line is answered, and where it is refused nothing changes

UCI_LINES = tuple(
    """uci
isready
ucinewgame
position startpos
position startpos moves e2e4 e7e5 g1f3 b8c6
position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4
position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1
position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1
setoption name Seed value 7
setoption name MultiPV value 2
setoption name Method value uct
setoption name Hash value 16
setoption name Network value runs/none
setoption name Ponder value true
go nodes 5
go wtime 100 btime 100 winc 1 binc 1 movestogo 40
go movetime 1 searchmoves e2e4
go infinite
go ponder nodes 3
go depth 1
stop
ponderhit
debug on""".splitlines()
)
GTP_LINES = tuple(
    """protocol_version
7 name
known_command play
boardsize 3
boardsize 4 4
clear_board
komi 6.5
play b a1
play w b2
12 play black c3
play w swap-pieces
play b resign
genmove b
genmove w
reg_genmove w
undo
showboard
all_legal_moves
time_settings 0 1 100
time_left b 1 100
final_score
# nothing""".splitlines()
)


def uci_state(engine: UciEngine) -> object:
    return engine.options, list(engine.states), engine.state.tobytes()


def speak_uci(_folder: Path) -> Use:
    listener = Listener(UciEngine)
    engine = listener.engine
    listener.tell("isready")

    def use(line: str) -> None:
        line = line.replace("\n", " ")
        if "quit" in line:
            return
        before, start, was_searching = uci_state(engine), len(listener.sent), engine.is_searching
        sent = listener.tell(line)
        refused = [
            text for text in sent if text.startswith("info string ") and "mate is no" not in text
        ]
        assert not any("failed: " in text for text in sent), sent
        assert not refused or was_searching or uci_state(engine) == before, sent
        if line.split()[:1] == ["go"] and not refused:
            listener.tell("stop")
            assert sum(text.startswith("bestmove") for text in listener.sent[start:]) == 1, (
                listener.sent[start:]
            )
        if refused:
            raise Told(refused)

    return use


def gtp_state(engine: GtpEngine) -> object:
    return (
        engine.game.text,
        engine.table.moves,
        engine.table.termination,
        tuple(engine.clocks),
        engine.player.text,
    )


def speak_gtp(_folder: Path) -> Use:
    listener = Listener(lambda send: GtpEngine("hex:size=3", "random", send))

    def use(line: str) -> None:
        line = line.replace("\n", " ")
        if "quit" in line:
            return
        before, sent = gtp_state(listener.engine), listener.tell(line)
        assert len(sent) <= 1
        for answer in sent:
            assert answer.startswith(("=", "?"))
            assert answer.endswith("\n")
            assert "\n\n" not in answer
            assert "failed: " not in answer, answer
            if answer.startswith("?"):
                assert gtp_state(listener.engine) == before, answer
                raise Told(answer)

    return use


# --- all doors

PLAYERS = (
    "random",
    "uct:2000",
    "rave:0.5s,bias=1e-5,final=value",
    "gumbel:64@none",
    "level:easy",
    "./none.py:a=3",
)
PLAYERS += (
    "uci:true,elo=1400,movetime=0.1",
    "gtp:'true' -x,movetime=2",
    "uct:100,reuse=1,trees=2",
    "human",
)
GAMES = (
    "hex:size=7,swap=true",
    "tic_tac_toe",
    "breakthrough:rows=6,columns=5",
    "take_it_easy",
    "./none.py:goal=5",
)
NETWORKS = ("tiny", "resnet:blocks=2,channels=16", "small,heads=wide", "kind=mlp,blocks=1")
SETTINGS = (
    "selfplay.games=64",
    "trainer.learning_rate=0.01",
    "network=2x8",
    "league.anchors=random;uct:10",
    "seed=7",
)
MESSAGES = (
    '{"type": "new", "game": "hex:size=5", "seats": ["human", "uct:9"], "seed": 7, "moves": '
    '["a1"], "pace": 0.5}',
    '{"type": "move", "table": "x", "move": "a1", "ply": 3, "seconds": 1.5, "request": 4}',
    '{"type": "analyse", "game": "hex", "moves": [], "player": "rave:100", "lane": "b", '
    '"request": 5}',
    '{"type": "pace", "table": "x", "paused": true, "request": 6}',
)


def set_one(text: str) -> object:
    """What `--set` does."""
    return change(RunConfig(), dict([parse_setting(text)]))


def plain(read: Use, texts: tuple[str, ...], count: int) -> Door:
    return Door(lambda _folder: read, lambda: texts, count)


DOORS: dict[str, Door] = {
    "web messages": plain(lambda text: Message.parse(parse_object(text)), MESSAGES, 1500),
    "players": plain(parse_player, PLAYERS, 1500),
    "player texts": plain(split_player, PLAYERS, 1500),
    "searches": plain(parse_search, PLAYERS[1:4], 1500),
    "game texts": plain(load, GAMES, 600),
    "networks": plain(parse_network, NETWORKS, 400),
    "--set": plain(set_one, SETTINGS, 200),
    "config TOML": Door(
        partial(in_file, "config.toml", load_config),
        lambda: (write_toml(make_config("hex").to_dict()),),
        100,
    ),
    "experiment TOML": Door(
        partial(in_file, "a.toml", load_experiment), lambda: (EXAMPLE.read_text(),), 150
    ),
    "UCI lines": Door(speak_uci, lambda: UCI_LINES, 2000),
    "GTP lines": Door(speak_gtp, lambda: GTP_LINES, 2000),
    **{
        f"{suffix} records": Door(
            partial(in_file, f"game{suffix}", read_and_write_again),
            partial(record_texts, suffix),
            count,
        )
        for suffix, count in ((".json", 150), (".jsonl", 50), (".pgn", 40), (".sgf", 100))
    },
    **{
        f"positions of {name}": Door(
            partial(read_positions, name), partial(positions_of, name), 100
        )
        for name in BUILT_IN
    },
    **{
        f"moves of {name}": Door(partial(read_moves, name), partial(moves_of, name), 100)
        for name in BUILT_IN
    },
}


TIMES = 1e6 / sum(door.count for door in DOORS.values())
"""How many small campaigns a full one is: a million lines."""


def run_campaign(
    place: Path, table: Table, *, times: float, doors: dict[str, Door] = DOORS
) -> None:
    """So many times the small campaign."""

    @cache
    def opened(name: str) -> tuple[Use, tuple[str, ...], random.Random]:
        rng = random.Random(f"{name} {table.seed} {table.worker}")
        return doors[name].open(place), doors[name].texts(), rng

    for name in table.turns(
        name for name, door in doors.items() for _ in range(max(1, round(times * door.count)))
    ):
        use, texts, rng = opened(name)
        text = damage(rng, texts)
        table.judge(name, lambda use=use, text=text: bool(use(text)) * 0, 0, repr(text[:300]))
