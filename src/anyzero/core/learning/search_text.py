"""The search of self-play is a text, as everywhere else: a method, its simulations and options.

Its values count for less than in a match, where they are more reliable, and it has noise, which
measured players leave out.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import Field

from anyzero.core.base.errors import BadOptionError, check_name
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.schema import Schema
from anyzero.core.search.methods import METHODS, NOISE, SEARCH_OPTIONS, Method, find_method
from anyzero.core.search.methods import parse_search as parse_any_search

USUAL = {
    "gumbel": "gumbel:32,value_scale=0.25,gumbel_scale=1",
    "puct": "puct:32,noise_fraction=0.25",
    "expectimax": "expectimax",
}
"""The methods of self-play, each with the search that it means unless more is said."""
MOST_SIMULATIONS = 1_000_000


class SelfPlaySearch(NamedTuple):
    name: str
    simulations: int  # expectimax looks one move deep, whatever their number
    options: Values

    @property
    def text(self) -> str:
        """The same text for equal searches: options in their order, and no usual values."""
        if self.name == "expectimax":
            return self.name
        usual = METHODS[self.name].settings._asdict()
        values = find_method(self.name, self.options).settings._asdict()
        options = [
            f"{option}={format_number(values[option])}"
            for option in METHODS[self.name].options
            if values[option] != usual[option]
        ]
        return ",".join([f"{self.name}:{self.simulations}", *options])

    def method(self, *, noise: bool) -> Method:
        """The search of self-play; without noise, the search of matches."""
        noisy = (*NOISE, "gumbel_scale")
        options = {key: value for key, value in self.options.items() if noise or key not in noisy}
        return find_method(self.name, options)


def format_number(number: float) -> str:
    """The shortest text that is read as this number."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def parse_self_play(text: str) -> SelfPlaySearch:
    """The search in a text; an error if self-play cannot use it."""
    if text.strip() == "expectimax":
        return SelfPlaySearch("expectimax", 1, {})
    name = text.strip().partition(":")[0]
    check_name("method of self-play", name, USUAL)
    if name == "expectimax":
        raise BadOptionError(f"{text!r}: in self-play expectimax looks one move deep: say no more")
    search = parse_any_search(text)
    if search.simulations is None or search.simulations > MOST_SIMULATIONS:
        raise BadOptionError(f"{text!r}: self-play needs from 1 to {MOST_SIMULATIONS} simulations")
    for option in SEARCH_OPTIONS:
        if option in search.options:
            raise BadOptionError(f"{text!r}: self-play has no use for the option {option!r}")
    return SelfPlaySearch(name, search.simulations, search.options)


def anchor_search(text: str) -> tuple[Method, int]:
    """The method of an anchor and its simulations; seconds would make it a different player on
    every machine.
    """
    search = parse_any_search(text)
    if search.simulations is None:
        raise BadOptionError(
            f"an anchor has a number of simulations, like uct:1000; {text!r} has none"
        )
    return find_method(search.method, search.options), search.simulations


# --- the settings of earlier versions, one for each option


class OldSearch(Schema):
    method: Literal["puct", "gumbel", "expectimax"] = "gumbel"
    simulations: int = Field(32, ge=1, le=MOST_SIMULATIONS)
    exploration: float = Field(1.25, ge=0, le=1e12)
    first_play: float = Field(-0.2, ge=-2, le=2)
    considered: int = Field(16, ge=1, le=100_000)
    value_scale: float = Field(0.25, ge=0, le=1e12)
    visit_scale: float = Field(50.0, ge=0, le=1e12)
    noise_fraction: float = Field(0.25, ge=0, le=1)
    noise_concentration: float = Field(0.3, ge=0.001, le=1000.0)
    gumbel_scale: float = Field(1.0, ge=0, le=1e12)
    move_value: bool = False
    final: Literal["visits", "value+log visits"] = "visits"


class OldSettings(Schema):
    selfplay: OldSearch = OldSearch()


OLD = tuple(OldSearch.model_fields)
OLD_OPTIONS = {
    "puct": (
        *("simulations", "exploration", "first_play", "noise_fraction", "noise_concentration"),
        "final",
    ),
    "gumbel": ("simulations", "considered", "value_scale", "visit_scale", "gumbel_scale"),
    "expectimax": (),
}
"""Those that each method used; `move_value` besides, by all but expectimax."""


def change_by_old(text: str, settings: NamedValues) -> str:
    """The text of a search changed by these settings; what its method does not use is left out."""
    checked = OldSettings(selfplay=dict(settings)).selfplay  # type: ignore[arg-type]
    search = parse_self_play(text)
    name = settings.get("method", search.name)
    if name != search.name:
        simulations = search.simulations if search.name != "expectimax" else 32
        search = parse_self_play(USUAL[name])._replace(simulations=simulations)
    options = dict(search.options)
    for key in settings:
        value = getattr(checked, key)
        if key == "simulations":
            search = search._replace(simulations=value)
        elif key == "final" and name == "puct":
            options["log_visits"] = int(value == "value+log visits")
        elif key in OLD_OPTIONS[name] or (key == "move_value" and name != "expectimax"):
            options[key] = value if key != "move_value" else int(value)
    return search._replace(options=options).text


def unused_by(method: str, settings: NamedValues) -> dict[str, Sequence[str]]:
    """Those of these settings that this method does not use, unless they are as usual, with the
    methods that use them.
    """
    unused: dict[str, Sequence[str]] = {}
    for key, value in settings.items():
        users = [name for name, keys in OLD_OPTIONS.items() if key in keys]
        if users and method not in users and value != getattr(OldSearch(), key):
            unused[key] = users
    return unused
