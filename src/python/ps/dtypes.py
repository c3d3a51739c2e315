"""The types of elements: their names, sizes and codes.

Arrays say theirs in different ways: NumPy and DLPack-like producers by name, buffers by a format character, and
`__array_interface__` by a type string. All end here.
"""
from __future__ import annotations

import dataclasses
import sys
from typing import Any


@dataclasses.dataclass(frozen=True, eq=False)  # each is there once
class DType:
    """One type of elements. `name` is NumPy's, `code` PSDType, `itemsize` in bytes, `format` struct's character."""

    name: str
    code: int
    itemsize: int
    format: str
    typestr: str  # of __array_interface__, without the byte order

    def __repr__(self) -> str:
        return f"ps.{self.name}"


float32 = DType("float32", 0, 4, "f", "f4")
float64 = DType("float64", 1, 8, "d", "f8")
float16 = DType("float16", 2, 2, "e", "f2")
uint8 = DType("uint8", 3, 1, "B", "u1")
int32 = DType("int32", 4, 4, "i", "i4")
int8 = DType("int8", 5, 1, "b", "i1")
int64 = DType("int64", 6, 8, "q", "i8")
bool_ = DType("bool", 7, 1, "?", "b1")
int16 = DType("int16", 8, 2, "h", "i2")
uint16 = DType("uint16", 9, 2, "H", "u2")
uint32 = DType("uint32", 10, 4, "I", "u4")
uint64 = DType("uint64", 11, 8, "Q", "u8")
bfloat16 = DType("bfloat16", 12, 2, "H", "V2")  # no format of its own: its bits

ALL = (float32, float64, float16, uint8, int32, int8, int64, bool_, int16, uint16, uint32, uint64, bfloat16)

_BY_CODE = {dtype.code: dtype for dtype in ALL}
_BY_NAME = {dtype.name: dtype for dtype in ALL}
_BY_NAME.update({"f32": float32, "f64": float64, "f16": float16, "u8": uint8, "i32": int32, "i8": int8, "i64": int64,
                 "i16": int16, "u16": uint16, "u32": uint32, "u64": uint64, "bf16": bfloat16, "float": float32,
                 "double": float64, "half": float16, "int": int64})
_BY_TYPESTR = {dtype.typestr: dtype for dtype in ALL if dtype is not bfloat16}
_SIGNED, _UNSIGNED, _FLOATS = "bhilqn", "BHILQN", "efd"


def from_code(code: int) -> DType:
    """Of a PSDType."""
    return _BY_CODE[code]


def of(said: Any) -> DType:
    """Of what a program says: a DType, a name ('float32', 'f32'), NumPy's dtypes and types, torch's."""
    if isinstance(said, DType):
        return said
    if said is float:
        return float64
    name = getattr(said, "name", None) or getattr(said, "__name__", None) or str(said)
    found = _BY_NAME.get(name.rpartition(".")[2].rstrip("_"))
    if found is None:
        raise TypeError(f"no type of elements: {said!r}; there are " + ", ".join(dtype.name for dtype in ALL))
    return found


def from_format(text: str, itemsize: int) -> DType | None:
    """Of a buffer's format, native or little-endian; None where there is none such."""
    if text[:1] in "><!" and not _is_native(text[:1]):
        return None
    kind = text.lstrip("@=<>!")
    if kind == "?":
        return bool_
    for kinds, letter in ((_SIGNED, "i"), (_UNSIGNED, "u"), (_FLOATS, "f")):
        if len(kind) == 1 and kind in kinds:
            return _BY_TYPESTR.get(f"{letter}{itemsize}")
    return None


def from_typestr(text: str) -> DType | None:
    """Of `__array_interface__`'s typestr, as '<f4'; None where there is none such, or it has the other byte order."""
    return _BY_TYPESTR.get(text[1:]) if text[:1] in "|=" or _is_native(text[:1]) else None


def typestr(dtype: DType) -> str:
    """For `__array_interface__`; of bfloat16 that of its bits."""
    kind = "u2" if dtype is bfloat16 else dtype.typestr
    return ("|" if dtype.itemsize == 1 else "<" if sys.byteorder == "little" else ">") + kind


def _is_native(order: str) -> bool:
    return (order == "<") == (sys.byteorder == "little")
