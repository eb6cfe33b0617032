"""Names for what compiled functions take. Their element types are checked by Numba, which reads the
values; to mypy these names say nothing, to people they say which noun is meant.
"""

from collections.abc import Callable, Mapping, Sequence
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
Number = Any  # one number of any kind and width
Integer = Any  # NumPy's, of any width: compiled code takes it as an int
Arrays = Any  # a tuple of arrays, as the function says
Scratch = Any  # room in which a function works: an array or a tuple of arrays
Record = Any  # one row of a structured array
Records = Any  # a structured array

Fields = Sequence[Any]  # of a structured type, as NumPy takes them
RecordType = Any  # a structured type: NumPy's dtype, whose import the command line's help spares

Values = dict[str, Any]  # plain values by name, as JSON and TOML hold them
NamedValues = Mapping[str, Any]  # the same, only read

Builder = Any  # llvmlite's, which writes instructions
Context = Any  # Numba's, which knows the target
LlvmValue = Any  # llvmlite's: what an instruction takes or yields
LlvmValues = Sequence[Any]
LlvmType = Any  # llvmlite's
LlvmModule = Any  # llvmlite's
NumbaType = Any  # the type that Numba has inferred
Signature = Any  # Numba's: the types of a call's arguments and of its result
Lowering = tuple[Signature, Callable[..., LlvmValue]]  # of an intrinsic: its types and its code
Dispatcher = Any  # a function that Numba compiles
Kernel = Any  # a compiled function, which is called with the game's rules, states and arrays
