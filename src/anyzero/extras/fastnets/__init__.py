"""Networks on the CPU with custom kernels for Winograd convolutions: `transforms` first, then
`kernels`.

What others use of it: `compiled` for inference, `training_kernels` for training.
"""

from types import ModuleType

from anyzero.extras.fastnets.network import compiled

__all__ = ["compiled", "training_kernels"]


def training_kernels() -> ModuleType:
    """The module of the kernels for training, which needs torch."""
    from anyzero.extras.fastnets import training

    return training
