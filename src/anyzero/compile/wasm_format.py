"""An object file of LLVM as a module that a browser runs, without a linker.

One object file needs none: LLVM writes indices and addresses that hold if nothing is added to it, with data from
address 0 on. What is missing is a list of exports; what tells linkers how to move things is left out.
"""

from collections.abc import Iterable, Iterator

HEADER = b"\0asm\1\0\0\0"
CUSTOM, IMPORT, EXPORT, ELEMENT, CODE, DATA, DATA_COUNT = 0, 2, 7, 9, 10, 11, 12
BEHIND_EXPORTS = (8, ELEMENT, DATA_COUNT, CODE, DATA)
SYMBOLS = 8
FUNCTION, DATA_SYMBOL, SECTION = 0, 1, 3
UNDEFINED, EXPLICIT_NAME = 0x10, 0x40


def make_module(linkable: bytes, names: Iterable[str]) -> tuple[bytes, int]:
    """The object file as a module that exports the functions of these names, and the address where its data end."""
    sections = list(_sections(linkable))
    linking = next(body for kind, body in sections if kind == CUSTOM and Reader(body).text() == "linking")
    functions = _function_indices(linking)
    exports = [_text(name) + b"\0" + _number(functions[name]) for name in names]
    kept = [(kind, body) for kind, body in sections if kind != CUSTOM]
    place = next(index for index, (kind, _) in enumerate(kept) if kind in BEHIND_EXPORTS)
    kept.insert(place, (EXPORT, _number(len(exports)) + b"".join(exports)))
    code = HEADER + b"".join(bytes([kind]) + _number(len(body)) + body for kind, body in kept)
    return code, max((_data_end(body) for kind, body in kept if kind == DATA), default=0)


class Reader:
    """Reads a part of a module from front to back."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def take(self, size: int) -> bytes:
        self.place += size
        return self.content[self.place - size : self.place]

    def number(self, *, signed: bool = False) -> int:
        """A whole number in LEB128: seven bits a byte, the lowest first."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value

    def text(self) -> str:
        return self.take(self.number()).decode()


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    reader = Reader(module)
    reader.take(len(HEADER))
    while reader.place < len(module):
        kind = reader.take(1)[0]
        yield kind, reader.take(reader.number())


def _function_indices(linking: bytes) -> dict[str, int]:
    """The numbers of the functions that a linker may see, by their names."""
    reader = Reader(linking)
    reader.text(), reader.number()  # its name and version
    while reader.take(1)[0] != SYMBOLS:
        reader.take(reader.number())
    reader.number()
    return dict(found for _ in range(reader.number()) if (found := _symbol(reader)))


def _symbol(reader: Reader) -> tuple[str, int] | None:
    """Name and number if it is a function that the file defines."""
    kind, flags = reader.take(1)[0], reader.number()
    if kind == DATA_SYMBOL:
        reader.text()
        if not flags & UNDEFINED:
            reader.number(), reader.number(), reader.number()  # segment, offset and size
        return None
    index = reader.number()
    if kind == SECTION or (flags & UNDEFINED and not flags & EXPLICIT_NAME):
        return None
    name = reader.text()
    return (name, index) if kind == FUNCTION and not flags & UNDEFINED else None


def _data_end(section: bytes) -> int:
    reader, end = Reader(section), 0
    for _ in range(reader.number()):
        reader.number(), reader.take(1)  # flags: active, in memory 0; the instruction i32.const
        start = reader.number(signed=True)
        reader.take(1)
        size = reader.number()
        reader.take(size)
        end = max(end, start + size)
    return end


def _number(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _number(rest) if rest else bytes([low])


def _text(text: str) -> bytes:
    return _number(len(text.encode())) + text.encode()
