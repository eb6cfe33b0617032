"""Self-play: one block of games after another, and what a report says of them."""

from collections.abc import Sequence

import numpy as np

from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.seeds import draw_seed
from anyzero.core.game.game import Game
from anyzero.core.game.play import Reason
from anyzero.core.learning.block import (
    Block,
    BlockResult,
    Contestant,
    Watch,
    anchor_contestant,
    network_contestant,
)
from anyzero.core.learning.config import RANDOM, RunConfig
from anyzero.core.learning.games import Manner, Pairings
from anyzero.core.learning.orders import (
    CHAMPION,
    PREVIOUS,
    Order,
    Reader,
    make_pairings,
    manner_of,
    start_states,
)
from anyzero.core.nets.evaluator import NetworkEvaluator


class Engine:
    """Plays the games of a run in this process: on the CPU, or continuously on its GPU."""

    def __init__(
        self, game: Game, config: RunConfig, *, threads: int, on_gpu: bool, seed: int
    ) -> None:
        from anyzero.core.learning.on_gpu import RunGames

        self.game = game
        self.threads = threads
        self.on_gpu = RunGames(game, config, seed) if on_gpu else None
        self.evaluators: dict[Reader, NetworkEvaluator] = {}

    def play(self, order: Order, first: int, num: int, watch: Watch | None = None) -> BlockResult:
        """Games `first` to `first + num - 1`; on a GPU the next ones to finish, perhaps a few
        more.
        """
        if self.on_gpu is not None:
            return self.on_gpu.play(order, num, watch)
        earlier = self.evaluators
        config = order.config.selfplay
        self.evaluators = {
            read: earlier.get(read) or NetworkEvaluator(self.game, read(), threads=self.threads)
            for _, read in order.networks
        }
        players = [
            network_contestant(self.game, name, self.evaluators[read], config, noise=True)
            for name, read in order.networks
        ]
        return play_block(self.game, players, order, first, num, watch)


def play_block(
    game: Game,
    contestants: Sequence[Contestant],
    order: Order,
    first: int,
    num: int,
    watch: Watch | None = None,
) -> BlockResult:
    """Games `first` to `first + num - 1` of a generation between these contestants."""
    config = order.config.selfplay
    seed = draw_seed("selfplay", order.config.seed, order.generation)
    pairings = make_pairings(game, order.shares, two_champions=config.two_champions)
    block = Block(
        game,
        contestants,
        pairings,
        manner_of(config),
        games=num,
        first=first,
        seed=seed,
        resign_below=order.resign_below,
        starts=start_states(game, config.starts),
    )
    return block.play(watch, keys=order.keys)


def play_random(
    game: Game, num: int, *, seed: int, max_plies: int = 0, target: str = "cpu"
) -> BlockResult:
    """Games of random moves, recorded like self-play games."""
    manner = Manner(keep_samples=1, max_plies=max_plies)
    pairings = Pairings(np.zeros((1, game.num_seats), np.int64), np.ones(1))
    anyone = [anchor_contestant(game, RANDOM)]
    return Block(game, anyone, pairings, manner, games=num, seed=seed, target=target).play()


def describe_block(block: BlockResult) -> Values:
    # the champion's score in games against the previous one: 1, 1/2 or 0
    lines = block.games
    points = []
    for sides, payoffs in zip(block.sides.tolist(), block.payoffs, strict=True):
        if set(sides) == {CHAMPION, PREVIOUS}:
            points.append(float(payoffs[sides.index(CHAMPION)] + 1.0) / 2.0)
    return {
        "games": len(lines),
        "samples": block.samples.num,
        "simulations": block.simulations,
        "plies": sum(len(line.actions) for line in lines),
        "draws": sum(
            len(line.payoffs) > 1 and not any(line.payoffs) and line.reason is not Reason.CUT_OFF
            for line in lines
        ),
        "first_seat_payoff": float(block.payoffs[:, 0].sum()),
        "resigned": sum(line.reason is Reason.RESIGNATION for line in lines),
        "cut_off": sum(line.reason is Reason.CUT_OFF for line in lines),
        "distinct_games": len({(line.start, *line.actions) for line in lines}),
        "previous_games": len(points),
        "previous_points": float(sum(points)),
        "mean_score": None if block.scores is None else float(block.scores.mean()),
        "resign_checks": block.resign_checks,
    }


def summary(blocks: Sequence[NamedValues]) -> Values:
    kept_apart = ("mean_score", "resign_checks", "busy_seconds")
    total = {
        name: sum(block[name] for block in blocks) for name in blocks[0] if name not in kept_apart
    }
    games = total["games"]
    scored = [block for block in blocks if block["mean_score"] is not None]
    previous = total.pop("previous_games")
    points = total.pop("previous_points")
    busy = sum(block.get("busy_seconds", block["seconds"]) for block in blocks)
    return {
        **total,
        "simulations_per_second": total["simulations"] / max(busy, 1e-9),
        "mean_length": total.pop("plies") / games,
        "draws": total["draws"] / games,
        "first_seat_payoff": total["first_seat_payoff"] / games,
        "mean_score": sum(block["mean_score"] * block["games"] for block in scored) / games
        if scored
        else None,
        "against_previous": {"games": previous, "score": points / previous if previous else None},
        "resign_checks": [check for block in blocks for check in block["resign_checks"]],
    }
