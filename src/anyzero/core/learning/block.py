"""A block: a number of games, played from first move to last. Self-play, gates, ratings and
benchmarks are blocks.

Every game has its own random streams, so a block is a function of its seed and its contestants:
threads change nothing, and an interrupted block is simply played again.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import Numbers, Rules
from anyzero.core.base.stopping import check as check_stopping
from anyzero.core.compile.bind import Function
from anyzero.core.compile.bits import by_pointer
from anyzero.core.game.game import Game
from anyzero.core.game.play import Reason
from anyzero.core.learning.advance import (
    WITHOUT_REUSE,
    advance_game,
    grow_alone,
    grow_nothing,
    grow_tree,
    grow_with_answers,
)
from anyzero.core.learning.config import RANDOM, SelfPlayConfig
from anyzero.core.learning.games import (
    BY_RULES,
    IDLE,
    NEVER,
    REASON_OF,
    REASON_WORDS,
    REASONS,
    Games,
    Manner,
    Pairings,
    Slots,
    new_games,
)
from anyzero.core.learning.samples import Rows, Samples, finish_rows, join, new_rows, take
from anyzero.core.learning.search_text import anchor_search, parse_self_play
from anyzero.core.search.forest import Forest, tree_parts
from anyzero.core.search.leaves import NO_ANSWERS, answer_leaves
from anyzero.core.search.methods import (
    BATCH,
    OUTSIDE,
    Evaluator,
    Method,
    Settings,
    adapt,
    find_method,
)
from anyzero.core.search.search import most_nodes

INLINED = True  # these functions are compiled into their callers: see compile.kernels

REUSED = 4  # with tree reuse, trees have room for this many times the simulations of one move
TOGETHER = 32  # games per part if no network determines it

Watch = Callable[[int, int], None]
"""Called now and then with the number of finished games and of simulations."""


class Contestant(NamedTuple):
    """A search and its evaluator; contestants with equal searches share their trees."""

    name: str
    method: Method  # as the game and the evaluator allow it
    simulations: int
    evaluator: Evaluator | None = None  # None: it is part of the search, or on a GPU


def network_contestant(
    game: Game,
    name: str,
    evaluator: Evaluator | None,
    config: SelfPlayConfig,
    *,
    noise: bool,
    simulations: int = 0,
) -> Contestant:
    """A network as used in self-play or a match, None: one that answers on a GPU; 0 simulations: as
    in self-play.
    """
    method = adapt(game, self_play_method(config, noise=noise), OUTSIDE)
    if config.method == "expectimax":
        return Contestant(name, method, game.num_actions, evaluator)
    return Contestant(name, method, simulations or config.simulations, evaluator)


def anchor_contestant(game: Game, text: str) -> Contestant:
    """A player that never changes: `random`, or a method and its simulations, `uct:1000`."""
    method, simulations = (find_method("uct", {}), 0) if text == RANDOM else anchor_search(text)
    return Contestant(text, adapt(game, method, "rollout"), simulations)


def self_play_method(config: SelfPlayConfig, *, noise: bool = True) -> Method:
    """The search of self-play; without noise, the search of matches."""
    return parse_self_play(config.search).method(noise=noise)


class GameLine(NamedTuple):
    names: list[str]  # of the contestants, by seat
    start: int  # the number of its first position
    actions: list[int]
    payoffs: list[float]
    end: str  # one of REASON_WORDS

    @property
    def reason(self) -> Reason:
        return REASON_OF[self.end]


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
    surprises: np.ndarray  # [samples]: KL(policy || priors) in nats


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
    pointed = Slots(tree, spare, scratch, games, rows, manner)
    alive = 0
    for number in range(begin, end):
        advance_game(rules, pointed, settings, late, answers, number)
        alive += games.phase[number] != IDLE
    return alive


def plant_forest(
    game: Game, contestant: Contestant, num_trees: int, manner: Manner, target: str
) -> Forest:
    """A tree for each game of a block, for contestants with this search; with tree reuse, one more
    to copy to.
    """
    settings = contestant.method.settings
    simulations = contestant.simulations
    grow = grow_alone if simulations else grow_nothing
    if settings.evaluator == BATCH:
        grow = grow_with_answers
    parts: dict[Function, Function] = {grow_tree: grow}
    if not manner.reuse:
        parts.update(WITHOUT_REUSE)
    forest = Forest(
        game,
        contestant.method,
        room=most_nodes(game, simulations * (REUSED if manner.reuse else 1), 1 << 30),
        simulations=None if manner.reuse else simulations,
        num_trees=num_trees,
        target=target,
        parts=parts,
    )
    forest.rest()
    return forest


def without_noise(settings: Settings) -> Settings:
    """For moves after the plies in which they are sampled: without Gumbel noise."""
    return settings._replace(gumbel_scale=0.0)


def new_slots(forest: Forest, games: Games, rows: Rows, manner: Manner) -> Slots:
    """What one search needs to advance the games of a block."""
    spare = forest.spare_tree() if manner.reuse else forest.tree
    return Slots(forest.tree, spare, forest.scratch, games, rows, manner)


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
        kinds = [(contestant.method, contestant.simulations) for contestant in contestants]
        first_of_kind = sorted({kinds.index(kind) for kind in kinds})
        search_of = np.array([first_of_kind.index(kinds.index(kind)) for kind in kinds])
        self.games = new_games(
            game, self.slots, manner, pairings, search_of=search_of, starts=starts, seed=seed
        )
        self.games.bar[:] = resign_below if game.is_opposed else NEVER
        self.games.game[:] += first
        self.rows = new_rows(game, self.slots * longest if manner.keep_samples else 1)
        self.forests: list[Forest] = []
        self.searches: list[Slots] = []  # one for each kind of search
        for number, index in enumerate(first_of_kind):
            contestant = contestants[index]
            forest = plant_forest(game, contestant, self.slots, manner, target)
            its_manner = manner._replace(search=number, simulations=contestant.simulations)
            self.forests.append(forest)
            self.searches.append(new_slots(forest, self.games, self.rows, its_manner))
        evaluators = [contestant.evaluator for contestant in contestants]
        self.evaluators = [each for each in dict.fromkeys(evaluators) if each is not None]
        self.evaluator_of = np.array(
            [-1 if each is None else self.evaluators.index(each) for each in evaluators]
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
            self.play_parts(pools[0], self.evaluators[0].together, watch)  # type: ignore
        else:
            self.play_part(0, self.slots, watch)
        names = [contestant.name for contestant in self.contestants]
        return self.finished.result(names, int(self.games.simulations.sum()), keys=keys)

    def play_parts(self, pool: Executor, together: int, watch: Watch | None) -> None:
        """Play each part on one thread. Slots are divided by number alone, so the number of threads
        changes nothing.
        """
        work = [
            pool.submit(self.play_part, *part, watch) for part in tree_parts(self.slots, together)
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
        kernels = [forest.kernel(advance_games) for forest in self.forests]
        answers = [NO_ANSWERS] * len(kernels)
        steps = 0
        alive = 1
        every = max(slots.manner.simulations for slots in self.searches) + 1
        try:
            while alive and not self.is_stopped:
                for forest, slots, kernel, answer in zip(
                    self.forests, self.searches, kernels, answers, strict=True
                ):
                    settings = forest.settings, without_noise(forest.settings)
                    alive = kernel(self.game.rules, slots, *settings, answer, begin, end)
                self.fetch(begin, end)
                steps += 1
                if steps % every == 0:
                    check_stopping()
                    with self.lock:
                        if watch:
                            watch(int(self.games.finished.sum()), int(self.games.simulations.sum()))
                of_slots = (
                    self.evaluator_of[self.games.contestant] if len(self.evaluators) > 1 else None
                )
                answers = [
                    answer_leaves(self.game, slots.scratch, begin, end, self.evaluators, of_slots)
                    for slots in self.searches
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
        spans = [np.arange(*span) for span in zip(begins, ends, strict=True)]
        rows = take(self.rows, np.concatenate(spans))
        with self.lock:
            self.finished.add(
                self.games, pages, rows._replace(policies=rows.policies.astype(np.float16))
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
        self.rows: list[Rows] = []

    def add(self, games: Games, pages: np.ndarray, rows: Rows) -> None:
        """Add the games in these pages, and their rows in the same order."""
        self.ends.append({name: getattr(games, name)[pages] for name in ENDED})
        self.moves += [
            games.moves[page, : games.end_plies[page]].tolist() for page in pages.tolist()
        ]
        self.rows.append(rows)

    def result(
        self, names: Sequence[str], simulations: int, *, ordered: bool = True, keys: bool = True
    ) -> BlockResult:
        """All games, ordered by number or by arrival; samples get their keys if `keys` is set."""
        ends = {name: np.concatenate([part[name] for part in self.ends]) for name in ENDED}
        rows = join(self.rows)
        numbers = ends["end_game"]
        order = np.argsort(numbers) if ordered else np.arange(len(numbers))
        if ordered:
            whose = np.repeat(numbers, ends["end_samples"])
            rows = take(rows, np.argsort(whose, kind="stable"))
        ends = {name: column[order] for name, column in ends.items()}
        sides = self.sides[ends["end_pairing"]]
        starts = ends["end_game"] // self.manner.legs % self.num_starts
        games = zip(
            order, sides, starts.tolist(), ends["payoffs"].tolist(), ends["end_reason"], strict=True
        )
        lines = [
            GameLine(
                [names[side] for side in seated],
                start,
                self.moves[index],
                payoffs,
                REASON_WORDS[REASONS[reason]],
            )
            for index, seated, start, payoffs, reason in games
        ]
        scores = ends["end_score"] if self.game.has("score") else None
        # a truncated game proves nothing
        checked = (ends["end_checked"] == 1) & (ends["end_reason"] == BY_RULES)
        seats = zip(
            ends["lowest"][checked].ravel().tolist(),
            ends["payoffs"][checked].ravel().tolist(),
            strict=True,
        )
        checks = [(low, payoff > -1.0) for low, payoff in seats]
        samples = finish_rows(self.game, rows, keys=keys)
        return BlockResult(
            samples, lines, sides, ends["payoffs"], scores, simulations, checks, rows.surprises
        )


AT_END = ("game", "pairing", "samples", "plies", "reason", "checked", "score")
ENDED = (*(f"end_{name}" for name in AT_END), "payoffs", "lowest")
"""What is recorded of a game besides its moves."""
