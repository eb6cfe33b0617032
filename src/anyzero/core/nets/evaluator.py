"""NetworkEvaluator: a network as an evaluator for the search: positions in, logits and values
out.
"""

import importlib
import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import local
from typing import TYPE_CHECKING, Any

import numpy as np

from anyzero.core.base.errors import BadOptionError, check_name
from anyzero.core.base.extras import find_or_none, needs_package
from anyzero.core.base.nouns import States
from anyzero.core.game.game import Game
from anyzero.core.game.rollouts import count_cores, cut, encode_states, turn_to_seats
from anyzero.core.nets.answers import Answering, Remembered, empty_answers, places_that_pay
from anyzero.core.nets.config import BadNetworkError, fits
from anyzero.core.nets.forward import NumpyNetwork
from anyzero.core.nets.weights import StoredNetwork, store

if TYPE_CHECKING:
    from anyzero.core.nets.models import Network

DEVICES = ("cpu", "cuda")
TOGETHER = {"residual": 32, "mlp": 256}
"""Mini-batch sizes: small enough for the processor's caches, large enough to amortise the calls."""
LEAST_WORK = 5 * 10**7
"""Multiplications for which a thread of their own pays off: one chess position, three of Connect
Four.
"""

OWN = local()  # marks the threads of evaluators


class NetworkEvaluator:
    """Calls a network as the search does: `(game, states) -> (logits, values)`, values for the seat
    to move.

    It computes in float32 on the CPU and in bfloat16 on a GPU. In games where one value is not
    enough (`Game.num_values`) it returns a value for every seat, starting with the first. It keeps
    a copy: further training of the network does not change it. Its `pool` serves searches of many
    trees, which then call it on those threads, each for a few of its own leaves. Other batches are
    divided among the threads. An answer depends on its own position alone, so that the number of
    threads changes only the time. `cache`, on the CPU, is the number of answers that each thread
    remembers (None: as many as pay off). `compiled`, on the GPU, takes half a minute at first,
    which pays off for long runs.
    """

    def __init__(
        self,
        game: Game,
        network: "Network | StoredNetwork",
        *,
        device: str = "cpu",
        threads: int | None = None,
        cache: int | None = None,
        compiled: bool = True,
    ) -> None:
        check_fit(game, network, device)
        self.game = game
        self.device = device
        self.threads = count_cores() if threads is None else threads
        if self.threads < 1:
            raise BadOptionError(f"threads must be a positive number, not {threads}")
        if cache is not None and cache < 0:
            raise BadOptionError(f"cache must be a number of answers of 0 or more, not {cache}")
        self.forward: Any
        if device == "cuda":
            from anyzero.core.nets.on_gpu import GpuForward

            self.forward = GpuForward(network, game, compiled)
        else:
            self.forward = CpuForward(network, game, self.threads, cache)
        self.pool = None if device == "cuda" else self.forward.pool
        self.together = TOGETHER[network.config.kind]

    def __call__(self, game: Game, states: States) -> tuple[np.ndarray, np.ndarray]:
        """Logits [positions, actions] and values [positions], or [positions, seats], float32."""
        if game is not self.game and game.text != self.game.text:
            raise BadNetworkError(
                f"this evaluator was made for {self.game.text}, not for {game.text}"
            )
        logits, values = empty_answers(len(states), self.game.num_actions, self.game.num_values)
        if len(states):
            self.forward(states, logits, values)
        return logits, values if self.game.num_values > 1 else values[:, 0]

    def values(self, game: Game, states: States) -> np.ndarray:
        """The values alone, [positions] float32: on a GPU logits are not copied back."""
        if self.device == "cpu" or not len(states):
            return self(game, states)[1]
        values = np.empty((len(states), 1), np.float32)
        self.forward(states, None, values)
        return values[:, 0]


def check_device(device: str) -> None:
    check_name("device", device, DEVICES)
    if device == "cuda":
        try:
            torch: Any = importlib.import_module("torch")
        except ModuleNotFoundError:
            raise BadNetworkError(needs_package("torch")) from None
        if not torch.cuda.is_available():
            raise BadOptionError(
                "the device cuda needs an NVIDIA GPU and a torch that was built for it"
            )


def check_fit(game: Game, network: "Network | StoredNetwork", device: str) -> None:
    check_device(device)
    if device == "cuda" and game.num_values > 1:
        raise BadOptionError(
            f"{game.name} has a value for each seat, which trains and plays on the CPU only"
        )
    if not fits(network.config, network.planes_shape, network.num_actions, game):
        sizes = f"the input {network.planes_shape} and {network.num_actions} actions"
        raise BadNetworkError(f"a network with {sizes} does not fit {game.text}")


class CpuForward:
    """Encodes positions and runs them through the network."""

    def __init__(
        self, network: "Network | StoredNetwork", game: Game, threads: int, cache: int | None = None
    ) -> None:
        self.game = game
        divided = Divided(store(network), game, threads)
        self.network: Answering = divided
        self.pool = divided.pool
        cache = places_that_pay(game) if cache is None else cache
        if cache:
            self.network = Remembered(
                divided, game.num_actions, 1 << (cache - 1).bit_length(), game.num_values
            )
        encode_states(game, game.new_states(0))  # compile now, not on several threads at once

    def __call__(self, states: States, logits: np.ndarray, values: np.ndarray) -> None:
        self.network.answer(encode_states(self.game, states), logits, values)
        if self.game.num_values > 1:
            turn_to_seats(self.game, states, values)


def answering(network: StoredNetwork, game: Game) -> Answering:
    """The network as its fast kernels run it; where they are missing, torch, and else NumPy."""
    fastnets = find_or_none("fastnets")
    if fastnets is not None:
        kernels: Answering = fastnets.compiled(network, game)
        return kernels
    try:
        from anyzero.core.nets.models import TorchNetwork
    except ModuleNotFoundError:
        return NumpyNetwork(network, game)
    return TorchNetwork(network, game)


class Divided:
    """A network that divides positions among its own threads."""

    def __init__(self, network: StoredNetwork, game: Game, threads: int) -> None:
        self.network = answering(network, game)
        self.threads = threads
        self.most = TOGETHER[network.config.kind]
        cells = math.prod(game.planes_shape[1:]) if network.config.kind == "residual" else 1
        self.least = -(
            -LEAST_WORK // (cells * sum(weights.size for weights in network.weights.values()))
        )
        mark = partial(setattr, OWN, "is_ours", True)
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="network", initializer=mark)

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        """The calling thread answers its part too, and all if it is one of these threads, which
        search on their own.
        """

        def answer(first: int, last: int) -> None:
            for start in range(first, last, self.most):
                rows = slice(start, min(start + self.most, last))
                self.network.answer(planes[rows], logits[rows], values[rows])

        parts = (
            1 if hasattr(OWN, "is_ours") else max(1, min(self.threads, len(planes) // self.least))
        )
        first_part, *others = cut(len(planes), parts)
        pending = [self.pool.submit(answer, *part) for part in others]
        answer(*first_part)
        for future in pending:
            future.result()
