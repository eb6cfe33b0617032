"""The options of the UCI engine: what it offers, and what it has been told."""

from collections.abc import Iterator
from typing import Literal, get_args

from pydantic import Field

from anyzero.errors import BadOptionError
from anyzero.schema import Schema, Setting, limits_of, parse_setting, settings_of


class UciOptions(Schema):
    """What the engine has been told; a GUI shows the titles."""

    noun = "the engine"

    method: Literal["auto", "flat", "ucb", "uct", "amaf", "rave", "grave", "puct", "gumbel"] = Field(
        "auto", title="Method"
    )
    """A search method that can be stopped at any moment; auto is uct, and puct with a network."""
    simulations: int = Field(0, title="Simulations", ge=0, le=1_000_000_000)
    """Most simulations a move; 0: as many as the clock allows."""
    network: str = Field("", title="Network")
    """A run's name or a file; empty: rollouts."""
    threads: int = Field(1, title="Threads", ge=1, le=256)
    """As many trees, merged at the root."""
    hash: int = Field(256, title="Hash", ge=1, le=1 << 20)
    """Most memory of the trees, in MB."""
    seed: int = Field(0, title="Seed", ge=0, le=(1 << 31) - 1)
    multipv: int = Field(1, title="MultiPV", ge=1, le=218)
    """How many moves are reported."""
    ponder: bool = Field(False, title="Ponder")
    """Whether the GUI may let the engine think on the opponent's time; the engine can always."""
    move_overhead: int = Field(30, title="Move Overhead", ge=0, le=10_000)
    """Kept back from every move by the clock, in ms, for what the GUI and the system take."""
    uci_showwdl: bool = Field(True, title="UCI_ShowWDL")

    @property
    def search_method(self) -> str:
        return self.method if self.method != "auto" else "puct" if self.network else "uct"


def offers() -> Iterator[str]:
    """A line for each option, as a GUI wants to read it."""
    for setting in settings_of(UciOptions):
        yield f"option name {setting.field.title} {type_words(setting)}"


def type_words(setting: Setting) -> str:
    default, limits = setting.default, limits_of(setting.field)
    if isinstance(default, bool):
        return f"type check default {str(default).lower()}"
    if isinstance(default, int):
        return f"type spin default {default} min {limits['ge']} max {limits['le']}"
    choices = "".join(f" var {choice}" for choice in get_args(setting.field.annotation))
    return f"type combo default {default}{choices}" if choices else f"type string default {default or '<empty>'}"


def changed(options: UciOptions, words: list[str]) -> UciOptions:
    """The options after `setoption name NAME value VALUE`; names may hold spaces, and their case does not matter."""
    if not words or words[0] != "name":
        raise BadOptionError("an option is set by: setoption name NAME value VALUE")
    end = words.index("value") if "value" in words else len(words)
    name, value = "_".join(words[1:end]).lower(), " ".join(words[end + 1 :])
    if name != "network":
        value = value.lower()
    return options.change(**{name: parse_setting(UciOptions, name, "" if value == "<empty>" else value)})
