"""One pointer for dozens of arrays: how the functions of a kernel pass a NamedTuple.

Numba passes a tuple of arrays as all words of all its arrays, at every call. A kernel that first
writes it to its own stack frame (`by_pointer`) passes a pointer, and a function reads only what it
uses. That takes a third less time to compile, and once everything is inlined the code is the same.
"""

import hashlib
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

from anyzero.core.base.nouns import (
    Builder,
    Context,
    LlvmValue,
    LlvmValues,
    Lowering,
    NumbaType,
    Signature,
)

Models = Any  # Numba's: how values of each type lie in memory


class Bundle(types.Type):  # type: ignore[misc]
    """A read-only NamedTuple in memory. Its name is short, as the symbols of functions contain
    it.
    """

    def __init__(self, parts: NumbaType) -> None:
        self.parts = parts
        super().__init__(
            f"{parts.instance_class.__name__}.{hashlib.sha256(parts.name.encode()).hexdigest()[:12]}"
        )


@register_model(Bundle)
class BundleModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Models, bundle: NumbaType) -> None:
        super().__init__(
            manager, bundle, manager.lookup(bundle.parts).get_value_type().as_pointer()
        )


@infer_getattr
class BundleAttributes(AttributeTemplate):  # type: ignore[misc]
    key = Bundle

    def generic_resolve(self, bundle: NumbaType, name: str) -> NumbaType | None:
        fields = bundle.parts.fields
        return bundle.parts.types[fields.index(name)] if name in fields else None


@lower_getattr_generic(Bundle)  # type: ignore[untyped-decorator]
def read_field(
    _context: Context, builder: Builder, bundle: NumbaType, pointer: LlvmValue, name: str
) -> LlvmValue:
    return read(builder, cgutils.gep_inbounds(builder, pointer, 0, bundle.parts.fields.index(name)))


def read(builder: Builder, pointer: LlvmValue) -> LlvmValue:
    """The value there, word by word. Each load is marked invariant, whatever is written to
    arrays.
    """
    kind = pointer.type.pointee
    if not isinstance(kind, ir.LiteralStructType | ir.ArrayType):
        value = builder.load(pointer)
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value
    whole = ir.Constant(kind, ir.Undefined)
    for index in range(len(kind)):
        word = read(builder, cgutils.gep_inbounds(builder, pointer, 0, index))
        whole = builder.insert_value(whole, word, index)
    return whole


@intrinsic  # type: ignore[untyped-decorator]
def emit_pointer(_context: Context, parts: NumbaType) -> Lowering:
    def generate(
        _context: Context, builder: Builder, _signature: Signature, args: LlvmValues
    ) -> LlvmValue:
        return cgutils.alloca_once_value(builder, args[0])

    return Bundle(parts)(parts), generate


PARTS = (Bundle, BundleModel, BundleAttributes, read_field)  # for the key of the disk cache
