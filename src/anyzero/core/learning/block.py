"""A block: a number of games, played from first move to last. Self-play, gates, ratings and
benchmarks are blocks.

Every game has its own random streams, so a block is a function of its seed and its contestants:
threads change nothing, and an interrupted block is simply played again.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.nouns import Numbers, Rules
from anyzero.core.base.stopping import check as check_stopping
from anyzero.core.compile.bits import by_pointer
from anyzero.core.game.game import Game
from anyzero.core.learning.advance import (
    WITHOUT_REUSE,
    advance_game,
    grow_alone,
    grow_nothing,
    grow_tree,
    grow_with_answers,
)
from anyzero.core.learning.config import RANDOM, SelfPlayConfig, anchor_search
from anyzero.core.learning.games import (
    BY_RULES,
    IDLE,
    NEVER,
    REASON_WORDS,
    REASONS,
    Games,
    Manner,
    Pairings,
    Slots,
    new_games,
)
from anyzero.core.learning.samples import Samples, input_keys, join, new_samples, take
from anyzero.core.search.methods import BATCH, Evaluator, Method, Settings, adapt, find_method
from anyzero.core.search.run import (
    NO_ANSWERS,
    ask_for_leaves,
    choice_parts,
    fixed_settings,
    new_scratch_for,
    parts_of,
)
from anyzero.core.search.search import room
from anyzero.core.search.simulation import IDLE as NO_LEAF
from anyzero.core.search.tree import new_tree

INLINED = True  # these functions are compiled into their callers: see compile.kernels

REUSED = 4  # with tree reuse, trees have room for this many times the simulations of one move
TOGETHER = 32  # games per part if no network determines it

Watch = Callable[
    [int, int], None
]  # called now and then with the number of finished games and of simulations


# --- who plays: a network with a search, a search with rollouts, or chance


class Contestant(NamedTuple):
    """A search and its evaluator; contestants with equal searches share their trees."""

    name: str
    method: Method  # as the game and the evaluator allow it
    simulations: int
    evaluator: Evaluator | None = None  # None: it is part of the search


def network_contestant(
    game: Game,
    name: str,
    evaluator: Evaluator,
    config: SelfPlayConfig,
    *,
    noise: bool,
    simulations: int = 0,
) -> Contestant:
    """A network as used in self-play or a match; 0 simulations: as in self-play."""
    method = adapt(game, self_play_method(config, noise=noise), evaluator)
    if config.method == "expectimax":
        return Contestant(name, method, game.num_actions, evaluator)
    return Contestant(name, method, simulations or config.simulations, evaluator)


def anchor_contestant(game: Game, text: str) -> Contestant:
    """A player that never changes: `random`, or a method and its simulations, `uct:1000`."""
    method, simulations = (find_method("uct", {}), 0) if text == RANDOM else anchor_search(text)
    return Contestant(text, adapt(game, method, "rollout"), simulations)


NOISE = {"gumbel": ("gumbel_scale",), "puct": ("noise_fraction", "noise_concentration")}
FORM = {
    "gumbel": ("considered", "value_scale", "visit_scale"),
    "puct": ("exploration", "first_play"),
}
"""Search settings that are also self-play settings: those that add noise, and those that shape the
search.
"""


def self_play_method(config: SelfPlayConfig, *, noise: bool = True) -> Method:
    """The search of self-play; without noise, the search of matches."""
    if config.method == "expectimax":
        return find_method("expectimax", {})
    names = (*FORM[config.method], *(NOISE[config.method] if noise else ()))
    options: dict[str, object] = {name: getattr(config, name) for name in names}
    if config.method == "puct":
        options["log_visits"] = int(config.final == "value+log visits")
    return find_method(config.method, {**options, "move_value": int(config.move_value)})


class GameLine(NamedTuple):
    names: list[str]  # of the contestants, by seat
    start: int  # the number of its first position
    actions: list[int]
    payoffs: list[float]
    end: str  # one of REASON_WORDS


class BlockResult(NamedTuple):
    samples: Samples
    games: list[GameLine]
    sides: np.ndarray  # [games, seats]: the contestant in each seat
    payoffs: np.ndarray  # [games, seats]
    scores: np.ndarray | None  # [games]: the first seat's points, for games with scores
    simulations: int
    resign_checks: list[tuple[float, bool]]
    """From games played on as a check: each seat's threshold for resigning, and whether it did not
    lose after all.
    """


class Searching(NamedTuple):
    slots: Slots
    settings: Settings
    late: Settings  # after the plies in which moves are sampled: without Gumbel noise
    parts: dict[Any, Any]  # functions that replace those of the kernel


def advance_games(
    rules: Rules,
    slots: Slots,
    settings: Settings,
    late: Settings,
    answers: Numbers,
    begin: int,
    end: int,
) -> int:
    """Kernel: advance every game of these slots until it needs an answer; returns the number of
    slots not idle.
    """
    tree = by_pointer(slots.tree)
    spare = by_pointer(slots.spare)
    scratch = by_pointer(slots.scratch)
    games = by_pointer(slots.games)
    rows = by_pointer(slots.rows)
    manner = by_pointer(slots.manner)
    settings = by_pointer(settings)
    late = by_pointer(late)
    own = Slots(tree, spare, scratch, games, rows, manner)
    alive = 0
    for number in range(begin, end):
        advance_game(rules, own, settings, late, answers, number)
        alive += games.phase[number] != IDLE
    return alive


def new_search(
    game: Game, contestant: Contestant, games: Games, rows: Samples, manner: Manner
) -> Searching:
    settings = contestant.method.settings
    most = contestant.simulations
    slots = len(games.plies)
    manner = manner._replace(simulations=most)
    nodes = room(game, most * (REUSED if manner.reuse else 1), 1 << 30)
    tree = new_tree(game, settings, nodes, num_trees=slots)
    scratch = new_scratch_for(game, settings, None if manner.reuse else most, slots)
    scratch.known[:] = NO_LEAF
    grow = (
        grow_with_answers if settings.evaluator == BATCH else grow_alone if most else grow_nothing
    )
    spare = new_tree(game, settings, nodes, num_trees=slots) if manner.reuse else tree
    late = settings._replace(gumbel_scale=0.0)
    parts: dict[Any, Any] = {
        **choice_parts(settings),
        grow_tree: grow,
        **({} if manner.reuse else WITHOUT_REUSE),
    }
    return Searching(Slots(tree, spare, scratch, games, rows, manner), settings, late, parts)


class Block:
    """Games between these contestants, numbered from `first` on, with `at_once` games in parallel
    (0: all).
    """

    def __init__(
        self,
        game: Game,
        contestants: Sequence[Contestant],
        pairings: Pairings,
        manner: Manner,
        *,
        games: int,
        seed: int,
        at_once: int = 0,
        first: int = 0,
        resign_below: float = NEVER,
        starts: Numbers = None,
        threads: int = 1,
        target: str = "cpu",
    ) -> None:
        self.game = game
        self.contestants = contestants
        self.threads = threads
        self.target = target
        self.slots = min(games, at_once or games)
        longest = min(manner.max_plies or game.max_plies, game.max_plies)
        manner = manner._replace(max_plies=longest, last=first + games, legs=pairings.legs)
        kinds = [(one.method, one.simulations) for one in contestants]
        first_of_kind = sorted({kinds.index(kind) for kind in kinds})
        search_of = np.array([first_of_kind.index(kinds.index(kind)) for kind in kinds])
        self.games = new_games(
            game, self.slots, manner, pairings, search_of=search_of, starts=starts, seed=seed
        )
        self.games.bar[:] = resign_below if game.is_opposed else NEVER
        self.games.game[:] += first
        self.rows = new_samples(game, self.slots * longest if manner.keep_samples else 1)
        self.rows = self.rows._replace(
            policies=self.rows.policies.astype(np.float32)
        )  # kernels have no float16 here
        self.searches = [
            new_search(
                game, contestants[index], self.games, self.rows, manner._replace(search=number)
            )
            for number, index in enumerate(first_of_kind)
        ]
        every = [one.evaluator for one in contestants]
        self.evaluators: list[Any] = [one for one in dict.fromkeys(every) if one is not None]
        self.evaluator_of = np.array(
            [-1 if one is None else self.evaluators.index(one) for one in every]
        )
        self.finished = Finished(game, manner, self.games.sides, len(self.games.starts))
        self.is_stopped = False
        self.lock = Lock()

    def play(self, watch: Watch | None = None, *, keys: bool = True) -> BlockResult:
        self.play_part(0, 0, None)  # compile now, not on several threads at once
        pools: list[Executor | None] = [
            getattr(evaluator, "pool", None) for evaluator in self.evaluators
        ]
        if not self.evaluators:
            with ThreadPoolExecutor(self.threads) as pool:
                self.play_parts(pool, TOGETHER, watch)
        elif all(pools):
            self.play_parts(pools[0], self.evaluators[0].together, watch)  # type: ignore[arg-type]
        else:
            self.play_part(0, self.slots, watch)
        names = [one.name for one in self.contestants]
        return self.finished.result(names, int(self.games.simulations.sum()), keys=keys)

    def play_parts(self, pool: Executor, together: int, watch: Watch | None) -> None:
        """Play each part on one thread. Slots are divided by number alone, so the number of threads
        changes nothing.
        """
        work = [
            pool.submit(self.play_part, *part, watch) for part in parts_of(self.slots, together)
        ]
        try:
            for part in work:
                part.result()
        finally:
            self.is_stopped = True
            for part in work:
                part.exception()

    def play_part(self, begin: int, end: int, watch: Watch | None) -> None:
        """Play all games of these slots, checking the clock about once per move."""
        kernels = []
        for search in self.searches:
            fixed = fixed_settings(self.game, search.settings)
            kernels.append(self.game.compile(advance_games, self.target, fixed, parts=search.parts))
        answers = [NO_ANSWERS] * len(kernels)
        steps = 0
        alive = 1
        every = max(search.slots.manner.simulations for search in self.searches) + 1
        try:
            while alive and not self.is_stopped:
                for search, kernel, answer in zip(self.searches, kernels, answers, strict=True):
                    alive = kernel(self.game.rules, *search[:3], answer, begin, end)
                self.fetch(begin, end)
                steps += 1
                if steps % every == 0:
                    check_stopping()
                    with self.lock:
                        if watch:
                            watch(int(self.games.finished.sum()), int(self.games.simulations.sum()))
                whose = (
                    self.evaluator_of[self.games.contestant] if len(self.evaluators) > 1 else None
                )
                answers = [
                    ask_for_leaves(
                        self.game, search.slots.scratch, begin, end, self.evaluators, whose
                    )
                    for search in self.searches
                ]
        except BaseException:
            self.is_stopped = True
            raise

    def fetch(self, begin: int, end: int) -> None:
        """Collect the finished games of these slots, so that new ones can start there."""
        pages = begin + np.flatnonzero(self.games.ready[begin:end])
        if len(pages) == 0:
            return
        begins = pages * self.games.moves.shape[1]
        ends = begins + self.games.end_samples[pages]
        samples = take(
            self.rows, np.concatenate([np.arange(*part) for part in zip(begins, ends, strict=True)])
        )
        with self.lock:
            self.finished.add(
                self.games, pages, samples._replace(policies=samples.policies.astype(np.float16))
            )
        self.games.ready[pages] = 0


class Finished:
    """Finished games and their samples, in the order in which they are fetched."""

    def __init__(self, game: Game, manner: Manner, sides: np.ndarray, num_starts: int) -> None:
        self.game = game
        self.manner = manner
        self.sides = sides
        self.num_starts = num_starts
        self.ends: list[dict[str, np.ndarray]] = []
        self.moves: list[list[int]] = []
        self.samples: list[Samples] = []

    def add(self, games: Games, pages: np.ndarray, samples: Samples) -> None:
        """Add the games in these pages, and their samples in the same order."""
        self.ends.append({name: getattr(games, name)[pages] for name in ENDED})
        self.moves += [
            games.moves[page, : games.end_plies[page]].tolist() for page in pages.tolist()
        ]
        samples.seats[:] = 0  # from now on the positions themselves tell the seat
        self.samples.append(samples)

    def result(
        self, names: Sequence[str], simulations: int, *, ordered: bool = True, keys: bool = True
    ) -> BlockResult:
        """All games, ordered by number or by arrival; samples get their keys if `keys` is set."""
        ends = {name: np.concatenate([part[name] for part in self.ends]) for name in ENDED}
        samples = join(self.samples)
        numbers = ends["end_game"]
        order = np.argsort(numbers) if ordered else np.arange(len(numbers))
        if ordered:
            whose = np.repeat(numbers, ends["end_samples"])
            samples = take(samples, np.argsort(whose, kind="stable"))
        ends = {name: column[order] for name, column in ends.items()}
        if keys:
            samples.keys[:] = input_keys(self.game, samples.states)
        sides = self.sides[ends["end_pairing"]]
        starts = ends["end_game"] // self.manner.legs % self.num_starts
        rows = zip(
            order, sides, starts.tolist(), ends["payoffs"].tolist(), ends["end_reason"], strict=True
        )
        lines = [
            GameLine(
                [names[side] for side in own],
                start,
                self.moves[index],
                payoffs,
                REASON_WORDS[REASONS[reason]],
            )
            for index, own, start, payoffs, reason in rows
        ]
        scores = ends["end_score"] if self.game.has("score") else None
        checked = (ends["end_checked"] == 1) & (
            ends["end_reason"] == BY_RULES
        )  # a truncated game proves nothing
        seats = zip(
            ends["lowest"][checked].ravel().tolist(),
            ends["payoffs"][checked].ravel().tolist(),
            strict=True,
        )
        checks = [(low, payoff > -1.0) for low, payoff in seats]
        return BlockResult(samples, lines, sides, ends["payoffs"], scores, simulations, checks)


AT_END = ("game", "pairing", "samples", "plies", "reason", "checked", "score")
ENDED = (
    *(f"end_{name}" for name in AT_END),
    "payoffs",
    "lowest",
)  # what is recorded of a game besides its moves


def surprise_weights(samples: Samples, share: float) -> np.ndarray:
    """Weights with mean 1 over a block, `share` of them by surprise."""
    searched = samples.policy_weights > 0.0
    mean = float(samples.surprises[searched].mean(dtype=np.float64)) if searched.any() else 0.0
    relative = samples.surprises / mean if mean > 0.0 else np.ones(samples.num, np.float32)
    return np.where(searched, 1.0 - share + share * relative, 1.0).astype(np.float32)
