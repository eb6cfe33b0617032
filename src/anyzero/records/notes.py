"""What a move took and what its player thought, as a comment in PGN or SGF: `[%emt 0:00:02.5] [%value 0.31/2000]`.

`%emt` (elapsed move time) is common; `%value` is the expected payoff for the mover and the simulations behind it.
"""

import re
from collections.abc import Sequence

from anyzero.records.fields import Evaluation

ELAPSED = re.compile(r"\[%emt\s+([0-9]{1,5}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{0,9})?)\]")
VALUE = re.compile(r"\[%value\s+(-?[0-9]\.?[0-9]{0,30}(?:e-[0-9]{1,3})?)/([0-9]{1,18})\]")


def format_note(seconds: float | None, evaluation: Evaluation | None) -> str:
    """The comment; empty if there is nothing to say."""
    parts = [] if seconds is None else [f"[%emt {format_clock(seconds)}]"]
    parts += [] if evaluation is None else [f"[%value {evaluation.value!r}/{evaluation.simulations}]"]
    return " ".join(parts)


def note_of(clocks: Sequence[float | None] | None, evaluations: Sequence[Evaluation | None] | None, index: int) -> str:
    """The comment on one move of a record."""
    seconds = None if clocks is None else clocks[index]
    return format_note(seconds, None if evaluations is None else evaluations[index])


def format_clock(seconds: float) -> str:
    """Hours, minutes and seconds, with as many of three decimals as are needed."""
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    rest = f"{milliseconds // 1000:02d}.{milliseconds % 1000:03d}".rstrip("0").rstrip(".")
    return f"{minutes // 60}:{minutes % 60:02d}:{rest.zfill(2)}"


def parse_note(comment: str) -> tuple[float | None, Evaluation | None]:
    """Seconds and evaluation, where the comment has them."""
    clock, value = ELAPSED.search(comment), VALUE.search(comment)
    seconds, evaluation = None, None
    if clock:
        seconds = round(int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3]), 3)
    if value and abs(float(value[1])) <= 1.0:
        evaluation = Evaluation(float(value[1]), int(value[2]))
    return seconds, evaluation
