"""NetworkEvaluator: a network as an evaluator for the search: positions in, logits and values
out.
"""

import importlib
import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from anyzero.core.base.errors import BadOptionError, check_name
from anyzero.core.base.extras import find_or_none, needs_package
from anyzero.core.base.nouns import Numbers, Planes, States, Word, Words
from anyzero.core.compile import Unit, compile_kernel
from anyzero.core.compile.random import U, scramble
from anyzero.core.game.game import Game
from anyzero.core.game.rollouts import count_cores, cut, encode_states, turn_to_seats
from anyzero.core.nets.config import BadNetworkError, fits
from anyzero.core.nets.forward import NumpyNetwork, empty_answers
from anyzero.core.nets.weights import StoredNetwork, store

if TYPE_CHECKING:
    from anyzero.core.nets.models import Network

INLINED = True  # these functions are compiled into their callers: see compile.kernels

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


class Answering(Protocol):
    """A network that runs, whatever computes it."""

    def answer(self, planes: Planes, logits: Numbers, values: Numbers) -> None:
        """Write logits [positions, actions] and expected payoffs [positions, values] of planes."""


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


# --- a cache of answers for inputs that come again
#
# Successive searches of a game share many positions, and games share their openings. Inputs are
# identified by a 64-bit hash, so positions share an answer only if the network cannot tell them
# apart.

MEMORY_BYTES = 2**24
# limits of the cached answers per thread, within MEMORY_BYTES
LEAST_PLACES = 2**12
MOST_PLACES = 2**16


def copy(source: Any, target: Any) -> None:
    for index in range(len(source)):
        target[index] = source[index]


def places_that_pay(game: Game) -> int:
    """Cached answers per thread: what a few searches of many games ask for, in bounded memory; else
    none.
    """
    places = (
        1 << (MEMORY_BYTES // (4 * game.num_actions + 12)).bit_length() >> 1
    )  # rounded down to a power of two
    return min(places, MOST_PLACES) if places >= LEAST_PLACES else 0


UNIT = Unit("remembered", {}, ())
START = U(
    0x9E3779B97F4A7C15
)  # initial value of the hash; a key is never 0, which marks an empty place


class Memory(NamedTuple):
    """The cache of one thread: a newer answer replaces an older one."""

    keys: np.ndarray
    logits: np.ndarray
    values: np.ndarray


class Remembered:
    """A network with a cache of up to `places` answers per thread, a power of two."""

    def __init__(
        self, network: Answering, num_actions: int, places: int, num_values: int = 1
    ) -> None:
        self.network = network
        self.sizes = (num_actions, num_values)
        self.places = places
        self.memories = local()
        self.look_up = compile_kernel(_look_up, UNIT)
        nothing = (
            np.empty(0, np.uint64),
            np.empty(0, np.bool_),
        )  # compile now, not on several threads at once
        self.look_up(
            np.empty((0, 1), np.uint32), *nothing, self.new_memory(), *empty_answers(0, *self.sizes)
        )

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        if not hasattr(self.memories, "own"):
            self.memories.own = self.new_memory()
        memory = self.memories.own
        num = len(planes)
        words = planes.reshape(num, math.prod(planes.shape[1:])).view(np.uint32)
        keys = np.empty(num, np.uint64)
        is_new = np.empty(num, np.bool_)
        if self.look_up(words, keys, is_new, memory, logits, values):
            rows = np.flatnonzero(is_new)
            answers = empty_answers(len(rows), *self.sizes)
            self.network.answer(planes[rows], *answers)
            places = _place_of(keys[rows], memory)
            memory.keys[places] = keys[rows]
            memory.logits[places], memory.values[places] = answers
            logits[rows], values[rows] = answers

    def new_memory(self) -> Memory:
        return Memory(np.zeros(self.places, np.uint64), *empty_answers(self.places, *self.sizes))


def _look_up(
    words: Words, keys: Words, is_new: Any, memory: Any, logits: Numbers, values: Numbers
) -> int:
    """Kernel: write cached answers; returns the number of new rows.

    Equal new inputs are each computed: in self-play they are fewer than 1 % of the new ones.
    """
    new = 0
    for row in range(len(keys)):
        keys[row] = _hash_words(words[row])
        place = _place_of(keys[row], memory)
        is_new[row] = memory.keys[place] != keys[row]
        new += is_new[row]
        if not is_new[row]:
            copy(memory.logits[place], logits[row])
            copy(memory.values[place], values[row])
    return new


def _hash_words(words: Words) -> Any:
    key = START
    for index in range(len(words)):
        key = (key ^ U(words[index])) * START
        key ^= key >> U(32)
    return scramble(key) | U(1)


def _place_of(key: Word, memory: Any) -> Any:
    return (key >> U(1)) & U(len(memory.keys) - 1)
