"""The named methods: each a set of settings, and the few that spend their budget by a plan of their own."""

import math
from typing import Any, NamedTuple

from anyzero.games.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.search.settings import ALWAYS, CLASSIC, FLAT, GRAVE, MINIMUM_ERROR, PUCT, RAVE, SIMPLE, UCT, Settings


class Method(NamedTuple):
    settings: Settings
    halves: bool = False
    """Sequential halving at the root: the worse half of the moves is dropped round by round."""
    meaning: str = ""
    final: str = "visits"
    """How the move is chosen in the end."""


METHODS: dict[str, Method] = {
    "flat": Method(
        Settings(FLAT, max_depth=1, solve=0), meaning="every move the same number of rollouts", final="value"
    ),
    "ucb": Method(Settings(UCT, max_depth=1), meaning="a bandit over the moves"),
    "uct": Method(Settings(UCT), meaning="UCB in every node of a tree"),
    "amaf": Method(Settings(RAVE, 0.0, schedule=ALWAYS), meaning="a tree guided by AMAF values alone"),
    "rave": Method(Settings(RAVE, 0.0), meaning="AMAF at first, real values later"),
    "grave": Method(Settings(GRAVE, 0.0), meaning="RAVE that borrows AMAF from an ancestor"),
    "halving": Method(Settings(FLAT, max_depth=1, solve=0), True, "sequential halving of the moves"),
    "shuss": Method(Settings(RAVE, 128.0, max_depth=1, solve=0), True, "sequential halving with AMAF scores"),
    "puct": Method(Settings(PUCT, 1.25, 0.0), meaning="UCT led by priors"),
}

SCHEDULES = {"classic": CLASSIC, "minimum_error": MINIMUM_ERROR, "simple": SIMPLE, "always": ALWAYS}

OPTIONS = (
    "exploration",
    "first_play",
    "schedule",
    "equivalence",
    "bias",
    "reference",
    "expand_after",
    "max_depth",
    "solve",
)


def find_method(name: str, options: dict[str, object]) -> Method:
    """The method of this name, with some of its settings changed."""
    if name not in METHODS:
        raise UnknownNameError(f"there is no method {name!r}; {nearest_hint(name, METHODS)}known: {list_some(METHODS)}")
    method = METHODS[name]
    changes: dict[str, Any] = {
        key: convert(name, key, value, getattr(method.settings, key, None)) for key, value in options.items()
    }
    return method._replace(settings=method.settings._replace(**changes))


def convert(method: str, key: str, value: object, default: object) -> float | int:
    """An option's value as the number that the kernel reads."""
    if key not in OPTIONS:
        raise UnknownNameError(
            f"{method} has no option {key!r}; {nearest_hint(key, OPTIONS)}its options: {list_some(OPTIONS)}"
        )
    if key == "schedule":
        if value not in SCHEDULES:
            raise BadOptionError(f"{method}: schedule is {value!r}, not one of {list_some(SCHEDULES)}")
        return SCHEDULES[str(value)]
    try:
        number = float(str(value))
    except ValueError:
        raise BadOptionError(f"{method}: {key} wants a number, not {value!r}") from None
    if not math.isfinite(number) or (number < 0 and key != "first_play"):
        raise BadOptionError(f"{method}: {key} cannot be {value!r}")
    return number if isinstance(default, float) else int(number)


def halving_rounds(num_children: int, budget: int) -> list[tuple[int, int]]:
    """(survivors, simulations for each of them) of every round. Karnin, Koren and Somekh 2013.

    Every round gets the same share of the budget; what a share leaves over after division goes to the next round.
    """
    rounds, left, survivors = [], budget, num_children
    remaining = max(1, math.ceil(math.log2(max(2, num_children))))
    while remaining > 0 and survivors > 1:
        each = max(1, left // (remaining * survivors))
        rounds.append((survivors, each))
        left = max(0, left - each * survivors)
        survivors, remaining = max(1, (survivors + 1) // 2), remaining - 1
    return rounds
