"""Records in files: `.json` for every game, `.pgn` for chess, `.sgf` for Hex; `.jsonl` of matches
is read only.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from anyzero.app.records.in_progress import replay_record
from anyzero.app.records.pgn import Unread, read_pgn, write_pgn
from anyzero.app.records.record import (
    FORMAT,
    REASON_WORDS,
    BadRecordError,
    GameRecord,
    find_game,
    load_named,
    within,
)
from anyzero.app.records.sgf import read_sgf, write_sgf
from anyzero.core.base.errors import list_some
from anyzero.core.base.files import parse_object, write_whole
from anyzero.core.base.report import count
from anyzero.core.base.sealed import SEAL, seal_of
from anyzero.core.game.definition import split_text
from anyzero.core.game.game import Game
from anyzero.core.game.play import Reason
from anyzero.tools.arena.match import MATCH_FORM, REASONS

LARGEST_FILE = 16 * 2**20  # bytes; larger files are not read
FIRST = "has {} games, and this is the first"

Read = Callable[[str, Game | None], list[Unread]]
Write = Callable[[GameRecord], str]
Form = TypeVar("Form")


def read_records(
    path: Path | str,
    game: Game | None = None,
    *,
    number: int | None = None,
    only_first: bool = False,
) -> list[GameRecord]:
    """All games of a file, at least one, or the one with this number; `game` is required if its
    rules are in a file.
    """
    path = Path(path)
    read = find_form(path, READERS)
    with within(str(path)):
        unread = read(load_text(path), game)
        records = read_chosen(unread, 1 if only_first else number)
        for record in records if game is not None else ():
            find_game(record, game)
    if only_first and len(unread) > 1:
        print(f"{path} {FIRST.format(len(unread))}", file=sys.stderr)
    return records


def read_record(
    path: Path | str, number: int | None = None, game: Game | None = None
) -> GameRecord:
    """One game of a file, counted from 1; without a number the first, which is said if there are
    more.
    """
    return read_records(path, game, number=number, only_first=number is None)[0]


def checked_record(values: object, game: Game | None = None) -> GameRecord:
    """The record made of these plain values, checked by replaying it; `game` is required if it is
    from a file.

    `checked_record(record.to_json()) == record` for every record whose moves are legal.
    """
    return replay_record(GameRecord.parse(values), game).to_record()


def read_chosen(unread: Sequence[Unread], number: int | None) -> list[GameRecord]:
    """All games, or the one with this number, read."""
    if not unread:
        raise BadRecordError("there is no game in it")
    if number is not None and not 1 <= number <= len(unread):
        raise BadRecordError(f"it has {count(len(unread), 'game')}, not a game {number}")
    return [read() for index, read in enumerate(unread, start=1) if number in (None, index)]


def write_record(path: Path | str, record: GameRecord, game: Game | None = None) -> None:
    """Write a game atomically; a record that could not be read back is refused."""
    write_whole(Path(path), record_text(path, record, game).encode())


def record_text(path: Path | str, record: GameRecord, game: Game | None = None) -> str:
    """The content of a file with this name."""
    return find_form(Path(path), WRITERS)(checked_record(record.to_json(), game))


# --- JSON


def read_json(text: str, game: Game | None) -> list[Unread]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRecordError(f"it is not JSON: {error}") from None
    return [partial(checked_record, values, game)]


# --- the games of a match, as stored by `--record`: a line that says what is played, then a line
# per game


def read_match(text: str, game: Game | None) -> list[Unread]:
    """The finished games of such a file; an incomplete last line is ignored, as when a match
    resumes.
    """
    lines = text.split("\n")
    header = parse_object(lines[0])
    games = lines[1:-1]
    if (
        header is None
        or header.get("form") != MATCH_FORM
        or not isinstance(header.get("game"), str)
    ):
        raise BadRecordError("it is not a record of games")
    game = load_named(header["game"]) if game is None else game
    (name, options), (name_here, options_here) = split_text(header["game"]), split_text(game.text)
    is_same = name == name_here or (
        name.endswith(".py") and game.is_from_file
    )  # a file may have been moved
    if not is_same or options != options_here:
        raise BadRecordError(f"the record is of {header['game']}, which is not {game.text}")
    return [
        partial(read_match_game, line, number, lines[0], game)
        for number, line in enumerate(games, start=1)
    ]


def read_match_game(line: str, number: int, first: str, game: Game) -> GameRecord:
    values = parse_object(line)
    header = json.loads(first)
    if values is None:
        raise BadRecordError(f"line {number + 1} is not a finished game")
    if values.pop(SEAL, None) not in (None, seal_of(values, first)):
        raise BadRecordError(f"line {number + 1} was changed after it was written")
    reason = REASONS.get(str(values.get("reason")), Reason.FORFEIT)
    record = {
        "format": FORMAT,
        "game": header["game"],
        "rules": {"name": game.name, "options": dict(game.options)},
        "players": values.get("players"),
        "seed": header.get("seed"),
        "moves": values.get("moves"),
        "result": {
            "payoffs": values.get("payoffs"),
            "termination": REASON_WORDS[reason],
        },
        "tags": {"Round": str(number), "Termination": str(values.get("reason"))},
    }
    with within(f"game {number}"):
        return checked_record(record, game)


# --- formats


WRITERS: dict[str, Write] = {
    ".json": lambda record: json.dumps(record.to_json(), ensure_ascii=False, indent=1) + "\n",
    ".pgn": write_pgn,
    ".sgf": write_sgf,
}
FACTS = ("pgn", "sgf")  # formats that only games have whose facts say so
READERS: dict[str, Read] = {
    ".json": read_json,
    ".pgn": lambda text, game: read_pgn(text),
    ".sgf": lambda text, game: read_sgf(text),
    ".jsonl": read_match,
}


def forms_of(game: Game) -> list[str]:
    """The formats that the page offers for a game."""
    others = [] if game.is_from_file else [form for form in FACTS if getattr(game.facts, form)]
    return ["json", *others]


def find_form(path: Path, forms: Mapping[str, Form]) -> Form:
    """The reader or the writer for the file's suffix."""
    suffix = path.suffix.lower()
    if suffix not in forms or "\0" in str(path):
        raise BadRecordError(f"{path}: the name of a game's file ends in one of {list_some(forms)}")
    return forms[suffix]


def load_text(path: Path) -> str:
    """The file's text: UTF-8 or, for old PGN files, Latin-1."""
    try:
        if path.exists() and not path.is_file():  # reading a device may never end
            raise BadRecordError("it is not a file")
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise BadRecordError(f"cannot be read: {error.strerror}") from None
    if len(content) > LARGEST_FILE:
        raise BadRecordError(f"it has more than {LARGEST_FILE // 2**20} MiB")
    if b"\0" in content:
        raise BadRecordError("it is damaged, or no text: it holds zero bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
