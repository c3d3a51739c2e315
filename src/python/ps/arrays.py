"""What is an array, and where its memory is.

Taken as arrays: NumPy's; whatever has the buffer protocol (bytearray, array.array, memoryview); objects with
`__cuda_array_interface__`, `__array_interface__` or DLPack (`__dlpack__`): PyTorch, CuPy, JAX; and ps.Tensor. Their
memory is used where it lies. Nothing else is: a list of numbers is no array.
"""
from __future__ import annotations

import ctypes as c
import functools
import math
import sys
from typing import Any, Sequence

from . import _cuda, _dlpack, dtypes
from .dtypes import DType

Shape = tuple[int, ...]


class View:
    """Memory of an array: `size` elements of `dtype`, in the order of `shape`, from `pointer` on. `owner` keeps it."""

    __slots__ = ("pointer", "dtype", "shape", "device_kind", "device_index", "readonly", "owner")

    def __init__(self, pointer: int, dtype: DType, shape: Shape, owner: Any, *, readonly: bool = False) -> None:
        self.pointer = pointer
        self.dtype = dtype
        self.shape = shape
        self.device_kind = _dlpack.CPU  # PSDeviceKind
        self.device_index = 0
        self.readonly = readonly
        self.owner = owner

    @property
    def size(self) -> int:
        """Elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize


def reading(array: Any, name: str = "value") -> View:
    """For what is only read: one that has gaps or is not aligned is copied. TypeError where it is no array."""
    found = _view(array, name)
    if isinstance(found, View) and found.pointer % found.dtype.itemsize == 0:
        return found
    return _copied(array, found, name)


def writing(array: Any, name: str = "out") -> View:
    """For what is written: ValueError where it is read-only, has gaps, or is not aligned for its elements."""
    found = _view(array, name)
    if not isinstance(found, View):
        raise ValueError(f"{name} is not contiguous ({found}): what is written must lie in one piece, in C order")
    if found.readonly:
        raise ValueError(f"{name} is read-only: it can not be written")
    if found.pointer % found.dtype.itemsize:
        raise ValueError(f"{name} lies at {found.pointer:#x}, which is not aligned for {found.dtype.name}")
    return found


def empty(shape: Sequence[int], dtype: DType) -> Any:
    """A new array of the processor's memory: NumPy's where there is NumPy, else a memoryview (of one with an empty
    dimension: flat; of float16: of its bits). bfloat16 becomes float32, which both can show."""
    shown = dtypes.float32 if dtype is dtypes.bfloat16 else dtype
    numpy = numpy_or_none()
    if numpy is not None:
        return numpy.empty(tuple(shape), shown.name)
    flat = memoryview(bytearray(math.prod(shape) * shown.itemsize)).cast("B")
    kind = "H" if shown is dtypes.float16 else shown.format
    return flat.cast(kind, tuple(shape)) if all(shape) else flat.cast(kind)


def around(pointer: int, count: int, dtype: DType) -> Any:
    """An array on memory that somebody else owns: `count` elements; NumPy's, else a memoryview. Not to be used after
    that memory has gone."""
    numpy = numpy_or_none()
    if count == 0 or not pointer:
        return empty((0,), dtype)
    raw = (c.c_char * (count * dtype.itemsize)).from_address(pointer)
    if numpy is not None:
        return numpy.frombuffer(raw, dtypes.typestr(dtype))
    return memoryview(raw).cast("B").cast("H" if dtype is dtypes.float16 else dtype.format)


@functools.lru_cache(maxsize=None)
def numpy_or_none() -> Any:
    """The module, where it is installed. Not to be taken from sys.modules, where it may be in the middle of its import
    by another thread."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def is_array(value: Any) -> bool:
    """Whether this is one, by its looks."""
    if any(hasattr(value, name) for name in ("__array_interface__", "__cuda_array_interface__", "__dlpack__")):
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


# --- the kinds of arrays: each gives a View, or, of one with gaps, a text that says its strides -----------------------

def _view(array: Any, name: str) -> View | str:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(array, getattr(numpy, "ndarray", ())):
        return _of_numpy(array, name)
    if hasattr(array, "__cuda_array_interface__") and not _is_of_dlpack(array):
        return _of_cuda_interface(array, name)
    try:
        buffer = memoryview(array)
    except (TypeError, BufferError, ValueError):
        pass
    else:
        return _of_buffer(buffer, name)
    if hasattr(array, "__array_interface__"):
        return _of_interface(array.__array_interface__, array, name)
    if hasattr(array, "__dlpack__"):
        return _of_dlpack(_dlpack.export_of(array), name)
    raise TypeError(f"{name} is no array, but {_kind(array)}: NumPy arrays, buffers, and objects with "
                    "__array_interface__, __cuda_array_interface__ or __dlpack__ are")


def _of_numpy(array: Any, name: str) -> View | str:
    dtype = _numpy_dtypes.get(array.dtype) or _numpy_dtype(array.dtype, name)
    if not array.flags.c_contiguous:
        return f"strides {array.strides} of shape {array.shape}"
    return View(array.__array_interface__["data"][0], dtype, array.shape, array, readonly=not array.flags.writeable)


_numpy_dtypes: dict[Any, DType] = {}


def _numpy_dtype(said: Any, name: str) -> DType:
    dtype = dtypes.from_typestr(said.str) or (dtypes.bfloat16 if said.name == "bfloat16" else None)
    if dtype is None:
        raise TypeError(_no_dtype(name, f"dtype {said}"))
    _numpy_dtypes[said] = dtype
    return dtype


def _of_buffer(buffer: memoryview, name: str) -> View | str:
    dtype = dtypes.from_format(buffer.format, buffer.itemsize)
    if dtype is None:
        raise TypeError(_no_dtype(name, f"buffer format '{buffer.format}'"))
    shape = tuple(buffer.shape or ())
    if not buffer.c_contiguous:
        return f"strides {buffer.strides} of shape {shape}"
    return View(_address(buffer), dtype, shape, buffer, readonly=buffer.readonly)


def _of_interface(said: dict[str, Any], array: Any, name: str) -> View | str:
    dtype = dtypes.from_typestr(said["typestr"])
    if dtype is None:
        raise TypeError(_no_dtype(name, f"typestr '{said['typestr']}'"))
    shape = tuple(said["shape"])
    if said.get("data") is None:
        return View(_address(memoryview(array)), dtype, shape, array)
    if not _is_contiguous(shape, said.get("strides"), dtype.itemsize):
        return f"strides {said['strides']} of shape {shape}"
    pointer, readonly = said["data"]
    return View(pointer, dtype, shape, (array, said), readonly=readonly)


def _of_cuda_interface(array: Any, name: str) -> View | str:
    said = array.__cuda_array_interface__
    found = _of_interface(said, array, name)
    if isinstance(found, View):
        found.device_kind = _dlpack.CUDA
        if found.pointer:
            found.device_index = _cuda.device_of(found.pointer)
            stream = said.get("stream", _cuda.LEGACY_STREAM)  # older forms do not say one
            if stream is not None:
                _cuda.wait_for(stream)
    return found


def _is_of_dlpack(array: Any) -> bool:
    """Where there is both, DLPack has the producer order its stream; but managed memory is of no kind of ours there."""
    return hasattr(array, "__dlpack__") and int(array.__dlpack_device__()[0]) in (_dlpack.CPU, _dlpack.CUDA,
                                                                                  _dlpack.CUDA_HOST)


def _of_dlpack(capsule: Any, name: str) -> View | str:
    tensor = _dlpack.tensor_of(capsule)
    dtype = _dlpack.dtype_of(tensor)
    if dtype is None:
        raise TypeError(_no_dtype(name, f"DLPack type {tensor.code} of {tensor.bits} bits x {tensor.lanes}"))
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None
    if not _is_contiguous(shape, strides, 1):
        return f"strides {strides} of shape {shape}"
    found = View((tensor.data or 0) + tensor.byte_offset, dtype, shape, capsule)
    found.device_kind, found.device_index = tensor.device_type, tensor.device_id
    if found.device_kind == _dlpack.CUDA and found.pointer:
        _cuda.wait_for(_cuda.LEGACY_STREAM)
    return found


# --- parts -----------------------------------------------------------------------------------------------------------

def _copied(array: Any, found: View | str, name: str) -> View:
    numpy = numpy_or_none()
    if hasattr(array, "__cuda_array_interface__") or (
            hasattr(array, "__dlpack_device__") and int(array.__dlpack_device__()[0]) != _dlpack.CPU):
        raise ValueError(f"{name} on a device is not contiguous ({found}): make it so, as with .contiguous()")
    if numpy is None:
        buffer = memoryview(array)
        copy = bytearray(buffer.tobytes())
        dtype = dtypes.from_format(buffer.format, buffer.itemsize)
        assert dtype is not None  # _view has looked
        return View(_address(memoryview(copy)), dtype, tuple(buffer.shape or ()), copy)
    whole = array if isinstance(array, numpy.ndarray) or not hasattr(array, "__dlpack__") else numpy.from_dlpack(array)
    result = _of_numpy(numpy.array(whole, order="C", copy=True), name)
    assert isinstance(result, View)
    return result


class _PyBuffer(c.Structure):
    _fields_ = [("buf", c.c_void_p), ("obj", c.c_void_p), ("len", c.c_ssize_t), ("itemsize", c.c_ssize_t),
                ("readonly", c.c_int), ("ndim", c.c_int), ("format", c.c_void_p), ("shape", c.c_void_p),
                ("strides", c.c_void_p), ("suboffsets", c.c_void_p), ("internal", c.c_void_p)]


_get_buffer = c.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes, _get_buffer.restype = (c.py_object, c.POINTER(_PyBuffer), c.c_int), c.c_int
_release = c.pythonapi.PyBuffer_Release
_release.argtypes, _release.restype = (c.POINTER(_PyBuffer),), None


def _address(buffer: memoryview) -> int:
    """Of a contiguous buffer, which keeps it."""
    raw = _PyBuffer()
    _get_buffer(buffer, raw, 0)
    address = raw.buf or 0
    _release(raw)
    return address


def _is_contiguous(shape: Shape, strides: Sequence[int] | None, itemsize: int) -> bool:
    if strides is None or 0 in shape:
        return True
    expected = itemsize
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True


def _no_dtype(name: str, said: str) -> str:
    return f"{name} has {said}, which is none of " + ", ".join(dtype.name for dtype in dtypes.ALL)


def _kind(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} ({text[:60]}{'...' if len(text) > 60 else ''})"
