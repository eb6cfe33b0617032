"""How a search is specified: its method (a set of settings), its kind of evaluator, and the text
that names them.
"""

import math
import re
from collections.abc import Callable
from typing import NamedTuple

from anyzero.core.base.errors import (
    BadOptionError,
    UnknownNameError,
    check_name,
    list_some,
    nearest_hint,
)
from anyzero.core.base.nouns import Numbers, States, Values
from anyzero.core.game.definition import split_options
from anyzero.core.game.game import Game

# Formulas: how the next child is chosen.
FLAT = 0
UCT = 1
RAVE = 2
GRAVE = 3
PUCT = 4
GUMBEL = 5
EXPECTIMAX = 6

# Schedules: how much RAVE trusts AMAF as real visits increase.
CLASSIC = 0
MINIMUM_ERROR = 1
SIMPLE = 2
ALWAYS = 3

# Evaluators: three that run inside the kernel, and one outside that the kernel waits for.
ROLLOUT = 0
GUIDED = 1
UNIFORM = 2
BATCH = 3

UNBOUNDED = 1 << 60
BY_EVALUATOR = -1.0  # a setting that depends on how reliable the evaluator's values are


class Settings(NamedTuple):
    """The numeric settings of one search. Defaults are those of the formula's authors or the
    field's tools.
    """

    formula: int = UCT
    exploration: float = 1.4  # C in value + C * bonus
    first_play: float = 1e9
    """The value of an unvisited child; the default tries each child once. PUCT adds it to the
    others' mean.
    """
    schedule: int = MINIMUM_ERROR
    equivalence: float = 1000.0
    """k of the classic and the simple schedule: the visits at which AMAF and real values weigh
    about the same.
    """
    # the square of AMAF's bias in the minimum-error schedule; smaller trusts AMAF for longer
    bias: float = 1e-5
    # GRAVE: a node whose statistics have fewer rollouts than this borrows those of an ancestor
    reference: int = 50
    table_after: int = 10
    """GRAVE: the visit at which a node starts its statistics; most nodes never get there, and
    tables are large.
    """
    expand_after: int = 1  # a node gets children when it is visited again after this many visits
    max_depth: int = UNBOUNDED  # nodes at this depth get no children: 1 makes a bandit of the root
    # whether proven wins, losses and draws are backed up; needs two seats with opposite payoffs
    solve: int = 1
    look_ahead: int = 0
    """With `solve`: maximum positions examined before the first simulation, up to two moves below
    the root.
    """
    evaluator: int = ROLLOUT
    amaf: int = 0  # whether the formula needs AMAF statistics, as RAVE and GRAVE do
    chance: int = 1  # whether the game has chance nodes
    noise_fraction: float = 0.0
    """Share of Dirichlet noise in the root's priors; for self-play, never for matches."""
    noise_concentration: float = 0.3  # alpha of that noise: small values put it on few moves
    considered: int = 16
    """Gumbel: maximum moves considered at the root; expectimax: moves searched more than one move
    deep.
    """
    visit_scale: float = 50.0
    """Gumbel: the paper's c_visit; values count for more as the most visited move gets more visits
    than this.
    """
    value_scale: float = BY_EVALUATOR
    """Gumbel: the paper's c_scale, for values between 0 and 1; by default 1, and 0.1 with rollouts.
    """
    gumbel_scale: float = 0.0
    """Gumbel: scale of the noise on the root's moves; 1 for self-play, 0 for measured players."""
    doubt: float = BY_EVALUATOR
    """Gumbel: how many visits the node's mean counts for in each child's value; by default 0, and
    16 with rollouts.
    """
    log_visits: int = 0
    """Many trees: whether the move is chosen by value + log visits instead of visits alone."""
    move_value: int = 0
    """Many trees: whether a position's value is that of the chosen move instead of the mean of all
    simulations.
    """


# Related options; a method has those that affect it.
BONUS = ("exploration", "first_play")
TRUST = ("schedule", "equivalence", "bias")
NOISE = ("noise_fraction", "noise_concentration")
POLICY = ("considered", "visit_scale", "value_scale", "gumbel_scale", "doubt")
GROWTH = ("expand_after", "max_depth")
PROOFS = ("solve", "look_ahead")
TREE = (*BONUS, *GROWTH, *PROOFS)
SEARCH_OPTIONS = ("final", "evaluator", "max_nodes", "trees", "threads", "reuse", "temperature")
"""Options of `search` itself rather than of a method."""
MANY = ("log_visits", "move_value")
"""Settings for many trees; for one tree, `final` and its result serve instead."""


class Method(NamedTuple):
    meaning: str
    settings: Settings
    options: tuple[str, ...] = ()  # settings that may be changed
    halves: bool = False
    """Sequential halving at the root: the worse half of the moves is dropped each round."""
    final: str = "visits"  # the rule of the final move

    @property
    def search_options(self) -> list[str]:
        """The options of `search` itself that it takes without a net."""
        is_merged = not self.halves and self.settings.formula != EXPECTIMAX
        is_grown = is_merged and self.settings.formula != GUMBEL
        takes = {
            "evaluator": not self.settings.amaf,
            "trees": is_merged,
            "threads": False,
            "reuse": is_grown,
        }
        return [option for option in SEARCH_OPTIONS if takes.get(option, True)]


METHODS: dict[str, Method] = {
    "flat": Method(
        "every move the same number of rollouts",
        Settings(FLAT, max_depth=1, solve=0),
        final="value",
    ),
    "ucb": Method("a bandit over the moves", Settings(UCT, max_depth=1), (*BONUS, *PROOFS)),
    "uct": Method("UCB in every node of a tree", Settings(UCT), (*TREE, *MANY)),
    "amaf": Method(
        "a tree guided by AMAF values alone", Settings(RAVE, 0.0, schedule=ALWAYS, amaf=1), TREE
    ),
    "rave": Method(
        "AMAF at first, real values later",
        Settings(RAVE, 0.0, amaf=1),
        (*BONUS, *TRUST, *GROWTH, *PROOFS),
    ),
    "grave": Method(
        "RAVE that borrows AMAF from an ancestor",
        Settings(GRAVE, 0.0, amaf=1),
        (*BONUS, *TRUST, "reference", "table_after", *GROWTH, *PROOFS),
    ),
    "halving": Method(
        "sequential halving of the moves", Settings(FLAT, max_depth=1, solve=0), halves=True
    ),
    "shuss": Method(
        "sequential halving with AMAF scores",
        Settings(RAVE, 128.0, max_depth=1, solve=0, amaf=1),
        ("exploration",),
        halves=True,
    ),
    "puct": Method(
        "UCT led by priors", Settings(PUCT, 1.25, -0.2), (*BONUS, *NOISE, *GROWTH, *PROOFS, *MANY)
    ),
    "gumbel": Method(
        "halving led by priors and Gumbel noise",
        Settings(GUMBEL),
        (*POLICY, *NOISE, *GROWTH, *PROOFS, "move_value"),
        final="gumbel",
    ),
    "expectimax": Method(
        "all draws and all moves, as deep as the budget goes",
        Settings(EXPECTIMAX, max_depth=1, solve=0, considered=8, move_value=1),
        ("considered",),
        final="value",
    ),
}

SCHEDULES = {"classic": CLASSIC, "minimum_error": MINIMUM_ERROR, "simple": SIMPLE, "always": ALWAYS}
TUNED_BY = {CLASSIC: "equivalence", SIMPLE: "equivalence", MINIMUM_ERROR: "bias"}
"""The option that tunes a schedule; the other one has no effect."""

LEAST = {"expand_after": 1, "considered": 1, "noise_concentration": 1e-3, "max_depth": 1}


def find_method(name: str, options: dict[str, object]) -> Method:
    """The method of this name, with some of its settings changed."""
    check_name("method", name, METHODS)
    method = METHODS[name]
    changes: Values = {key: convert(name, key, value) for key, value in options.items()}
    settings = method.settings._replace(**changes)
    for key in {"equivalence", "bias"} & changes.keys():
        if TUNED_BY.get(settings.schedule) != key:
            schedule = next(text for text, code in SCHEDULES.items() if code == settings.schedule)
            raise BadOptionError(f"{name}: {key} does nothing with the schedule {schedule}")
    return method._replace(settings=settings)


def convert(name: str, key: str, value: object) -> float | int:
    """An option's value as the number that the kernel uses."""
    method = METHODS[name]
    if key not in method.options:
        others = (
            ["nets"]
            if key == "threads"
            else [other for other, its in METHODS.items() if key in its.options]
        )
        near = nearest_hint(key, (*method.options, *method.search_options))
        hint = f"it belongs to {list_some(others)}; " if others else near
        raise UnknownNameError(
            f"{name} has no option {key!r}; {hint}its options: {list_options(method)}"
        )
    if key == "schedule" and value not in SCHEDULES:
        raise BadOptionError(f"{name}: schedule is {value!r}, not one of {list_some(SCHEDULES)}")
    if key == "schedule":
        return SCHEDULES[str(value)]
    try:
        number = float(str(value))
    except ValueError:
        raise BadOptionError(f"{name}: {key} needs a number, not {value!r}") from None
    if (
        not math.isfinite(number)
        or (number < 0 and key != "first_play")
        or number < LEAST.get(key, number)
    ):
        raise BadOptionError(f"{name}: {key} cannot be {value!r}")
    if key == "noise_fraction" and number > 1:
        raise BadOptionError(f"{name}: noise_fraction is a share from 0 to 1, not {value!r}")
    if isinstance(getattr(method.settings, key), float):
        return number
    if number != int(number):
        raise BadOptionError(f"{name}: {key} needs a whole number, not {value!r}")
    return int(number)


def list_options(method: Method) -> str:
    listed = {
        "": [option for option in method.options if option not in MANY],
        "for one position ": method.search_options,
        "for many positions ": [option for option in method.options if option in MANY],
    }
    return "; ".join(words + list_some(options) for words, options in listed.items() if options)


# --- the text of a search


class SearchText(NamedTuple):
    method: str
    simulations: int | None
    seconds: float | None
    options: Values

    @property
    def arguments(self) -> Values:
        """The arguments of `search` besides the game and the state."""
        budget = {"simulations": self.simulations, "seconds": self.seconds}
        return {"method": self.method, **budget, **self.options}


def parse_search(text: str) -> SearchText:
    """The method, budget and options in a text; `search` itself checks whether the options make
    sense.
    """
    method, _, rest = text.strip().partition(":")
    budget, *parts = rest.split(",")
    options: Values = dict(split_options(repr(text), parts))
    find_method(method, {key: value for key, value in options.items() if key not in SEARCH_OPTIONS})
    simulations, seconds = parse_budget(text, budget.strip())
    for key in {"max_nodes", "trees", "threads", "reuse"} & options.keys():
        if not re.fullmatch(r"[0-9]{1,10}", options[key]):
            raise BadOptionError(f"{text!r}: {key} is {options[key]!r}, not a whole number")
        options[key] = int(options[key])
    if "temperature" in options:
        try:
            options["temperature"] = float(options["temperature"])
        except ValueError:
            raise BadOptionError(
                f"{text!r}: temperature is {options['temperature']!r}, not a number"
            ) from None
    return SearchText(method, simulations, seconds, options)


def parse_budget(text: str, budget: str) -> tuple[int | None, float | None]:
    """A number of simulations, or of seconds if followed by `s`."""
    if (
        re.fullmatch(r"[0-9_]{1,12}", budget)
        and budget.strip("_")
        and int(budget.replace("_", "")) > 0
    ):
        return int(budget.replace("_", "")), None
    if re.fullmatch(r"[0-9]*\.?[0-9]+s", budget):
        seconds = float(budget[:-1])
        if 0.0 < seconds < math.inf:
            return None, seconds
    if not budget:
        name = re.split("[:@,]", text)[0]
        raise BadOptionError(f"{text!r} needs a budget: {name}:2000 or {name}:2s")
    raise BadOptionError(
        f"{text!r}: the budget {budget!r} is not a positive number of simulations, or "
        "seconds like 2s"
    )


# --- evaluators


Evaluator = Callable[[Game, States], tuple[Numbers, Numbers]]
"""What is called with positions and returns logits and values: see `leaves`."""

EVALUATORS = {"rollout": ROLLOUT, "guided": GUIDED, "uniform": UNIFORM}
"""Evaluators compiled into the search: random play, random play with knowledge of the game, and
uniform.
"""


OUTSIDE = "outside"
"""The kind of an evaluator that the search waits for, such as a network."""


def evaluator_kind(evaluator: str | Evaluator) -> str:
    """How a search gets its values: `outside` if the evaluator is called, else its name."""
    if callable(evaluator):
        return OUTSIDE
    check_name("evaluator", evaluator, EVALUATORS)
    return evaluator


def adapt(game: Game, method: Method, kind: str) -> Method:
    """The method adapted to this game and kind of evaluator; proofs need two seats with opposite
    payoffs.
    """
    settings = method.settings
    code = BATCH if kind == OUTSIDE else EVALUATORS[kind]
    if code != ROLLOUT and settings.amaf:
        raise BadOptionError(
            "AMAF needs the moves of random rollouts: evaluators are for the other methods"
        )
    is_bandit = "max_depth" not in method.options and settings.formula != EXPECTIMAX
    if code == BATCH and is_bandit:
        raise BadOptionError(
            "an evaluator outside is for the tree methods, uct, puct and gumbel, and for expectimax"
        )
    if code == GUIDED and not game.has("guided_rollout"):
        raise BadOptionError(f"{game.name} has no guided rollouts")
    solve = settings.solve if game.is_opposed else 0
    settings = settings._replace(solve=solve, evaluator=code, chance=int(game.num_outcomes > 0))
    # One rollout is weak evidence, so values change Gumbel's policy less and later: with the
    # paper's settings and rollouts, one game in seven of tic-tac-toe was lost at 2,000 simulations;
    # now none.
    is_weak = code in (ROLLOUT, GUIDED)
    if settings.value_scale == BY_EVALUATOR:
        settings = settings._replace(value_scale=0.1 if is_weak else 1.0)
    if settings.doubt == BY_EVALUATOR:
        settings = settings._replace(doubt=16.0 if is_weak else 0.0)
    return method._replace(settings=settings)
