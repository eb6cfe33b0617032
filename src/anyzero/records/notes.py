"""What PGN and SGF share: notes on moves, seeds, and which games of a file are asked for.

A note is a comment such as `[%emt 0:00:02.5] [%value 0.31/2000]`: what the move took (`%emt`, elapsed move time, is
common), the expected payoff for the mover, and the simulations behind that.
"""

import re
from collections.abc import Sequence

from anyzero.records.ends import BadRecordError
from anyzero.records.in_progress import Note, Ply, T
from anyzero.records.record import LARGEST_SEED, Evaluation

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")  # letters that no text of a record holds
ELAPSED = re.compile(r"\[%emt\s+([0-9]{1,5}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{0,9})?)\]")
VALUE = re.compile(r"\[%value\s+(-?[0-9]\.?[0-9]{0,30}(?:e-[0-9]{1,3})?)/([0-9]{1,18})\]")


def format_note(ply: Ply) -> str:
    """The comment on one move; empty if there is nothing to say."""
    parts = [] if ply.seconds is None else [f"[%emt {format_clock(ply.seconds)}]"]
    parts += [] if ply.evaluation is None else [f"[%value {ply.evaluation.value!r}/{ply.evaluation.simulations}]"]
    return " ".join(parts)


def format_clock(seconds: float) -> str:
    """Hours, minutes and seconds, with as many of three decimals as are needed."""
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    rest = f"{milliseconds // 1000:02d}.{milliseconds % 1000:03d}".rstrip("0").rstrip(".")
    return f"{minutes // 60}:{minutes % 60:02d}:{rest.zfill(2)}"


def parse_note(comment: str) -> Note:
    clock, value = ELAPSED.search(comment), VALUE.search(comment)
    seconds, evaluation = None, None
    if clock:
        seconds = round(int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3]), 3)
    if value and abs(float(value[1])) <= 1.0:
        evaluation = Evaluation(value=float(value[1]), simulations=int(value[2]))
    return seconds, evaluation


def read_seed(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,20}", text) and int(text) <= LARGEST_SEED else None


def pick(games: Sequence[T], number: int | None) -> list[tuple[int, T]]:
    """The games of a file with their numbers, counted from 1; only one of them if a number is given."""
    if not games:
        raise BadRecordError("there is no game in it")
    if number is not None and not 1 <= number <= len(games):
        raise BadRecordError(f"it has {len(games)} game{'s' * (len(games) > 1)}, not a game {number}")
    return [(index, game) for index, game in enumerate(games, start=1) if number in (None, index)]
