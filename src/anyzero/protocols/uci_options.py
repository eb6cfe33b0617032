"""The options of the UCI engine: what it offers, and what it has been told."""

from dataclasses import dataclass, fields, replace
from typing import Any

from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.protocols.lines import whole_number
from anyzero.search.methods import METHODS

AUTO = "auto"
LIVE_METHODS = tuple(name for name, method in METHODS.items() if not method.halves)
"""Methods that can be stopped at any moment with an answer."""


@dataclass(frozen=True)
class UciOptions:
    """What the engine has been told."""

    method: str = AUTO
    """A search method; auto is uct, and puct with a network."""
    simulations: int = 0
    """Most simulations a move; 0: as many as the clock allows."""
    network: str = ""
    """A run's name or a file; empty: rollouts."""
    threads: int = 1
    """As many trees, merged at the root."""
    hash_mb: int = 256
    """Most memory of the trees, in MB."""
    seed: int = 0
    multi_pv: int = 1
    """How many moves are reported."""
    ponder: bool = False
    """Whether the GUI may let the engine think on the opponent's time; the engine can always."""
    overhead_ms: int = 30
    """Kept back from every move by the clock, for what the GUI and the system take."""
    show_wdl: bool = True

    @property
    def search_method(self) -> str:
        return self.method if self.method != AUTO else "puct" if self.network else "uct"


@dataclass(frozen=True)
class Offer:
    """How an option is offered: its field, its type, and what it can be."""

    field: str
    kind: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def describe(self, name: str) -> str:
        default = getattr(UciOptions(), self.field)
        shown = {True: "true", False: "false", "": "<empty>"}.get(default, default) if self.kind != "spin" else default
        bounds = f" min {self.low} max {self.high}" if self.kind == "spin" else ""
        return f"option name {name} type {self.kind} default {shown}{bounds}" + "".join(
            f" var {choice}" for choice in self.choices
        )

    def convert(self, name: str, value: str) -> Any:
        """The value as its type; an error says what is possible."""
        if self.kind == "spin":
            number = whole_number(value)
            if number is None or not self.low <= number <= self.high:
                raise BadOptionError(f"{name} is a whole number from {self.low} to {self.high}, not {value!r}")
            return number
        if self.kind == "check":
            if value.lower() not in ("true", "false"):
                raise BadOptionError(f"{name} is true or false, not {value!r}")
            return value.lower() == "true"
        if self.kind == "combo" and value.lower() not in self.choices:
            hint = nearest_hint(value, self.choices)
            raise UnknownNameError(f"{name} is one of {list_some(self.choices)}, not {value!r}; {hint}".rstrip("; "))
        return value.lower() if self.kind == "combo" else "" if value == "<empty>" else value


OFFERS = {
    "Method": Offer("method", "combo", choices=(AUTO, *LIVE_METHODS)),
    "Simulations": Offer("simulations", "spin", high=1_000_000_000),
    "Network": Offer("network", "string"),
    "Threads": Offer("threads", "spin", low=1, high=256),
    "Hash": Offer("hash_mb", "spin", low=1, high=1 << 20),
    "Seed": Offer("seed", "spin", high=(1 << 31) - 1),
    "MultiPV": Offer("multi_pv", "spin", low=1, high=218),
    "Ponder": Offer("ponder", "check"),
    "Move Overhead": Offer("overhead_ms", "spin", high=10_000),
    "UCI_ShowWDL": Offer("show_wdl", "check"),
}
"""By the name that a GUI shows."""

assert {offer.field for offer in OFFERS.values()} == {field.name for field in fields(UciOptions)}


def changed(options: UciOptions, words: list[str]) -> UciOptions:
    """The options after `setoption name NAME value VALUE`; names may hold spaces, and their case does not matter."""
    if not words or words[0] != "name":
        raise BadOptionError("an option is set by: setoption name NAME value VALUE")
    end = words.index("value") if "value" in words else len(words)
    name, value = " ".join(words[1:end]), " ".join(words[end + 1 :])
    by_lower = {known.lower(): known for known in OFFERS}
    if name.lower() not in by_lower:
        hint = nearest_hint(name, list(by_lower))
        raise UnknownNameError(f"there is no option {name!r}; {hint}known: {list_some(OFFERS)}")
    known = by_lower[name.lower()]
    return replace(options, **{OFFERS[known].field: OFFERS[known].convert(known, value)})
