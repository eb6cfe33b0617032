"""Finished games in a file, one JSON line each, written at once: what a stopped run goes on from.

The first line says what is played; a run with other players, another game or another seed is refused. Each line has a
seal over itself and the first line; one without, of an earlier version or another program, is played again from its
moves, as are all of a user's game, whose rules may have changed. `Journal` knows how to write and to take over lines,
`Record` which games they are.
"""

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

from anyzero.arena.match import MatchResult, check_result
from anyzero.arena.plan import Match, Plan
from anyzero.errors import AnyzeroError
from anyzero.files import parse_object, take_lock, writing
from anyzero.games.load import load
from anyzero.sealed import SEAL, seal_of

FORM = "anyzero games 1"


class Journal:
    """An open file of finished games; `header` is its first line and says what they belong to."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path, self.form = path, header["form"]
        if path.exists() and not path.is_file():  # a device may be read for ever
            raise AnyzeroError(f"cannot write {path}: it is not a file")
        with writing(path):
            self.file: BinaryIO = path.open("a+b")
        try:
            take_lock(self.file.fileno(), path, "is being written by another run")
            self.header = json.dumps(header)
            self.read(self.header)
        except BaseException:
            self.file.close()
            raise

    def take(self, values: dict[str, Any], *, is_sealed: bool) -> None:
        """Take a finished game over; TypeError, ValueError, KeyError or AnyzeroError if it is none."""
        raise NotImplementedError

    def read(self, header: str) -> None:
        """Take over the games of the file; a last line that is not whole is dropped."""
        self.file.seek(0)
        content = self.file.read()
        expected = header.encode() + b"\n"
        if expected.startswith(content):  # a new file, or one whose first line was cut off
            self.file.truncate(0)
            self.write(header)
            return
        self.check_header(content, header)
        end = len(expected)
        lines = content[end:].splitlines(keepends=True)
        for number, line in enumerate(lines, start=2):
            fault = self.take_line(line)
            if fault and number <= len(lines):
                advice = "nothing was changed; without that line the game is played again"
                raise AnyzeroError(f"{self.path}: line {number} is not a finished game: {fault}; {advice}")
            if fault:
                print(f"anyzero: {self.path}: the last line is broken; its game is played again", file=sys.stderr)
                self.file.truncate(end)
                return
            end += len(line)

    def take_line(self, line: bytes) -> str:
        """What is wrong with a line; nothing if it is whole and a finished game."""
        values = parse_object(line) if line.endswith(b"\n") else None
        if values is None:
            return "it is not whole"
        try:
            self.take(values, is_sealed=unseal(values, self.header))
        except (TypeError, ValueError, KeyError, AnyzeroError) as error:
            return str(error) if isinstance(error, ValueError | AnyzeroError) else "parts of it are missing or wrong"
        return ""

    def check_header(self, content: bytes, header: str) -> None:
        """One sentence if the file belongs to something else."""
        found = parse_object(content.split(b"\n", 1)[0])
        if found is None or found.get("form") != self.form:
            raise AnyzeroError(f"{self.path} is not a record of games; nothing was changed")
        expected = json.loads(header)
        for key in expected | found:
            old, new = found.get(key), expected.get(key)
            if old != new:
                other = f"({key} {old!r}, not {new!r})"
                raise AnyzeroError(f"{self.path} is the record of another run {other}; nothing was changed")
        if not content.startswith(header.encode() + b"\n"):
            raise AnyzeroError(f"{self.path}: the first line has been changed")

    def write(self, line: str) -> None:
        """Append a line; it is on the disk when this returns."""
        with writing(self.path):
            self.file.write(line.encode() + b"\n")
            self.file.flush()
            os.fsync(self.file.fileno())

    def write_game(self, values: dict[str, Any]) -> None:
        self.write(json.dumps({**values, SEAL: seal_of(values, self.header)}))

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what could not be written has been reported
            self.file.close()


def unseal(values: dict[str, Any], header: str) -> bool:
    """Take the seal off a line, if it has one; ValueError if the line is not what was sealed."""
    seal = values.pop(SEAL, None)
    if seal not in (None, seal_of(values, header)):
        raise ValueError("it was changed after it was written")
    return seal is not None


class Record(Journal):
    def __init__(self, path: Path, plan: Plan) -> None:
        self.results: dict[Match, MatchResult] = {}
        self.plan, self.game = plan, load(plan.game)
        super().__init__(path, {"form": FORM, **plan.identity()})

    def take(self, values: dict[str, Any], *, is_sealed: bool) -> None:
        result = MatchResult.from_json(values)
        first, second, pair, leg = result.match
        if not 0 <= first < second < len(self.plan.players) or pair < 0 or leg not in self.plan.legs:
            raise ValueError("it is not a game of this match")
        replay = self.game.is_from_file or not is_sealed
        check_result(self.game, result, self.plan.players, replay=replay)
        self.results[result.match] = result

    def add(self, result: MatchResult) -> None:
        self.write_game(result.to_json())
        self.results[result.match] = result
