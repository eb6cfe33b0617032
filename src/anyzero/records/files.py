"""The old name of `anyzero.app.records.files`."""

from anyzero.moved import stand_in

__getattr__ = stand_in(__name__)
