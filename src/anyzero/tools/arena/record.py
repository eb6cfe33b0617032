"""Finished games in a file, one JSON line each, written at once, from which a stopped run resumes.

The first line says what is played; a run with other players or networks, another game or another
seed is refused. Each line has a seal over itself and the first line. Lines without one, of an
earlier version or another program, are checked by replaying their moves, as are all of a user's
game, whose rules may have changed.
"""

import contextlib
import json
import os
import sys
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.files import parse_object, take_lock, writing
from anyzero.core.base.nouns import Values
from anyzero.core.base.sealed import SEAL, seal_of
from anyzero.core.game.load import load
from anyzero.core.learning.find import BEST, find_network, hash_of
from anyzero.tools.arena.match import MATCH_FORM, MatchResult, check_match_result
from anyzero.tools.arena.plan import Match, Plan
from anyzero.tools.arena.workers import Task, Workers, play_all
from anyzero.tools.players.text import split_player

GRID_FORM = "anyzero experiment 1"

Results = dict[Match, MatchResult]


class Record:
    """The finished games of one or more plans, in memory and, if it has a path, in a file.

    A match or tournament is one plan, which identifies the file. A grid has many plans: its
    `identity` identifies the file, each line has the number of its plan, and the moves of its games
    are not kept in memory.
    """

    file: BinaryIO | None = None

    def __init__(
        self, plans: Sequence[Plan], path: Path | str | None, identity: Values | None = None
    ) -> None:
        self.plans = list(plans)
        self.is_grid = identity is not None
        self.numbers = {plan: number for number, plan in enumerate(self.plans)}
        self.results: dict[Plan, Results] = {plan: {} for plan in self.plans}
        self.games = {text: load(text) for text in {plan.game for plan in self.plans}}
        if path is None:
            return
        self.path = Path(path)
        if self.path.exists() and not self.path.is_file():  # reading a device may never end
            raise AnyzeroError(f"cannot write {path}: it is not a file")
        header = (
            {"form": MATCH_FORM, **self.plans[0].identity()}
            if identity is None
            else {"form": GRID_FORM, **identity}
        )
        if networks := {
            split_player(player).network for plan in plans for player in plan.players
        } - {"", BEST}:
            # a run that trains on has another champion under the same name
            header["networks"] = {name: hash_of(find_network(name)) for name in sorted(networks)}
        self.header = json.dumps(header)
        with writing(self.path):
            self.file = self.path.open("a+b")
        try:
            take_lock(self.file.fileno(), self.path, "is being written by another run")
            self.read(self.file)
        except BaseException:
            self.close()
            raise

    def play(self, workers: Workers = None) -> Generator[Task, None, None]:
        """Play the missing games. Yields each game once it has ended and is stored; close it to
        stop early.
        """
        missing = [Task(plan, match) for plan in self.plans for match in plan.matches()]
        missing = [task for task in missing if task.match not in self.results[task.plan]]
        with contextlib.closing(play_all(missing, workers)) as finished:
            for task, result in finished:
                values = {
                    **({"plan": self.numbers[task.plan]} if self.is_grid else {}),
                    **result.to_json(),
                }
                if self.file is not None:
                    self.write(
                        self.file, json.dumps({**values, SEAL: seal_of(values, self.header)})
                    )
                self.note(task.plan, result)
                yield task

    def note(self, plan: Plan, result: MatchResult) -> None:
        self.results[plan][result.match] = replace(result, moves=[]) if self.is_grid else result

    def read(self, file: BinaryIO) -> None:
        """Load the games of the file; an incomplete last line is dropped."""
        file.seek(0)
        content = file.read()
        expected = self.header.encode() + b"\n"
        if expected.startswith(content):  # a new file, or one with a truncated first line
            file.truncate(0)
            self.write(file, self.header)
            return
        self.check_header(content)
        end = len(expected)
        lines = content[end:].splitlines(keepends=True)
        for number, line in enumerate(lines, start=2):
            fault = self.take_line(line)
            if fault and number <= len(lines):
                advice = "nothing was changed; remove that line to replay the game"
                raise AnyzeroError(
                    f"{self.path}: line {number} is not a finished game: {fault}; {advice}"
                )
            if fault:
                print(
                    f"anyzero: {self.path}: the last line is broken; its game is played again",
                    file=sys.stderr,
                )
                file.truncate(end)
                return
            end += len(line)

    def take_line(self, line: bytes) -> str:
        """Load a finished game; returns the fault of an invalid line."""
        values = parse_object(line) if line.endswith(b"\n") else None
        if values is None:
            return "it is incomplete"
        try:
            seal = values.pop(SEAL, None)
            if seal not in (None, seal_of(values, self.header)):
                raise ValueError("it was changed after it was written")
            self.take(values, is_sealed=seal is not None)
        except (TypeError, ValueError, KeyError, AnyzeroError) as error:
            return (
                str(error)
                if isinstance(error, ValueError | AnyzeroError)
                else "parts of it are missing or wrong"
            )
        return ""

    def take(self, values: Values, *, is_sealed: bool) -> None:
        number = values.pop("plan") if self.is_grid else 0
        if number not in range(len(self.plans)):
            raise ValueError("it is not a game of this experiment")
        plan = self.plans[number]
        result = MatchResult.from_json(values)
        first, second, pair, leg = result.match
        end = (
            plan.games // len(plan.legs) if self.is_grid else pair + 1
        )  # a match may have played more games
        if not (0 <= first < second < len(plan.players) and 0 <= pair < end and leg in plan.legs):
            raise ValueError("it is not a game of this match")
        game = self.games[plan.game]
        check_match_result(game, result, plan.players, replay=game.is_from_file or not is_sealed)
        self.note(plan, result)

    def check_header(self, content: bytes) -> None:
        """Raise an error if the file belongs to something else."""
        header = parse_object(content.split(b"\n", 1)[0])
        expected = json.loads(self.header)
        if header is None or header.get("form") != expected["form"]:
            raise AnyzeroError(f"{self.path} is not a record of games; nothing was changed")
        for key in expected | header:
            old = header.get(key)
            new = expected.get(key)
            if old != new:
                other = f"({key} {old!r}, not {new!r})"
                raise AnyzeroError(
                    f"{self.path} is the record of another run {other}; nothing was changed"
                )
        if not content.startswith(self.header.encode() + b"\n"):
            raise AnyzeroError(f"{self.path}: the first line has been changed")

    def write(self, file: BinaryIO, line: str) -> None:
        """Append a line; it is on disk when this returns."""
        with writing(self.path):
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        with contextlib.suppress(OSError):  # a failed write has been reported
            if self.file is not None:
                self.file.close()
