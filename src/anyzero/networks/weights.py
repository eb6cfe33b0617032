"""The old name of `anyzero.core.nets.weights`."""

from anyzero.moved import stand_in

__getattr__ = stand_in(__name__)
