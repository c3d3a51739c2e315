"""Values and row ids of table calls: what programs hand in, as memory of a table's type of elements."""
from __future__ import annotations

import ctypes as c
import struct
from typing import Any, Sequence

from . import arrays, dtypes
from ._dlpack import CPU, CUDA_HOST
from .arrays import View
from .dtypes import DType
from .errors import InvalidArgumentError


def reading(values: Any, dtype: DType, name: str = "values") -> View:
    """Elements to be sent. An array of `dtype` is used where it lies; other arrays, numbers, and (nested) lists of
    numbers are copied and converted. TypeError where that would lose what they are: 1.5 to an integer."""
    if arrays.is_array(values):
        found = arrays.reading(values, name)
        _check_host(found, name)
        if _is_of(found, dtype):
            return found
    numpy = arrays.numpy_or_none()
    if numpy is None:
        return _packed(values, dtype, name)
    return arrays.reading(_converted(numpy.asarray(values), dtype, name), name)


def writing(out: Any, dtype: DType) -> View:
    """An array of the caller for a result: of exactly this type, in one piece."""
    found = arrays.writing(out)
    _check_host(found, "out")
    if not _is_of(found, dtype):
        raise TypeError(f"out is of {found.dtype.name}, the table of {dtype.name}")
    return found


def empty(shape: Sequence[int], dtype: DType) -> Any:
    """A new array for a result. Of bfloat16: of its bits, uint16."""
    return arrays.empty(shape, dtypes.uint16 if dtype is dtypes.bfloat16 else dtype)


class Ids:
    """Row ids or keys of a call; `is_one`: a single number was handed in."""

    __slots__ = ("pointer", "count", "is_one", "owner")

    def __init__(self, ids: Any, name: str) -> None:
        self.is_one = hasattr(ids, "__index__") and tuple(getattr(ids, "shape", ())) == ()
        if self.is_one:
            ids = [ids]
        self.owner = _of_array(ids, name) if arrays.is_array(ids) else _of_list(ids, name)
        self.pointer = c.cast(self.owner.pointer, c.POINTER(c.c_int64))
        self.count = self.owner.size


def _of_array(ids: Any, name: str) -> View:
    found = arrays.reading(ids, name)
    _check_host(found, name)
    if len(found.shape) != 1:
        raise InvalidArgumentError(f"{name} has the shape {found.shape}: a list of numbers is needed")
    if found.dtype is dtypes.int64:
        return found
    numpy = arrays.numpy_or_none()
    if found.dtype.typestr[0] not in "iu":
        raise TypeError(f"{name} are of {found.dtype.name}: integers are needed")
    if found.dtype is not dtypes.uint64 and numpy is not None:
        return arrays.reading(numpy.asarray(ids).astype(numpy.int64), name)
    return _of_list(numpy.asarray(ids).tolist() if numpy is not None else memoryview(ids).tolist(), name)


def _of_list(ids: Any, name: str) -> View:
    listed = list(ids)
    memory = (c.c_int64 * len(listed))()
    try:
        for place, one in enumerate(listed):
            number = one.__index__()
            if not -(2**63) <= number < 2**63:
                raise InvalidArgumentError(f"{name}: {number} has more than 64 bits with its sign")
            memory[place] = number
    except AttributeError:
        raise TypeError(f"{name}: {one!r} is no integer") from None
    return View(c.addressof(memory), dtypes.int64, (len(listed),), memory)


def _check_host(view: View, name: str) -> None:
    if view.device_kind not in (CPU, CUDA_HOST):
        raise InvalidArgumentError(f"{name} is on a device, and tables are of the processor's memory: copy it "
                                   "(.cpu(), .get())")


def _converted(given: Any, dtype: DType, name: str) -> Any:
    """A NumPy array as one of another type, in C order."""
    shown = _shown(dtype)
    if given.dtype.kind in "iub" and dtype.typestr[0] in "iub":
        made = given.astype(shown, order="C")
        if (made != given).any():
            raise InvalidArgumentError(f"{name}: some do not fit into {dtype.name}")
        return made
    if given.dtype.kind not in "iufb":
        raise TypeError(f"{name} is no array of numbers, but one of {given.dtype}")
    return given.astype(shown, order="C", casting="same_kind")


def _is_of(view: View, dtype: DType) -> bool:
    return view.dtype is dtype or (dtype is dtypes.bfloat16 and view.dtype is dtypes.uint16)


def _shown(dtype: DType) -> str:
    if dtype is dtypes.bfloat16:
        raise TypeError("values of a bfloat16 table are bfloat16, or their bits as uint16")
    return dtype.name


def _packed(values: Any, dtype: DType, name: str) -> View:
    """Without NumPy."""
    _shown(dtype)
    flat: list[Any] = []
    _flatten(memoryview(values).tolist() if arrays.is_array(values) else values, flat)
    try:
        memory = bytearray(struct.pack(f"{len(flat)}{dtype.format}", *flat))
    except struct.error as error:
        raise TypeError(f"{name}: not all of it is {dtype.name} ({error})") from None
    found = arrays.reading(memory, name)
    return View(found.pointer, dtype, (len(flat),), memory)


def _flatten(values: Any, to: list[Any]) -> None:
    if isinstance(values, (list, tuple)):
        for one in values:
            _flatten(one, to)
    else:
        to.append(values)
