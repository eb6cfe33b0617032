"""All settings of a run: one schema per part, every field with a default, bounds and a meaning."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from anyzero.core.base.errors import AnyzeroError, BadOptionError, UnknownNameError, nearest_hint
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.schema import Schema, parse_value, read_toml, settings_of
from anyzero.core.learning.search_text import (
    OLD,
    USUAL,
    OldSettings,
    anchor_search,
    change_by_old,
    parse_self_play,
)
from anyzero.core.nets.config import NetworkConfig, parse_network

RANDOM = "random"  # the anchor without a search


def check_even(value: int) -> int:
    if value % 2:
        raise PydanticCustomError(
            "even", "an even number is needed, as games come in pairs with the seats swapped"
        )
    return value


def check_anchors(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        if text != RANDOM:
            anchor_search(text)
    return texts


def normal_search(text: str) -> str:
    return parse_self_play(USUAL.get(text.strip(), text)).text


Search = Annotated[str, AfterValidator(normal_search)]
Even = Annotated[int, AfterValidator(check_even)]
Anchors = Annotated[tuple[str, ...], AfterValidator(check_anchors)]


class SelfPlayConfig(Schema):
    search: Search = USUAL["gumbel"]
    """The search, as everywhere: Gumbel AlphaZero's or AlphaZero's PUCT with simulations per move
    and options, or `expectimax`, one move deep, for games of chance. A method alone means its usual
    search in self-play.
    """
    games: int = Field(256, ge=1, le=10_000_000)
    """Finished games per generation."""
    at_once: int = Field(128, ge=1, le=1_000_000)
    """Games played in parallel; on the CPU they are also written together, as a block."""
    temperature: float = Field(1.0, ge=0, le=100)
    """PUCT: moves are sampled by visits ** (1 / temperature); expectimax: by exp(value /
    temperature).
    """
    temperature_plies: int = Field(30, ge=0, le=1e12)
    """Plies for which moves are sampled; with Gumbel, plies for which its noise applies."""
    late_temperature: float = Field(0.1, ge=0, le=100)
    """PUCT and expectimax: the temperature after `temperature_plies`."""
    draws: int = Field(0, ge=0, le=1_000_000)
    """Expectimax: random outcomes averaged for the value before a draw; 0: all of them, by their
    weights.
    """
    opening_plies: int = Field(0, ge=0, le=1000)
    """Maximum random moves at the start of a game; they give no samples."""
    value_trace: float = Field(0.0, ge=0, le=1)
    """Lambda of TD(lambda): how much of a root value, or of an expectation's surprise, comes from
    the next position.
    """
    surprise: float = Field(0.0, ge=0, le=1)
    """Share of a sample's weight given by how far its policy is from the priors (KataGo: 0.5)."""
    resign_below: float = Field(-1.0, ge=-1, le=0)
    """A seat resigns when its value has been below this for two of its moves; -1: never."""
    resign_checked: float = Field(0.1, ge=0, le=1)
    """Share of games played on despite a resignation, to measure how often resigning is wrong."""
    resign_errors: float = Field(0.05, ge=0, le=1)
    """The threshold is lowered until at most this share of resignations would have been wrong."""
    reuse: bool = False
    """PUCT, games of one network: start each search from the subtree below the move played."""
    max_plies: int = Field(0, ge=0, le=1e12)
    """Longer games are cut off, and trained on their search values; 0: as long as the rules allow.
    """
    starts: tuple[str, ...] = ()
    """Positions to start from, in turn; none: the initial position."""
    recent_share: float = Field(0.0, ge=0, le=1)
    """Share of games against recent generations."""
    recent: int = Field(5, ge=1, le=1000)
    """How many of the latest generations count as recent."""
    two_champions: bool = False
    """Whether the champion also plays the previous champion, the more often the lower its score
    against it.
    """
    lag: int = Field(0, ge=0, le=1)
    """1: self-play does not wait for the last generation's network, so a cluster plays during
    training.
    """

    @model_validator(mode="before")
    @classmethod
    def read_old_settings(cls, values: Any) -> Any:
        """Settings of earlier versions, one for each option of the search, change its text."""
        if not isinstance(values, Mapping) or not values.keys() & set(OLD):
            return values
        old = {key: value for key, value in values.items() if key in OLD}
        text = change_by_old(values.get("search", USUAL["gumbel"]), old)
        return {key: value for key, value in values.items() if key not in OLD} | {"search": text}

    @property
    def method(self) -> str:
        """The name of the search's method."""
        return parse_self_play(self.search).name

    @property
    def simulations(self) -> int:
        """Simulations per move."""
        return parse_self_play(self.search).simulations


ONLY_FOR: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("temperature", "late_temperature"), ("puct", "expectimax")),
    "reuse": ("puct",),
    "draws": ("expectimax",),
}
"""Settings of self-play that only some methods use."""


class ReplayConfig(Schema):
    """What training sees of the games."""

    window: int = Field(50_000, ge=1, le=1 << 40)
    """Size of the replay buffer: the newest samples are kept."""
    merge: bool = True
    """Whether equal positions are merged into one sample with the mean of their targets."""
    fade: float = Field(0.0, ge=0, le=1)
    """How much a sample's weight decreases per generation of age."""
    fade_floor: float = Field(0.7, ge=0, le=1)
    """The minimum weight after fading."""
    by_count: bool = False
    """Whether merged samples are drawn in proportion to their count."""
    symmetries: bool = True
    """Whether random rotations and reflections are applied to boards."""
    payoff_share: float = Field(1.0, ge=0, le=1)
    """k in the value target k * payoff + (1 - k) * root value."""
    payoff_share_end: float = Field(-1.0, ge=-1, le=1)
    """Unless -1, k changes linearly to this from a game's first ply to its last."""


class TrainerConfig(Schema):
    epochs: float = Field(1.0, ge=0, le=1000)
    """Passes over the replay buffer per generation."""
    batches: int = Field(0, ge=0, le=1e12)
    """If positive, batches per generation, instead of `epochs`."""
    trainings: float = Field(0.0, ge=0, le=1000)
    """If positive, how often each sample is trained on in total, instead of `epochs`."""
    batch_size: int = Field(256, ge=1, le=1 << 20)
    """Samples per gradient step."""
    optimizer: Literal["adamw", "muon"] = "adamw"
    """AdamW for all weights, or Muon for the matrices between the first layer and the heads."""
    learning_rate: float = Field(1e-3, ge=0, le=10)
    """The learning rate, before the schedule is applied."""
    weight_decay: float = Field(1e-4, ge=0, le=1e12)
    """Weight decay per step, times the learning rate; not for biases."""
    clip: float = Field(1.0, ge=1e-06, le=1000000.0)
    """Maximum gradient norm (clipping)."""
    schedule: Literal["constant", "cosine", "one-cycle"] = "constant"
    """constant, cosine (over the run's minutes, or `horizon` generations) or one-cycle (in each
    generation).
    """
    horizon: int = Field(100, ge=1, le=1_000_000)
    """Cosine schedule: generations over which the learning rate decays, if the run has no planned
    minutes.
    """
    hold: float = Field(0.0, ge=0, le=0.99)
    """Cosine schedule: the share of the run before the learning rate begins to decay."""
    policy_weight: float = Field(1.0, ge=0, le=1e12)
    """Weight of the policy loss."""
    value_weight: float = Field(1.0, ge=0, le=1e12)
    """Weight of the value loss."""
    average: float = Field(0.0, ge=0, le=0.99999)
    """If positive, games are played with an exponential moving average of the weights, with this
    decay.
    """


class GateConfig(Schema):
    """When a candidate becomes the champion."""

    games: Even = Field(64, ge=0, le=10_000_000)
    """Games against the champion, and as many against the previous one; 0: every candidate is
    promoted.
    """
    threshold: float = Field(0.55, ge=0, le=1)
    """The score needed for promotion."""
    simulations: int = Field(0, ge=0, le=1_000_000)
    """Simulations per move; 0: as in self-play."""
    opening_plies: int = Field(-1, ge=-1, le=1000)
    """Random moves before each pair of games; -1: as in matches."""


class LeagueConfig(Schema):
    """How generations are rated against fixed players, the anchors."""

    every: int = Field(5, ge=0, le=1e12)
    """Generations between ratings; 0: never."""
    games: Even = Field(40, ge=2, le=10_000_000)
    """Games against each anchor."""
    anchors: Anchors = (RANDOM, "uct:100", "uct:1000")
    """random, or methods with their simulations; the first is fixed at Elo 0."""
    simulations: int = Field(0, ge=0, le=1_000_000)
    """The network's simulations per move; 0: as in self-play."""


class BenchmarkConfig(Schema):
    """One-seat games: the same deals every generation, without noise."""

    every: int = Field(1, ge=0, le=1e12)
    """Generations between benchmarks; 0: never."""
    deals: int = Field(1000, ge=0, le=1e12)
    """Number of deals, the same ones every time; 0: none."""
    simulations: int = Field(0, ge=0, le=1_000_000)
    """Simulations per move; 0: as in self-play."""
    convergence_threshold: float = Field(0.0, ge=0, le=1e12)
    """Training stops when the mean of the last five benchmarks beats the previous five by less; 0:
    never.
    """


class RunConfig(Schema):
    """A run: its game, its parts, and general settings."""

    noun: ClassVar[str] = "a run"
    game: str = "tic_tac_toe"
    """The game, as text."""
    seed: int = Field(0, ge=0, le=(1 << 63) - 1)
    """The random seed of the whole run."""
    generations: int = Field(1000, ge=0, le=1_000_000)
    """Generations after which the run ends."""
    minutes: float = Field(0.0, ge=0, le=1e12)
    """Planned minutes of training in total, resumptions included; 0: the schedule counts
    generations.
    """
    keep: int = Field(3, ge=1, le=1_000_000)
    """Generations to keep besides promoted ones."""
    keep_samples: bool = True
    """Whether samples are written at once; else, on a GPU, when training stops, and a kill loses
    them.
    """
    device: Literal["cpu", "cuda"] = "cpu"
    """The device that plays and trains."""
    threads: int = Field(0, ge=0, le=1e12)
    """Self-play threads; 0: one per core."""
    begin_with: str = ""
    """A network (`hex5`, `hex5/12`, `best`, a file) to start from instead of random weights."""
    network: NetworkConfig = NetworkConfig()
    selfplay: SelfPlayConfig = SelfPlayConfig()
    replay: ReplayConfig = ReplayConfig()
    trainer: TrainerConfig = TrainerConfig()
    gate: GateConfig = GateConfig()
    league: LeagueConfig = LeagueConfig()
    benchmark: BenchmarkConfig = BenchmarkConfig()

    @model_validator(mode="after")
    def check_together(self) -> Self:
        selfplay = self.selfplay
        league = self.league
        if selfplay.reuse and selfplay.method != "puct":
            raise BadOptionError("selfplay.reuse is for puct: gumbel plans every visit of its root")
        if selfplay.reuse and (selfplay.two_champions or selfplay.recent_share > 0.0):
            other = "two_champions" if selfplay.two_champions else "recent_share"
            raise BadOptionError(
                f"selfplay.reuse is for games of one network: leave selfplay.{other} alone"
            )
        if league.every > 0 and not league.anchors:
            raise BadOptionError(
                "league.anchors is empty: name a player, such as random, or set league.every=0"
            )
        if -1 < self.replay.payoff_share_end < 0:
            raise BadOptionError(
                "replay.payoff_share_end must be -1 or from 0 to 1: a share is not negative"
            )
        if not self.keep_samples and self.device == "cpu":
            raise BadOptionError(
                "keep_samples=false is for the GPU: on the CPU a run resumes as if never stopped"
            )
        return self


GONE = object()  # marks a missing value
KEYS = tuple(setting.key for setting in settings_of(RunConfig))  # every setting by its full name
OLD_KEYS = tuple(f"selfplay.{name}" for name in OLD)  # those of earlier versions


def change(config: RunConfig, changes: NamedValues) -> RunConfig:
    """The config with some values changed: `{"selfplay.simulations": 64}`, or `{"selfplay":
    {"simulations": 64}}`.
    """
    values = config.to_dict()
    for key, value in flatten(changes).items():
        check_key(key)
        part, _, name = key.rpartition(".")
        (values[part] if part else values)[name] = value
    return RunConfig.parse(values)  # all at once: some settings are only valid together


def check_key(key: str) -> None:
    """UnknownNameError, with the nearest name, unless a run has this setting."""
    keys = (*OLD_KEYS, *KEYS)
    if key not in keys:
        hint = f"{nearest_hint(key, keys)}docs/settings.md has them all"
        raise UnknownNameError(f"a run has no setting {key!r}; {hint}")


def flatten(changes: NamedValues, prefix: str = "") -> Values:
    """Nested values under their full names; a network may be text, like `4x64`."""
    settings: Values = {}
    for key, value in changes.items():
        if prefix + key == "network" and isinstance(value, str):
            value = parse_network(value).to_dict()
        if isinstance(value, Mapping):
            settings |= flatten(value, f"{prefix}{key}.")
        else:
            settings[f"{prefix}{key}"] = value
    return settings


GONE_SETTINGS = {
    "tensorboard": False,
    "selfplay.noise_total": 0.0,
    "selfplay.fast_share": 0.0,
    "selfplay.fast_simulations": None,
    "replay.window_growth": 0.0,
    "replay.window_power": None,
    "replay.priority": 0.0,
    "replay.importance": None,
    "trainer.warm_up": 0,
    "trainer.step_every": None,
    "trainer.step_factor": None,
    "trainer.soft_policy": 0.0,
    "teacher": "",
}
"""Settings of earlier versions, and the value with which each had no effect; None: any."""


def read_settings(path: Path | str) -> Values:
    """The settings in a config file, by full name; removed settings that had no effect are
    ignored.
    """
    settings = flatten(read_toml(path))
    unused = GONE_SETTINGS | {
        "precision": "bfloat16" if settings.get("device") == "cuda" else "float32"
    }
    return {
        key: value for key, value in settings.items() if unused.get(key, GONE) not in (None, value)
    }


def load_config(path: Path | str) -> RunConfig:
    """The config in a file, with defaults for missing settings."""
    changes = read_settings(path)
    try:
        return change(RunConfig(), changes)
    except AnyzeroError as error:
        raise type(error)(f"{path}: {error}") from None


def parse_setting(text: str) -> tuple[str, Any]:
    """A key and its value, converted to the setting's type; lists are `a;b`, or in TOML syntax.

    >>> parse_setting("selfplay.simulations=64")
    ('selfplay.simulations', 64)
    """
    key, equals, written = (part.strip() for part in text.partition("="))
    if not equals or not key:
        raise BadOptionError(
            f"{text!r} is not of the form setting=value, like selfplay.simulations=64"
        )
    if key == "network":
        return key, written
    check_key(key)
    return key, parse_value(OldSettings if key in OLD_KEYS else RunConfig, key, written)


def format_setting(value: Any) -> str:
    """A value in the form that `parse_setting` reads."""
    if isinstance(value, list | tuple):
        return ";".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
