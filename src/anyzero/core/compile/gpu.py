"""numba-cuda: intrinsics, device functions, and launches. Without a GPU its simulator is used."""

import warnings
from typing import TYPE_CHECKING

import numpy as np

from anyzero.core.base.nouns import Dispatcher, Numbers, Rules
from anyzero.core.compile import inside

inside.give_numpy_names_back()

from numba import config  # noqa: E402  (after the names are back)

with warnings.catch_warnings():  # numba-cuda 0.30 also uses a unit that NumPy 2.5 is about to drop
    warnings.simplefilter("ignore", DeprecationWarning)
    from numba import cuda as cuda  # for all who launch: only after the names are back

from anyzero.core.compile import bits  # noqa: E402
from anyzero.core.compile.bind import Function  # noqa: E402
from anyzero.core.compile.words import record_intrinsics  # noqa: E402

if TYPE_CHECKING:
    from torch import Tensor

THREADS_A_BLOCK = 128


def is_simulated() -> bool:
    """Whether numba-cuda's simulator replaces a GPU (set by NUMBA_ENABLE_CUDASIM=1)."""
    return bool(config.ENABLE_CUDASIM)


def is_available() -> bool:
    """Whether kernels can run here, on a GPU or in the simulator."""
    return is_simulated() or bool(cuda.is_available())


def launch(kernel: Dispatcher, num: int, *args: object) -> None:
    """Run a kernel with at least `num` threads, and wait for it."""
    enqueue(kernel, num, 0, *args)
    cuda.synchronize()


def enqueue(kernel: Dispatcher, num: int, stream: int, *args: object) -> None:
    """Run a kernel with at least `num` threads, in order on the stream with this handle."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message=".*under-utilization"
        )  # a first launch is small on purpose
        if (
            is_simulated()
        ):  # its threads do not inherit NumPy's error state, and words must wrap around silently
            warnings.simplefilter("ignore", RuntimeWarning)
        turn = cuda.external_stream(stream) if stream else 0
        kernel[-(-num // THREADS_A_BLOCK), min(num, THREADS_A_BLOCK), turn](*args)


def rules_to_device(rules: Rules) -> Rules:
    """The same rules with their tables in GPU memory."""
    return type(rules)(
        *(cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in rules)
    )


def tensor_array(tensor: "Tensor") -> Numbers:
    return tensor.numpy() if is_simulated() else cuda.as_cuda_array(tensor)


@cuda.jit(device=True)
def gpu_trailing_zeros(word):  # type: ignore[no-untyped-def]
    return np.int64(cuda.ffs(word) - 1)


@cuda.jit(device=True)
def gpu_leading_bit(word):  # type: ignore[no-untyped-def]
    return np.int64(63 - cuda.clz(word))


@cuda.jit(device=True)
def gpu_count_bits(word):  # type: ignore[no-untyped-def]
    return np.int64(cuda.popc(word))


def intrinsics() -> dict[Function, Function]:
    """The simulator runs the plain functions: its own `ffs` and `clz` support only 32 bits."""
    if is_simulated():
        return {}
    from numba.cuda.extending import intrinsic

    counts = {
        bits.trailing_zeros: gpu_trailing_zeros,
        bits.leading_bit: gpu_leading_bit,
        bits.count_bits: gpu_count_bits,
    }
    return {**counts, **record_intrinsics(intrinsic, align=8)}


INTRINSICS: dict[Function, Function] = intrinsics()
