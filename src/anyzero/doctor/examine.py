"""The old name of `anyzero.tools.doctor.examine`."""

from anyzero.moved import stand_in

__getattr__ = stand_in(__name__)
