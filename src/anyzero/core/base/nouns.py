"""Names for what compiled functions take. Their element types are checked by Numba, which reads the
values; to mypy these names say nothing, to people they say which noun is meant.
"""

from collections.abc import Mapping
from typing import Any

Rules = Any  # a game's NamedTuple of options and tables
State = Any  # a position: a record of the game's dtype
States = Any  # [positions] of them
Actions = Any  # [max_legal] int32: room for the numbers of legal actions
Planes = Any  # a network's input, float32
Drawing = Any  # what stands on the board: the record that `draw` writes
Board = Any  # what a game's pictures have in common: `views.Board`
Scene = Any  # the picture of a position: `views.Scene`
Stream = Any  # a random stream: two words
Streams = Any  # [streams] of them
Word = Any  # 64 bits
Words = Any  # [...] of them
Numbers = Any  # an array of numbers, as the function says

Values = dict[str, Any]  # plain values by name, as JSON and TOML hold them
NamedValues = Mapping[str, Any]  # the same, only read

Builder = Any  # llvmlite's, which writes instructions
Context = Any  # Numba's, which knows the target
