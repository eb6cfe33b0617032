"""The named methods: each a set of settings, and the few that spend their budget by a plan of their own."""

import math
from typing import Any, NamedTuple

from anyzero.games.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.search.settings import (
    ALWAYS,
    CLASSIC,
    FLAT,
    GRAVE,
    GUMBEL,
    MINIMUM_ERROR,
    PUCT,
    RAVE,
    SIMPLE,
    UCT,
    Settings,
)


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
    "puct": Method(Settings(PUCT, 1.25, -0.2), meaning="UCT led by priors"),
    "gumbel": Method(Settings(GUMBEL), meaning="halving led by priors and Gumbel noise", final="gumbel"),
}

SCHEDULES = {"classic": CLASSIC, "minimum_error": MINIMUM_ERROR, "simple": SIMPLE, "always": ALWAYS}

OPTIONS = (
    "exploration",
    "first_play",
    "schedule",
    "equivalence",
    "bias",
    "reference",
    "table_after",
    "expand_after",
    "max_depth",
    "solve",
    "look_ahead",
    "transpositions",
    "noise_fraction",
    "noise_concentration",
    "noise_total",
    "considered",
    "visit_scale",
    "value_scale",
    "gumbel_scale",
    "doubt",
    "leaves",
    "log_visits",
    "move_value",
)

LEAST = {"considered": 1, "leaves": 1, "noise_concentration": 1e-3, "max_depth": 1}


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
    if not math.isfinite(number) or (number < 0 and key != "first_play") or number < LEAST.get(key, number):
        raise BadOptionError(f"{method}: {key} cannot be {value!r}")
    if key == "noise_fraction" and number > 1:
        raise BadOptionError(f"{method}: noise_fraction is a share from 0 to 1, not {value!r}")
    return number if isinstance(default, float) else int(number)
