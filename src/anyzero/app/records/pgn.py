"""Chess games as PGN: comments, glyphs and variations are skipped, and what is written reads back
the same.

Two tags are our own: `After` (the moves before the position in the tag FEN, which count for
repetitions) and `Seed`. So is a note on a move, a comment such as `[%emt 0:00:02.5] [%value
0.31/2000]`: the time for the move (`%emt`, elapsed move time, is common), the expected payoff for
the mover, and the simulations it is based on. SGF has the same notes.
"""

import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial

from anyzero.app.records.in_progress import GameInProgress, Note, Ply, replay_record
from anyzero.app.records.record import (
    LARGEST_SEED,
    BadRecordError,
    Evaluation,
    GameRecord,
    read_day,
    within,
)
from anyzero.core.base.errors import list_some
from anyzero.core.game.game import Game
from anyzero.core.game.load import games_with, names_with
from anyzero.core.game.play import FAULTS, End, Reason

Unread = Callable[[], GameRecord]  # a game found in a file, checked when this is called

TOKEN = re.compile(
    r"""
    (?P<space> \s+ | ^%[^\n]* )
    | (?P<comment> ;[^\n]* | \{[^}]*\} )
    | \[ \s* (?P<name> [A-Za-z0-9_]+ ) \s* "(?P<value> (?: [^"\\\r\n] | \\[^\r\n] )* )" \s* \]
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<result> (?: 1-0 | 0-1 | 1/2-1/2 ) (?![-/\w]) | \* )
    | (?P<number> [0-9]+ (?![-\w]) \.* | \.+ | \$[0-9]+ | [!?]+ | e\.p\. | <[^>\n]*> )
    | (?P<move> (?: [A-Za-z0-9] | -- ) [-A-Za-z0-9+\#=:@]* [!?]* )
    """,
    re.VERBOSE | re.MULTILINE,
)
ESCAPE = re.compile(r'\\(["\\])')
DRAWN = "1/2-1/2"
PAYOFFS = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), DRAWN: (0.0, 0.0)}
RESULTS = {payoffs: text for text, payoffs in PAYOFFS.items()}
UNDECIDED = "*"
REASON_WORDS = {
    Reason.RULES: "normal",
    Reason.RESIGNATION: "normal",
    Reason.AGREEMENT: "normal",
    **dict.fromkeys(FAULTS, "rules infraction"),
    Reason.UNFINISHED: "unterminated",
    Reason.CUT_OFF: "unterminated",
}
"""Values of the tag Termination."""
NOBODYS_FAULT = ("normal", "adjudication", "unterminated", "")
UNKNOWN = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?"}
TAG = "[A-Za-z0-9_]+"
OWN_TAGS = (
    "White",
    "Black",
    "Result",
    "FEN",
    "SetUp",
    "After",
    "Seed",
)  # tags stored in a record's own fields
WIDTH = 79
CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
)  # characters not allowed in a record's texts
ELAPSED = re.compile(r"\[%emt\s+([0-9]{1,5}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{0,9})?)\]")
VALUE = re.compile(r"\[%value\s+(-?[0-9]\.?[0-9]{0,30}(?:e-[0-9]{1,3})?)/([0-9]{1,18})\]")


# --- parsing: variations, glyphs (`$1`), suffixes (`!?`) and move numbers are skipped


@dataclass
class MoveText:
    """A move as written, its line number, and the comments after it."""

    text: str
    line: int
    comment: str = ""


@dataclass
class PgnGame:
    """One game of a file, not yet interpreted."""

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[MoveText] = field(default_factory=list)
    result: str | None = None


def split_games(text: str) -> list[PgnGame]:
    """The games of a file; variations are skipped."""
    # depth of nested variations
    games = [PgnGame()]
    depth = 0
    for kind, match, line in tokens(text):
        if games[-1].result is not None or (kind == "value" and games[-1].moves and not depth):
            games.append(PgnGame())
        game = games[-1]
        depth += (kind == "open") - (kind == "close")
        if depth < 0:
            raise BadRecordError(f"line {line}: a variation is closed that was not opened")
        if depth:
            continue
        if kind == "value":
            game.tags[match["name"]] = ESCAPE.sub(r"\1", match["value"])
        elif kind == "move":
            game.moves.append(MoveText(match[0].rstrip("!?"), line))
        elif kind == "comment" and game.moves:
            game.moves[-1].comment += match[0].strip("{};")
        elif kind == "result":
            game.result = match[0]
    if depth:
        raise BadRecordError(f"line {text.count(chr(10)) + 1}: a variation is not closed")
    return [game for game in games if game.tags or game.moves or game.result is not None]


def tokens(text: str) -> Iterator[tuple[str, re.Match[str], int]]:
    """Kind, match and line of each token; an error if the text is not PGN."""
    place = 0
    line = 1
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            word = text[place : place + 20].split()[0]
            wrong = (
                f'{word!r} is not a tag such as [Event "?"]'
                if word[0] == "["
                else f"{word!r} is not PGN"
            )
            raise BadRecordError(
                f"line {line}: {'a comment is not closed' if word[0] == '{' else wrong}"
            )
        kind = str(match.lastgroup)
        if kind != "space":
            yield kind, match, line
        line += match[0].count("\n")
        place = match.end()


# --- reading


def read_pgn(text: str) -> list[Unread]:
    find = cache(game_of_variant)
    return [
        partial(read_pgn_game, find, written, number)
        for number, written in enumerate(split_games(text), start=1)
    ]


def game_of_variant(variant: str) -> Game:
    """The game that the tag Variant means; files mostly leave it out."""
    for game in games_with("pgn"):
        if variant.lower() in game.facts.pgn:
            return game
    names = list_some(names_with("pgn"))
    raise BadRecordError(f"the variant {variant!r} is not {names} as it is played here")


def read_pgn_game(find: Callable[[str], Game], written: PgnGame, number: int) -> GameRecord:
    with within(f"game {number}"):
        game = find(written.tags.get("Variant", ""))
        texts = [move.text for move in written.moves]
        words = [text if "O" in text or "0" in text else text.replace("-", "") for text in texts]
        fen = written.tags.get("FEN")
        after = written.tags.get("After")
        start = fen if fen is None or after is None else f"{fen} after {after}"
        notes = [parse_note(move.comment) for move in written.moves]
        table = GameInProgress.played(
            game, start, words, notes, [f"line {move.line}" for move in written.moves]
        )
        end_pgn_game(written, table)
        read_tags(written.tags, table)
        return table.to_record()


def read_tags(written: dict[str, str], table: GameInProgress) -> None:
    """Players, date, seed, and tags without a field in a record; an incomplete date stays a tag."""
    facts = {name: CONTROL.sub(" ", text) for name, text in written.items()}
    tags = {
        name: text
        for name, text in facts.items()
        if name not in OWN_TAGS and UNKNOWN.get(name) != text
    }
    if tags.get("Termination", "").lower() in ("", REASON_WORDS[table.end.reason]):
        tags.pop("Termination", None)
    table.date = read_day(tags.get("Date", "").replace(".", "-"))
    if table.date:
        del tags["Date"]
    table.players = (facts.get("White", "?"), facts.get("Black", "?"))
    table.tags = tags
    table.seed = read_seed(written.get("Seed", ""))


def end_pgn_game(written: PgnGame, table: GameInProgress) -> None:
    """How it ended; the result after the moves, the tag's and the rules' must agree."""
    results = {written.result or "", written.tags.get("Result", "")} - {"", "?", UNDECIDED}
    for result in sorted(results - set(PAYOFFS)):
        raise BadRecordError(f"the result {result!r} is not one of {', '.join(PAYOFFS)}, *")
    if len(results) > 1:
        raise BadRecordError(f"its results differ: {' and '.join(sorted(results))}")
    payoffs = PAYOFFS[results.pop()] if results else None
    if payoffs is None or payoffs == table.payoffs:
        return
    if table.payoffs is not None:
        by_rules = RESULTS[table.payoffs]  # type: ignore[index]
        raise BadRecordError(f"the result is {RESULTS[payoffs]}, but by the rules it is {by_rules}")
    said = written.tags.get("Termination", "").lower()
    if payoffs == PAYOFFS[DRAWN]:
        table.finish(End(Reason.AGREEMENT))
        return
    has_resigned = said in NOBODYS_FAULT or "resign" in said
    reason = Reason.RESIGNATION if has_resigned else Reason.FORFEIT
    table.finish(End(reason, payoffs.index(-1.0)))


# --- notes and seeds


def format_note(ply: Ply) -> str:
    """The comment on one move; empty if there is nothing to note."""
    parts = [] if ply.seconds is None else [f"[%emt {format_clock(ply.seconds)}]"]
    parts += (
        []
        if ply.evaluation is None
        else [f"[%value {ply.evaluation.value!r}/{ply.evaluation.simulations}]"]
    )
    return " ".join(parts)


def format_clock(seconds: float) -> str:
    """Hours, minutes and seconds, with up to three decimals as needed."""
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    rest = f"{milliseconds // 1000:02d}.{milliseconds % 1000:03d}".rstrip("0").rstrip(".")
    return f"{minutes // 60}:{minutes % 60:02d}:{rest.zfill(2)}"


def parse_note(comment: str) -> Note:
    clock = ELAPSED.search(comment)
    value = VALUE.search(comment)
    seconds = None
    evaluation = None
    if clock:
        seconds = round(int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3]), 3)
    if value and abs(float(value[1])) <= 1.0:
        evaluation = Evaluation(value=float(value[1]), simulations=int(value[2]))
    return seconds, evaluation


def read_seed(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,20}", text) and int(text) <= LARGEST_SEED else None


# --- writing


def write_pgn(record: GameRecord) -> str:
    names = names_with("pgn")
    if record.rules.name not in names:
        raise BadRecordError(
            f"PGN is for {list_some(names)}, this is a game of {record.rules.name}; .json is for "
            "every game"
        )
    table = replay_record(record)
    result = UNDECIDED if table.payoffs is None else RESULTS[table.payoffs]  # type: ignore[index]
    words: list[str] = []
    for state, ply in table.steps():
        number = int(state.move_number)
        note = format_note(ply)
        if state.mover == 0 or not words or words[-1].endswith("}"):
            words.append(f"{number}." if state.mover == 0 else f"{number}...")
        words += [ply.notation(table.game, state), *([f"{{{note}}}"] if note else [])]
    lines = textwrap.wrap(
        " ".join([*words, result]), WIDTH, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join([*tag_lines(record, table.end, result), "", *lines, "", ""])


def tag_lines(record: GameRecord, end: End, result: str) -> list[str]:
    fen, _, after = (record.start or "").partition(" after ")
    tags = {**UNKNOWN, "White": record.players[0], "Black": record.players[1], "Result": result}
    if record.date:
        tags["Date"] = record.date.replace("-", ".")
    if fen:
        tags["SetUp"] = "1"
        tags["FEN"] = fen
    if after:
        tags["After"] = after
    if record.seed is not None:
        tags["Seed"] = str(record.seed)
    tags["Termination"] = REASON_WORDS[end.reason]
    for name, text in record.tags.items():
        if re.fullmatch(TAG, name) and name not in OWN_TAGS:
            tags[name] = text
    escaped = {name: text.replace("\\", "\\\\").replace('"', '\\"') for name, text in tags.items()}
    return [f'[{name} "{text}"]' for name, text in escaped.items()]
