"""The old name of `anyzero.core.base.errors`."""

from anyzero.moved import stand_in

__getattr__ = stand_in(__name__)
