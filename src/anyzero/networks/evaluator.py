"""NetworkEvaluator: a network as an evaluator of the search: positions in, logits and values out."""

import importlib
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, local
from typing import TYPE_CHECKING, Any

import numpy as np

from anyzero.child import count_cores
from anyzero.errors import NEEDS_TORCH, BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.games.rollouts import encode_states, turn_to_seats
from anyzero.networks.config import BadNetworkError, NetworkConfig, fits
from anyzero.networks.remembered import Answering, Remembered, empty_answers
from anyzero.networks.weights import StoredNetwork, store
from anyzero.networks.winograd.network import compiled, compiles

if TYPE_CHECKING:
    from anyzero.networks.models import Network

DEVICES = ("cpu", "cuda")
PRECISIONS = ("auto", "float32", "bfloat16")
TOGETHER = {"residual": 32, "mlp": 256}
"""Rows that go through a network together: few enough for the processor's caches, enough to be worth the calls."""
MEMORY_BYTES = 2**24
LEAST_PLACES, MOST_PLACES = 2**12, 2**16
"""Answers that a thread remembers, and what they may take."""

OWN = local()
"""Marks the threads that compute for evaluators."""


class NetworkEvaluator:
    """Calls a network as the search does: `(game, states) -> (logits, values)`, values for the seat to move.

    In games where that is not enough (`Game.num_values`) it answers with a value for every seat, from the first on.
    It keeps a copy: training the network on does not change it. Its `pool` is there for searches of many trees, which
    then ask on those threads, each for a few leaves of its own. A batch from elsewhere is cut into chunks by its length
    alone, so that the number of threads changes nothing but the time. `cache` is for the CPU: so many answers are
    remembered by each thread (None: as many as pay). `compiled` is for the GPU: half a minute at first, which pays
    where there is much to do.
    """

    def __init__(
        self,
        game: Game,
        network: "Network | StoredNetwork",
        *,
        device: str = "cpu",
        precision: str = "auto",
        threads: int | None = None,
        cache: int | None = None,
        compiled: bool = True,
    ) -> None:
        check(game, network, device)
        self.game, self.device = game, device
        self.threads = count_cores() if threads is None else threads
        if self.threads < 1:
            raise BadOptionError(f"threads must be a positive number, not {threads}")
        if cache is not None and cache < 0:
            raise BadOptionError(f"cache must be a number of answers from 0 on, not {cache}")
        self.precision = choose_precision(precision, device, network.config)
        self.forward: Any
        if device == "cuda":
            from anyzero.networks.on_gpu import GpuForward

            self.forward = GpuForward(network, game, self.precision, self.threads, compiled)
        else:
            self.forward = CpuForward(network, game, self.precision, self.threads, cache)
        self.pool = None if device == "cuda" else self.forward.pool
        self.together = TOGETHER[network.config.kind]

    def __call__(self, game: Game, states: Any) -> tuple[np.ndarray, np.ndarray]:
        """Logits [positions, actions] and values [positions], or [positions, seats], float32."""
        self.check_game(game)
        logits, values = empty_answers(len(states), self.game.num_actions, self.game.num_values)
        if len(states):
            self.forward(states, logits, values)
        return logits, values

    def values(self, game: Game, states: Any) -> np.ndarray:
        """The values alone, [positions] float32: on a GPU logits stay where they are."""
        if self.device == "cpu":
            return self(game, states)[1]
        self.check_game(game)
        values = np.empty(len(states), np.float32)
        if len(states):
            self.forward(states, None, values)
        return values

    def check_game(self, game: Game) -> None:
        if game is not self.game and game.text != self.game.text:
            raise BadNetworkError(f"this evaluator was made for {self.game.text}, not for {game.text}")


def import_models() -> Any:
    """The module of networks that torch computes; one sentence if torch is not there."""
    try:
        return importlib.import_module("anyzero.networks.models")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise BadNetworkError(NEEDS_TORCH) from None


def check_device(device: str) -> None:
    if device not in DEVICES:
        hint = nearest_hint(str(device), DEVICES)
        raise UnknownNameError(f"there is no device {device!r}; {hint}known: {list_some(DEVICES)}")
    if device == "cuda" and not import_models().torch.cuda.is_available():
        raise BadOptionError("the device cuda needs an NVIDIA GPU and a torch that was built for it")


def check(game: Game, network: "Network | StoredNetwork", device: str) -> None:
    check_device(device)
    if device == "cuda" and game.num_values > 1:
        raise BadOptionError(f"{game.name} has a value for each seat, which trains and plays on the CPU only")
    if not fits(network.config, network.planes_shape, network.num_actions, game):
        raise BadNetworkError(
            f"a network with the input {network.planes_shape} and {network.num_actions} actions "
            f"does not fit {game.text}"
        )


def choose_precision(precision: str, device: str, config: NetworkConfig) -> str:
    """`auto` is bfloat16 on a GPU and float32 on a CPU, the same on all: runs of one seed are equal.

    On a CPU our kernels in float32 are faster than torch in bfloat16 for every network that was measured.
    """
    if precision not in PRECISIONS:
        hint = nearest_hint(str(precision), PRECISIONS)
        raise UnknownNameError(f"there is no precision {precision!r}; {hint}known: {list_some(PRECISIONS)}")
    if precision == "bfloat16" and device == "cpu" and config.kind != "residual":
        raise BadOptionError("bfloat16 is for convolutions: on the CPU an mlp computes in float32")
    if precision == "auto":
        return "bfloat16" if device == "cuda" else "float32"
    return precision


class CpuForward:
    """Chunks of positions through the network, each on one of our own threads; torch makes none."""

    def __init__(
        self, network: "Network | StoredNetwork", game: Game, precision: str, threads: int, cache: int | None = None
    ) -> None:
        self.game, self.together = game, TOGETHER[network.config.kind]
        is_ours = precision == "float32" and compiles(network.config)
        self.network: Answering
        if is_ours:
            self.pool, self.network = _new_pool(threads), compiled(store(network), game)
        else:
            models = import_models()
            self.pool, self.network = _new_pool(threads, models.torch), models.TorchNetwork(network, game, precision)
        if cache is None:
            # torch answers a little differently in each batch: what it is remembered for would not be another run's.
            cache = places_that_pay(game) if is_ours else 0
        if cache:
            self.network = Remembered(self.network, game.num_actions, 1 << (cache - 1).bit_length(), game.num_values)
        encode_states(game, game.new_states(0))  # compiled now, not by several threads at once

    def __call__(self, states: Any, logits: np.ndarray, values: np.ndarray) -> None:
        if hasattr(OWN, "is_ours"):  # a search on one of our threads, for its own leaves
            self.run(states, logits, values)
            return
        num = len(states)
        parts = -(-num // self.together)
        bounds = [part * num // parts for part in range(parts + 1)]

        def run(first: int, last: int) -> None:
            self.run(states[first:last], logits[first:last], values[first:last])

        list(self.pool.map(run, bounds[:-1], bounds[1:]))

    def run(self, states: Any, logits: np.ndarray, values: np.ndarray) -> None:
        self.network.answer(encode_states(self.game, states), logits, values)
        if self.game.num_values > 1:
            turn_to_seats(self.game, states, values)


def places_that_pay(game: Game) -> int:
    """Answers for a thread to remember: what a few searches of many games ask for, in bounded memory; else none."""
    places = 1 << (MEMORY_BYTES // (4 * game.num_actions + 12)).bit_length() >> 1  # rounded down to a power of two
    return min(places, MOST_PLACES) if places >= LEAST_PLACES else 0


def _new_pool(threads: int, torch: Any = None) -> ThreadPoolExecutor:
    """Threads on each of which torch computes alone, if it does; elsewhere it keeps the threads that it had."""
    before, together = torch.get_num_threads() if torch else 0, Barrier(threads)
    pool = ThreadPoolExecutor(threads, thread_name_prefix="network")

    def begin(_number: int) -> None:
        if torch:
            torch.set_num_threads(1)
            torch.get_num_threads()  # from now on this thread does not follow the number of the others
        OWN.is_ours = True
        together.wait()

    list(pool.map(begin, range(threads)))
    if torch:
        torch.set_num_threads(before)
    return pool
