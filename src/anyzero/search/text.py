"""The text of a search: `rave:2000,bias=1e-5` or `uct:1.5s`: a method, its budget, its options."""

import math
import re
from typing import Any, NamedTuple

from anyzero.errors import BadOptionError
from anyzero.search.methods import find_method


class SearchText(NamedTuple):
    method: str
    simulations: int | None
    seconds: float | None
    options: dict[str, Any]

    @property
    def arguments(self) -> dict[str, Any]:
        """What `search` takes besides the game and the state."""
        budget = {"simulations": self.simulations, "seconds": self.seconds}
        return {"method": self.method, **budget, **self.options}


def parse_search(text: str) -> SearchText:
    """The method, budget and options that a text names; an error says what is wrong with it."""
    method, _, rest = text.strip().partition(":")
    budget, *parts = rest.split(",")
    options: dict[str, Any] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals:
            raise BadOptionError(f"{text!r}: {part!r} is not of the form option=value")
        options[key.strip()] = value.strip()
    find_method(method, {key: value for key, value in options.items() if key not in SEARCH_OPTIONS})
    simulations, seconds = parse_budget(text, budget.strip())
    return SearchText(method, simulations, seconds, convert_options(text, options))


SEARCH_OPTIONS = ("final", "evaluator", "max_nodes", "trees", "reuse", "temperature")
"""Options of `search` itself rather than of a method."""


def convert_options(text: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options with their numbers as numbers; `search` itself says whether they make sense."""
    converted = dict(options)
    for key in ("max_nodes", "trees", "reuse"):
        if key in options:
            if not re.fullmatch(r"[0-9]{1,10}", options[key]):
                raise BadOptionError(f"{text!r}: {key} is {options[key]!r}, not a whole number")
            converted[key] = int(options[key])
    if "temperature" in options:
        try:
            converted["temperature"] = float(options["temperature"])
        except ValueError:
            raise BadOptionError(f"{text!r}: temperature is {options['temperature']!r}, not a number") from None
    return converted


def parse_budget(text: str, budget: str) -> tuple[int | None, float | None]:
    """A number of simulations, or of seconds with an `s` behind it."""
    if re.fullmatch(r"[0-9_]{1,12}", budget) and budget.strip("_") and int(budget.replace("_", "")) > 0:
        return int(budget.replace("_", "")), None
    if re.fullmatch(r"[0-9]*\.?[0-9]+s", budget):
        seconds = float(budget[:-1])
        if 0.0 < seconds < math.inf:
            return None, seconds
    raise BadOptionError(f"{text!r}: the budget {budget!r} is not a positive number of simulations, or seconds like 2s")
