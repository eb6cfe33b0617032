"""The values of a game's JSON object, checked one by one: each error names the key and what would have been right."""

import math
import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, NamedTuple, TypeVar

from anyzero.errors import AnyzeroError, list_some, nearest_hint

T = TypeVar("T")

FORMAT = 1
RULES, RESIGN, FORFEIT, AGREEMENT, UNFINISHED = "rules", "resign", "forfeit", "agreement", "unfinished"
TERMINATIONS = (RULES, RESIGN, FORFEIT, AGREEMENT, UNFINISHED)
"""How a game came to its end: only the last one has no payoffs."""

LARGEST = 2**64 - 1
LONGEST_TEXT = 100_000
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Letters that no text of a record holds."""


class BadRecordError(AnyzeroError):
    """A file or object that is not the record of a game."""


class Evaluation(NamedTuple):
    """What the seat that moved thought of its position."""

    value: float
    """Expected payoff for that seat, in [-1, 1]."""
    simulations: int


def parse_fields(values: Any) -> dict[str, Any]:
    """The fields of a `GameRecord` from its JSON object; whether the moves are legal is another question."""
    table = check_keys("the record", values, (*REQUIRED, *OPTIONAL))
    for key in REQUIRED:
        if key not in table:
            raise BadRecordError(f"the record has no key {key}")
    if table["format"] != FORMAT or type(table["format"]) is not int:
        raise BadRecordError(f"the record has the format {show(table['format'])}, not {FORMAT}")
    rules = check_keys("rules", table["rules"], ("name", "options"))
    result = check_keys("result", table["result"], ("payoffs", "termination"))
    return {
        "game": text("game", table["game"]),
        "rules": text("the rules' name", rules.get("name")),
        "options": options(rules.get("options", {})),
        "players": sequence("players", table["players"], text),
        "moves": sequence("moves", table["moves"], text),
        "start": optional("start", table.get("start"), text),
        "clocks": optional("clocks", table.get("clocks"), clocks),
        "evaluations": optional("evaluations", table.get("evaluations"), evaluations),
        "payoffs": optional("payoffs", result.get("payoffs"), payoffs),
        "termination": choice("termination", result.get("termination"), TERMINATIONS),
        "date": day("date", table.get("date", "")),
        "seed": optional("seed", table.get("seed"), seed),
        "tags": tags(table.get("tags", {})),
    }


REQUIRED = ("format", "game", "rules", "players", "moves", "result")
OPTIONAL = ("start", "clocks", "evaluations", "date", "seed", "tags")


def show(value: Any) -> str:
    """A value as a part of a sentence, however long it is."""
    shown = repr(value) if not isinstance(value, list | dict) else f"a {type(value).__name__}"
    return shown if len(shown) <= 60 else shown[:57] + "..."


def check_keys(name: str, values: Any, known: Sequence[str]) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise BadRecordError(f"{name} is {show(values)}, not an object with keys")
    for key in values:
        if key not in known:
            raise BadRecordError(
                f"{name} has no key {show(key)}; {nearest_hint(key, known)}its keys: {list_some(known)}"
            )
    return values


def optional(name: str, value: Any, read: Callable[[str, Any], Any]) -> Any:
    return None if value is None else read(name, value)


def text(name: str, value: Any) -> str:
    """One line without control characters."""
    if not isinstance(value, str) or CONTROL.search(value) or len(value) > LONGEST_TEXT:
        raise BadRecordError(f"{name}: {show(value)} is not a line of text")
    return value


def sequence(name: str, value: Any, read: Callable[[str, Any], Any]) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise BadRecordError(f"{name} is {show(value)}, not a list")
    return tuple(read(f"{name}[{index}]", item) for index, item in enumerate(value))


def number(name: str, value: Any, low: float, high: float) -> float:
    if type(value) not in (int, float) or not low <= value <= high or not math.isfinite(value):
        raise BadRecordError(f"{name}: {show(value)} is not a number{bounds_words(low, high)}")
    return float(value)


def integer(name: str, value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise BadRecordError(f"{name}: {show(value)} is not a whole number{bounds_words(low, high)}")
    return value


def bounds_words(low: float, high: float) -> str:
    return f" from {low:g} on" if math.isinf(high) else f" from {low:g} to {high:g}"


def clocks(name: str, value: Any) -> tuple[Any, ...]:
    return sequence(name, value, lambda item, found: optional(item, found, seconds))


def seconds(name: str, value: Any) -> float:
    return number(name, value, 0.0, 1e9)


def evaluations(name: str, value: Any) -> tuple[Any, ...]:
    return sequence(name, value, lambda item, found: optional(item, found, evaluation))


def evaluation(name: str, value: Any) -> Evaluation:
    table = check_keys(name, value, Evaluation._fields)
    return Evaluation(
        number(f"{name}.value", table.get("value"), -1.0, 1.0),
        integer(f"{name}.simulations", table.get("simulations"), 0, LARGEST),
    )


def payoffs(name: str, value: Any) -> tuple[Any, ...]:
    return sequence(name, value, lambda item, found: number(item, found, -1.0, 1.0))


def seed(name: str, value: Any) -> int:
    return integer(name, value, 0, LARGEST)


def choice(name: str, value: Any, known: Sequence[str]) -> str:
    if value not in known:
        hint = nearest_hint(str(value)[:60], known)
        raise BadRecordError(f"{name} cannot be {show(value)}; {hint}known: {list_some(known)}")
    return str(value)


def day(name: str, value: Any) -> str:
    """Nothing, or a day such as 2026-01-31."""
    try:
        if value == "" or (isinstance(value, str) and date.fromisoformat(value).isoformat() == value):
            return str(value)
    except ValueError:
        pass
    raise BadRecordError(f"{name}: {show(value)} is not a day like 2026-01-31")


def options(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(item, bool | int | float | str) for item in value.values()):
        raise BadRecordError(f"the rules' options are {show(value)}, not names with numbers, texts, true or false")
    return dict(value)


def tags(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise BadRecordError(f"tags is {show(value)}, not an object with keys")
    return {text("tags", key): text(f"tags[{show(key)}]", item) for key, item in value.items()}


def pick(games: Sequence[T], number: int | None) -> list[tuple[int, T]]:
    """The games of a file with their numbers, counted from 1; only one of them if a number is given."""
    if not games:
        raise BadRecordError("there is no game in it")
    if number is not None and not 1 <= number <= len(games):
        raise BadRecordError(f"it has {len(games)} game{'s' * (len(games) > 1)}, not a game {number}")
    return [(index, game) for index, game in enumerate(games, start=1) if number in (None, index)]


def read_seed(value: str) -> int | None:
    """A seed as text; None if it is none."""
    return int(value) if re.fullmatch("[0-9]{1,20}", value) and int(value) <= LARGEST else None
