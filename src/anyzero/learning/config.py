"""Everything that decides how a run goes: one frozen class a part, every field with a default and a meaning."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.networks.config import NetworkConfig
from anyzero.search.methods import Method, find_method, parse_search

SCHEDULES = ("constant", "step", "cosine", "one-cycle")
METHODS = ("puct", "gumbel")
FINALS = ("visits", "value+log visits")
DEVICES = ("cpu", "cuda")
RANDOM = "random"
"""The anchor without a search."""


@dataclass(frozen=True)
class SelfPlayConfig:
    """How games are made."""

    method: str = "gumbel"
    """puct or gumbel."""
    simulations: int = 32
    """For each move."""
    games: int = 256
    """Finished games a generation."""
    at_once: int = 128
    """Games that are played side by side, and written together."""
    exploration: float = 1.25
    """PUCT: the weight of priors."""
    first_play: float = -0.2
    """PUCT: what a move without visits is worth, beside the mean of the others."""
    considered: int = 16
    """Gumbel: the most moves that the root considers."""
    value_scale: float = 0.25
    """Gumbel: how much values move the policy (c_scale of the paper, for values between 0 and 1)."""
    visit_scale: float = 50.0
    """Gumbel: c_visit of the paper."""
    noise_fraction: float = 0.25
    """PUCT: share of Dirichlet noise in the root's priors."""
    noise_concentration: float = 0.3
    """PUCT: alpha of that noise."""
    noise_total: float = 0.0
    """PUCT: where it is positive, alpha is this divided by the number of moves."""
    gumbel_scale: float = 1.0
    """Gumbel: how much noise the root's moves get."""
    temperature: float = 1.0
    """PUCT: moves are drawn by visits ** (1 / temperature)."""
    temperature_plies: int = 30
    """For so many plies; Gumbel draws by its own noise for as long."""
    late_temperature: float = 0.1
    """PUCT: the temperature after that."""
    move_value: bool = False
    """Whether a position's value after search is that of the move chosen, rather than the mean of all simulations."""
    final: str = "visits"
    """PUCT at temperature 0, and every match: the most visits, or the best value + log visits."""
    opening_plies: int = 0
    """Up to so many random moves at the start; what comes before and at the last of them is no sample."""
    fast_share: float = 0.0
    """Share of moves that are searched with few simulations and are no samples (playout-cap randomisation)."""
    fast_simulations: int = 8
    """For those moves."""
    resign_below: float = -1.0
    """A seat gives up when its value has been under this for two of its moves; -1: never."""
    resign_checked: float = 0.1
    """Share of games that are played on, to see how often giving up is wrong."""
    resign_errors: float = 0.05
    """Where more of those are wrong than this, the bar is lowered."""
    reuse: bool = False
    """PUCT, games of one network: the tree below the move that was played is where the next search begins."""
    max_plies: int = 0
    """Games that are longer are cut off, and teach what searches said of them; 0: as long as the rules allow."""
    starts: tuple[str, ...] = ()
    """Positions to start from, in turn; none: the beginning of the game."""
    recent_share: float = 0.0
    """Share of games against a generation of late."""
    recent: int = 5
    """How many generations are of late."""
    two_champions: bool = False
    """Whether the champion also plays the one before it, more often the harder it finds that."""


@dataclass(frozen=True)
class ReplayConfig:
    """What training sees of the games."""

    window: int = 50_000
    """Samples that are kept, the newest."""
    window_growth: float = 0.0
    """The window grows by so many samples a generation."""
    merge: bool = True
    """Whether equal positions become one sample with the mean of their targets."""
    fade: float = 0.0
    """A sample's weight falls by this with every generation of age."""
    fade_floor: float = 0.7
    """But not below this."""
    by_count: bool = False
    """Whether merged samples are drawn as often as there were of them."""
    priority: float = 0.0
    """Samples are drawn in proportion to loss ** priority; 0: all alike."""
    importance: float = 0.6
    """How much of the bias that this brings is taken back by weights."""
    symmetries: bool = True
    """Whether boards are turned at random."""
    payoff_share: float = 1.0
    """k in the value's target k * payoff + (1 - k) * root value."""
    payoff_share_end: float = -1.0
    """Where it is not -1, k rises to this from a game's first ply to its last."""


@dataclass(frozen=True)
class TrainerConfig:
    """Gradient steps."""

    epochs: float = 1.0
    """Passes over the replay a generation."""
    batches: int = 0
    """Where it is positive, so many batches a generation instead."""
    batch_size: int = 256
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    clip: float = 1.0
    """The greatest norm of a gradient."""
    schedule: str = "constant"
    """constant, step, cosine (over `horizon` generations) or one-cycle (within each generation)."""
    horizon: int = 100
    step_every: int = 20
    """Schedule step: generations until the rate falls."""
    step_factor: float = 0.5
    policy_weight: float = 1.0
    value_weight: float = 1.0
    average: float = 0.0
    """Where it is positive, games are played with weights averaged over steps with this decay."""


@dataclass(frozen=True)
class GateConfig:
    """When a candidate becomes the champion."""

    games: int = 64
    """Even, for pairs: against the champion, and as many against the one before; 0: every candidate is promoted."""
    threshold: float = 0.55
    simulations: int = 0
    """For each move; 0: as in self-play."""
    opening_plies: int = -1
    """Random moves before each pair of games; -1: as many as in matches."""


@dataclass(frozen=True)
class LeagueConfig:
    """How every generation is rated against players that never change."""

    every: int = 5
    """Generations from one rating to the next; 0: never."""
    games: int = 40
    """Against each anchor; even, for pairs."""
    anchors: tuple[str, ...] = (RANDOM, "uct:100", "uct:1000")
    """random, or methods with their simulations; the first one stands at Elo 0."""
    simulations: int = 0
    """For each move of the champion; 0: as in self-play."""


@dataclass(frozen=True)
class BenchmarkConfig:
    """Games of one seat: the same deals every generation, without noise."""

    every: int = 1
    deals: int = 1000
    simulations: int = 0
    """For each move; 0: as in self-play."""
    convergence_threshold: float = 0.0
    """Training ends when the mean of the last five benchmarks exceeds that of the five before by less; 0: never."""


@dataclass(frozen=True)
class RunConfig:
    """A run: its game, its parts, and what belongs to none of them."""

    game: str = "tic_tac_toe"
    seed: int = 0
    generations: int = 1000
    """When the run is done."""
    keep: int = 3
    """Generations that are kept besides those that were promoted."""
    keep_samples: bool = True
    """Whether samples are written; on a GPU, where they are many, a run may go on with an empty replay instead."""
    device: str = "cpu"
    precision: str = "auto"
    threads: int = 0
    """0: one for each processor."""
    tensorboard: bool = False
    begin_with: str = ""
    """A network (`hex5`, `hex5/12`, a file) whose weights the run begins with instead of random ones."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    trainer: TrainerConfig = field(default_factory=TrainerConfig)
    gate: GateConfig = field(default_factory=GateConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
    benchmark: BenchmarkConfig = field(default_factory=BenchmarkConfig)

    def __post_init__(self) -> None:
        check(self, "run")
        for name in PARTS:
            check(getattr(self, name), name)
        check_together(self)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "network": self.network.to_dict()}


PARTS = {
    "selfplay": SelfPlayConfig,
    "replay": ReplayConfig,
    "trainer": TrainerConfig,
    "gate": GateConfig,
    "league": LeagueConfig,
    "benchmark": BenchmarkConfig,
}

CHOICES = {"schedule": SCHEDULES, "method": METHODS, "final": FINALS, "device": DEVICES}
BOUNDS: dict[str, tuple[float, float]] = {
    "simulations": (0, 1_000_000),
    "selfplay.simulations": (1, 1_000_000),
    "games": (0, 10_000_000),
    "selfplay.games": (1, 10_000_000),
    "league.games": (2, 10_000_000),
    "at_once": (1, 1_000_000),
    "considered": (1, 100_000),
    "first_play": (-2, 2),
    "noise_fraction": (0, 1),
    "noise_concentration": (1e-3, 1e3),
    "temperature": (0, 100),
    "late_temperature": (0, 100),
    "opening_plies": (-1, 1000),
    "selfplay.opening_plies": (0, 1000),
    "fast_share": (0, 0.95),
    "fast_simulations": (1, 1_000_000),
    "resign_below": (-1, 0),
    "resign_checked": (0, 1),
    "resign_errors": (0, 1),
    "recent_share": (0, 1),
    "recent": (1, 1000),
    "window": (1, 1 << 40),
    "fade": (0, 1),
    "fade_floor": (0, 1),
    "priority": (0, 2),
    "importance": (0, 1),
    "payoff_share": (0, 1),
    "payoff_share_end": (-1, 1),
    "epochs": (0, 1000),
    "batch_size": (1, 1 << 20),
    "learning_rate": (0, 10),
    "clip": (1e-6, 1e6),
    "horizon": (1, 1_000_000),
    "step_every": (1, 1_000_000),
    "step_factor": (0, 1),
    "average": (0, 0.99999),
    "threshold": (0, 1),
    "keep": (1, 1_000_000),
    "generations": (0, 1_000_000),
    "seed": (0, (1 << 63) - 1),
}
"""By the full name or else by the last part of it. Other numbers only have to be finite and not negative."""
PAIRED = ("gate.games", "league.games")
"""Games with one opening and the seats swapped come in twos."""


def check(part: Any, where: str) -> None:
    """One sentence about the first value that cannot be."""
    for known in fields(part):
        if known.name not in ("network", *PARTS):
            name = known.name if where == "run" else f"{where}.{known.name}"
            check_value(name, getattr(part, known.name), type(known.default))


def check_value(name: str, value: Any, wanted: type) -> None:
    """One sentence if a setting cannot have this value, whatever the others are."""
    own = name.rpartition(".")[2]
    if wanted is tuple:
        if not (isinstance(value, tuple) and all(isinstance(item, str) for item in value)):
            raise BadOptionError(f"{name} must be a list of texts, not {value!r}")
        if name == "league.anchors":
            check_anchors(value)
    elif type(value) is not wanted:
        raise BadOptionError(f"{name} must be {MEANINGS[wanted]}, not {value!r}")
    elif own in CHOICES and value not in CHOICES[own]:
        hint = nearest_hint(str(value), CHOICES[own])
        raise UnknownNameError(f"{name} cannot be {value!r}; {hint}known: {list_some(CHOICES[own])}")
    elif wanted in (int, float):
        low, high = BOUNDS.get(name, BOUNDS.get(own, (0, 1e12)))
        if not low <= value <= high:  # type: ignore[operator]
            raise BadOptionError(f"{name} must be from {low:g} to {high:g}, not {value!r}")
        if name in PAIRED and value % 2:  # type: ignore[operator]
            raise BadOptionError(f"{name} must be even, not {value}: games are played in pairs with the seats swapped")


def check_anchors(texts: tuple[str, ...]) -> None:
    """One sentence about the first text that is no anchor."""
    for text in texts:
        if text != RANDOM:
            anchor_search(text)


def anchor_search(text: str) -> tuple[Method, int]:
    """The method of an anchor and its simulations; seconds would make another player of it on another machine."""
    wanted = parse_search(text)
    if wanted.simulations is None:
        raise BadOptionError(f"an anchor has a number of simulations, like uct:1000; {text!r} has none")
    return find_method(wanted.method, wanted.options), wanted.simulations


def check_together(config: RunConfig) -> None:
    """One sentence about the first settings that do not go together."""
    selfplay, league = config.selfplay, config.league
    if selfplay.reuse and selfplay.method != "puct":
        raise BadOptionError("selfplay.reuse is for puct: gumbel plans every visit of its root")
    if selfplay.reuse and (selfplay.two_champions or selfplay.recent_share > 0.0):
        other = "two_champions" if selfplay.two_champions else "recent_share"
        raise BadOptionError(f"selfplay.reuse is for games of one network: leave selfplay.{other} alone")
    if league.every > 0 and not league.anchors:
        raise BadOptionError("league.anchors is empty: name a player, such as random, or take league.every=0")
    if not config.keep_samples and config.device == "cpu":
        raise BadOptionError("keep_samples=false is for the GPU: on the CPU a run goes on as if never stopped")


MEANINGS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def change(config: RunConfig, changes: Mapping[str, Any]) -> RunConfig:
    """The config with some values changed: `{"selfplay.simulations": 64}`, or `{"selfplay": {"simulations": 64}}`."""
    wanted: dict[str, dict[str, Any]] = {}
    for key, value in flatten(changes).items():
        part, _, name = key.rpartition(".")
        wanted.setdefault(part, {})[name] = value if part == "network" else fitting(config, part, name, value)
    new: dict[str, Any] = wanted.pop("", {})
    for part, values in wanted.items():
        old = getattr(config, part)
        is_network = part == "network"
        new[part] = NetworkConfig.parse({**dict(old), **values}, part) if is_network else replace(old, **values)
    return replace(config, **new)  # all at once: some settings only go together


def flatten(changes: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in changes.items():
        found |= flatten(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}": value}
    return found


def fitting(config: RunConfig, part: str, name: str, value: Any) -> Any:
    """The value as its setting holds it; an unknown setting is an error with the nearest name."""
    if part not in ("", *PARTS):
        known = ["network", *PARTS]
        raise UnknownNameError(f"a run has no part {part!r}; {nearest_hint(part, known)}its parts: {list_some(known)}")
    owner = getattr(config, part) if part else config
    known = [item.name for item in fields(owner) if item.name not in ("network", *PARTS)]
    if name not in known:
        every = all_keys() if not part else [f"{part}.{item}" for item in known]
        wanted = f"{part}.{name}" if part else name
        raise UnknownNameError(f"there is no setting {wanted!r}; {nearest_hint(wanted, every)}see: {list_some(every)}")
    return tidy(value, type(next(item.default for item in fields(owner) if item.name == name)))


def all_keys() -> list[str]:
    """Every setting by its full name."""
    own = [item.name for item in fields(RunConfig) if item.name not in ("network", *PARTS)]
    return own + [f"{part}.{item.name}" for part, kind in PARTS.items() for item in fields(kind)]


def tidy(value: Any, wanted: type) -> Any:
    """Lists for tuples and whole numbers for floats, as files write them."""
    if wanted is tuple and isinstance(value, list):
        return tuple(value)
    return float(value) if wanted is float and type(value) is int else value
