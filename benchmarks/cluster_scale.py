"""A run with 10 to 10,000 actors, simulated from measured figures: how busy the actors are, and
what they wait for.

An actor plays a piece; its result goes over the driver's link, through the driver's processor and
onto its disk, one after the other. When a generation's pieces are there, the learner trains; then
the network goes out to all nodes.
"""

import heapq
import math
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

ACTORS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
PIECE_S, SPREAD = 20.0, 0.2
"""A piece's mean seconds, and the standard deviation of their logarithm."""
PIECES = 4
"""Pieces of an actor in a generation."""
GENERATIONS = 6
STATIONS = ("link", "driver", "disk", "learner")


@dataclass(frozen=True)
class Setting:
    """Connect Four with a net of 4x64 and 32 simulations a move, as measured in
    docs/internet_scale.md.
    """

    name: str
    learner: float
    """Samples a second in training."""
    lag: int = 0
    samples: float = 20.0 * 4 * 10_000 / 30
    """New samples of a piece: four cores, 10,000 simulations a second each, 30 simulations a
    sample.
    """
    sample_bytes: float = 95.0
    disk_bytes: float = 28.0
    weights_bytes: float = 0.95e6
    driver_s: float = 0.005
    """The driver's processor time for a piece."""
    driver_sample_s: float = 2e-6
    """And for each of its samples, to write it."""
    wait_s: float = 1e-6
    """And for each actor that it waits for; assumed."""
    reuse: float = 4.0
    """How often a sample is trained on."""
    link: float = 1.25e9
    disk: float = 5e8
    """Bytes a second: a link of 10 Gbit/s, a fast disk; assumed."""


SETTINGS = (
    Setting("learner: 2 cores", learner=2_500),
    Setting("learner: one H200", learner=680_000),
    Setting("one H200, lag 1", learner=680_000, lag=1),
    Setting(
        "one H200, lag 1, 800 simulations a move",
        learner=680_000,
        lag=1,
        samples=20.0 * 4 * 10_000 / 800,
    ),
    Setting("8 GPUs, lag 1", learner=8 * 680_000, lag=1),
    Setting(
        "8 GPUs, lag 1, 16 collectors",
        learner=8 * 680_000,
        lag=1,
        driver_s=0.005 / 16,
        driver_sample_s=2e-6 / 16,
    ),
)


class Outcome(NamedTuple):
    busy: float
    """Share of the actors' time in which they play."""
    use: dict[str, float]
    """Share of the time in which each station works."""
    samples_per_s: float

    @property
    def limit(self) -> str:
        """What the actors wait for most, if they wait."""
        return "none" if self.busy > 0.9 else max(self.use, key=lambda name: self.use[name])


class Run:
    """A simulated run. A piece ends, its result passes the stations, and its actor gets the next
    one.
    """

    def __init__(self, setting: Setting, actors: int, seed: int = 0) -> None:
        self.setting, self.actors, self.rng = setting, actors, Random(seed)
        self.free, self.worked = dict.fromkeys(STATIONS, 0.0), dict.fromkeys(STATIONS, 0.0)
        self.num = PIECES * actors
        self.left, self.undone = [self.num] * GENERATIONS, [self.num] * GENERATIONS
        self.ready_at = [0.0] * (1 + setting.lag)
        """When the pieces of each generation may begin, as far as that is known."""
        self.events: list[tuple[float, int]] = []
        """When a piece ends, and its generation."""
        self.num_waiting, self.playing, self.last = 0, 0.0, 0.0

    def simulate(self) -> Outcome:
        for _ in range(self.actors):
            self.give(self.rng.random())
        while self.events:
            self.take(*heapq.heappop(self.events))
        samples, end = (
            self.num * GENERATIONS * self.setting.samples,
            max(self.last, self.free["learner"]),
        )
        use = {name: worked / end for name, worked in self.worked.items()}
        return Outcome(self.playing / (self.actors * end), use, samples / end)

    def give(self, now: float) -> None:
        """The next piece for an actor, or it waits for the next network."""
        generation = next((number for number, left in enumerate(self.left) if left), GENERATIONS)
        if generation >= len(self.ready_at):
            self.num_waiting += 1
        elif generation < GENERATIONS:
            self.left[generation] -= 1
            seconds = PIECE_S * math.exp(self.rng.gauss(-(SPREAD**2) / 2, SPREAD))
            self.playing += seconds
            heapq.heappush(self.events, (max(now, self.ready_at[generation]) + seconds, generation))

    def take(self, now: float, generation: int) -> None:
        """A result goes over the link, through the driver and onto the disk; the last one starts
        the learner.
        """
        setting = self.setting
        there = self.pass_through(
            "link", now, setting.samples * setting.sample_bytes / setting.link
        )
        driver_s = (
            setting.driver_s
            + setting.driver_sample_s * setting.samples
            + setting.wait_s * self.actors
        )
        heard = self.last = self.pass_through("driver", there, driver_s)
        written = self.pass_through(
            "disk", heard, setting.samples * setting.disk_bytes / setting.disk
        )
        self.give(heard)
        self.undone[generation] -= 1
        if self.undone[generation] == 0:
            self.train(written)

    def train(self, now: float) -> None:
        setting = self.setting
        trained = self.pass_through(
            "learner", now, self.num * setting.samples * setting.reuse / setting.learner
        )
        spread_s = setting.weights_bytes / setting.link * (1 + math.ceil(math.log2(self.actors)))
        self.ready_at.append(trained + spread_s)
        freed, self.num_waiting = self.num_waiting, 0
        for _ in range(freed):
            self.give(trained + spread_s)

    def pass_through(self, station: str, start: float, seconds: float) -> float:
        self.worked[station] += seconds
        self.free[station] = max(start, self.free[station]) + seconds
        return self.free[station]


def show_scale(picture: Path) -> None:
    """The table for docs/internet_scale.md, and its picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for setting in SETTINGS:
        found = {actors: Run(setting, actors).simulate() for actors in ACTORS}
        axes.plot(
            list(found),
            [outcome.busy for outcome in found.values()],
            marker="o",
            label=setting.name,
        )
        for actors, outcome in found.items():
            use = " | ".join(f"{outcome.use[name]:.0%}" for name in STATIONS)
            row = f"{outcome.samples_per_s:,.0f} | {outcome.busy:.0%} | {use} | {outcome.limit}"
            print(f"| {setting.name} | {actors:,} | {row} |")
    axes.set(
        xscale="log",
        xlabel="actors of four cores",
        ylabel="share of their time in which actors play",
        ylim=(0, 1),
    )
    axes.legend(frameon=False)
    figure.savefig(picture)
