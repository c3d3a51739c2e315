"""Tensor: an array as the library knows it; its own, or one of the program's."""
from __future__ import annotations

import ctypes
import functools
from typing import Any, Sequence

from . import _dlpack, _lib, _types, arrays, dtypes
from ._handle import Handle, made
from ._lib import lib
from .arrays import View
from .dtypes import DType


class Tensor(Handle):
    """An array of the library, on the processor or a GPU; dense, or some rows of an array (`row_sparse`).

    Made by `zeros`, `row_sparse`, `from_dlpack`, and by row_sparse_pull. On the processor NumPy shows its memory
    (`numpy.asarray(tensor)`), everywhere DLPack does (`torch.from_dlpack(tensor)`); both wait for what writes it, and
    raise what that failed with. What shows the memory keeps it, also after `close()`. Any thread.
    """

    _free = "PSTensorFree"

    def __init__(self, handle: int, owner: Any = None) -> None:
        """Takes over `handle`; `owner` keeps its memory, where that is not the library's."""
        super().__init__(handle)
        self._owner = owner
        self._is_written = False  # by an operation that may be under way
        self._shown: int | None = None  # the handle: an array shows the memory, and keeps this object alone

    def _give_back(self, handle: int) -> None:
        if self._shown is None:
            super()._give_back(handle)

    def __del__(self) -> None:
        handle, self._shown = getattr(self, "_shown", None), None
        if handle is not None and self.closed and _lib is not None and not _lib.is_forked():
            self._give_back(handle)  # which close() has left
        super().__del__()

    def _info(self) -> _types.TensorInfo:
        info = _types.filled(_types.TensorInfo)
        lib.PSTensorGetInfo(self.handle, info)
        return info

    @property
    def shape(self) -> tuple[int, ...]:
        """Of row-sparse ones that of the whole array."""
        info = self._info()
        return tuple(info.shape[i] for i in range(info.ndim))

    @property
    def dtype(self) -> DType:
        return dtypes.from_code(self._info().dtype)

    @property
    def device(self) -> str:
        """`cpu`, or `cuda:<number>`."""
        info = self._info()
        return f"cuda:{info.device_index}" if info.device_kind == _dlpack.CUDA else "cpu"

    @property
    def row_sparse(self) -> bool:
        return bool(self._info().row_sparse)

    @property
    def ids(self) -> Tensor:
        """Which rows a row-sparse one has: int64, ascending, each once. The same memory."""
        return self._part(lib.PSTensorGetIds)

    @property
    def values(self) -> Tensor:
        """The rows of a row-sparse one: (number of rows, *shape[1:]). The same memory."""
        return self._part(lib.PSTensorGetValues)

    def _part(self, function: Any) -> Tensor:
        part = Tensor(made(function, self.handle), self._owner)
        part._is_written = self._is_written
        return part

    def wait(self) -> None:
        """Returns when what writes it is done; raises what that failed with."""
        _lib.call(lib.PSTensorWait, self.handle)

    def _wait_first(self) -> None:
        """So that Ctrl-C ends the wait, which C does else: only where there may be one, for it takes a thread."""
        if self._is_written:
            self.wait()
            self._is_written = False

    def numpy(self) -> Any:
        """A copy as a NumPy array (without NumPy: a memoryview), from any device; of a row-sparse one the whole array,
        with 0 in the rows that it has not."""
        self._wait_first()
        if self.dtype is dtypes.bfloat16:
            raise TypeError(f"a {self.dtype.name} tensor has no NumPy array: take it by DLPack, or as another type")
        copy = arrays.empty(self.shape, self.dtype)
        view = arrays.writing(copy)
        if view.size:
            lib.PSTensorCopyTo(self.handle, view.pointer, view.nbytes)
        return copy

    def copy_from(self, array: Any) -> None:
        """Writes it: `array` of the same type and number of elements, in the processor's memory."""
        view = arrays.reading(array)
        if view.dtype is not self.dtype or view.device_kind != _dlpack.CPU:
            raise TypeError(f"a {self.dtype.name} array in the processor's memory is needed, not {view.dtype.name}")
        self._wait_first()
        lib.PSTensorCopyFrom(self.handle, view.pointer, view.nbytes)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        info = self._info()
        if info.device_kind == _dlpack.CUDA or info.row_sparse:
            raise AttributeError("__array_interface__: the tensor is " + ("row-sparse" if info.row_sparse else
                                                                          "on a device") + "; see numpy()")
        self._wait_first()
        data = made(lib.PSTensorGetData, self.handle)
        self._shown = self.handle
        return {"version": 3, "shape": self.shape, "typestr": dtypes.typestr(self.dtype),
                "data": (data or _SOMEWHERE, False)}

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        info = self._info()
        if info.device_kind != _dlpack.CUDA or info.row_sparse or info.dtype == dtypes.bfloat16.code:
            raise AttributeError("__cuda_array_interface__: of dense tensors on a CUDA device, but for bfloat16; see "
                                 "__dlpack__")
        self._wait_first()
        data = made(lib.PSTensorGetData, self.handle)
        self._shown = self.handle
        return {"version": 3, "shape": self.shape, "typestr": dtypes.typestr(self.dtype), "data": (data, False),
                "stream": None}  # nothing has to be waited for

    def __dlpack_device__(self) -> tuple[int, int]:
        info = self._info()
        return (info.device_kind or _dlpack.CPU, info.device_index)

    def __dlpack__(self, *, stream: Any = None) -> Any:
        """A capsule of the same memory. Waits for what writes the tensor, so no stream has to be ordered."""
        del stream
        self._wait_first()
        return _dlpack.capsule(made(lib.PSTensorToDLPack, self.handle), self._owner)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor of one element has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        if self.closed:
            return "<ps.Tensor closed>"
        kind = "row-sparse " if self.row_sparse else ""
        return f"<ps.Tensor {kind}{self.dtype.name} {self.shape} on {self.device}>"


_nowhere = ctypes.create_string_buffer(16)
_SOMEWHERE = ctypes.addressof(_nowhere)  # where arrays without elements lie


@functools.lru_cache(maxsize=4096)
def info_of(shape: tuple[int, ...], dtype: DType, device: tuple[int, int] = (_dlpack.CPU, 0)) -> _types.TensorInfo:
    """The description of an array, which keeps its shape; not to be changed."""
    lengths = (ctypes.c_int64 * len(shape))(*shape)
    return _types.filled(_types.TensorInfo, dtype=dtype.code, device_kind=device[0], device_index=device[1],
                         ndim=len(shape), shape=ctypes.cast(lengths, _types.Int64s))


def of_view(view: View, cpu: int | None = None) -> Tensor:
    """A tensor of the memory of a view. `cpu`: the number to give the processor, which tells values of several devices
    apart. The tensor keeps the memory, but not beyond itself: operations have to keep the tensor."""
    index = cpu if cpu is not None and view.device_kind == _dlpack.CPU else view.device_index
    info = info_of(view.shape, view.dtype, (view.device_kind, index))
    return Tensor(made(lib.PSTensorFromPtr, view.pointer or _SOMEWHERE, info, _NO_DELETER, None), view.owner)


_NO_DELETER = _types.no(_types.Deleter)


def to_read(value: Any, name: str = "value", cpu: int | None = None) -> Tensor:
    """A tensor of what is read: a Tensor itself, else an array's."""
    return value if isinstance(value, Tensor) else of_view(arrays.reading(value, name), cpu)


def to_write(out: Any, name: str = "out", cpu: int | None = None) -> Tensor:
    """A tensor of what is written."""
    if not isinstance(out, Tensor):
        return of_view(arrays.writing(out, name), cpu)
    out._is_written = True
    return out


def device_of(text: str) -> tuple[int, int]:
    """(PSDeviceKind, number) of `cpu`, `cpu:1`, `cuda`, `cuda:1` (or `gpu`)."""
    kind, _, number = text.partition(":")
    kinds = {"cpu": _dlpack.CPU, "cuda": _dlpack.CUDA, "gpu": _dlpack.CUDA}
    if kind not in kinds or (number and not number.isdigit()):
        raise ValueError(f"no device: '{text}'; say cpu, or cuda:<number>")
    return kinds[kind], int(number or 0)


def zeros(shape: int | Sequence[int], dtype: Any = dtypes.float32, device: str = "cpu") -> Tensor:
    """A tensor of the library's memory, all 0."""
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    return Tensor(made(lib.PSTensorCreate, info_of(lengths, dtypes.of(dtype), device_of(device))))


def array(value: Any, device: str = "cpu") -> Tensor:
    """A copy of an array, in the library's memory on a device."""
    view = arrays.reading(value)
    copy = zeros(view.shape, view.dtype, device)
    copy.copy_from(value)
    return copy


def row_sparse(values: Any, ids: Any, shape: Sequence[int]) -> Tensor:
    """Some rows of an array of `shape`: `values` (number of rows, *shape[1:]) holds them, `ids` (int64, ascending, each
    once; an array, or a list of ints) says which they are. The memory of both is used where it lies."""
    if isinstance(ids, (list, tuple)):
        ids = int64s(ids)
    rows, kept = to_read(values, "values"), to_read(ids, "ids")
    lengths = (ctypes.c_int64 * len(shape))(*shape)
    return Tensor(made(lib.PSTensorCreateRowSparse, kept.handle, rows.handle, len(shape), lengths), (rows, kept))


def row_sparse_zeros(shape: Sequence[int], dtype: Any = dtypes.float32) -> Tensor:
    """No row of an array of `shape`: the initial value of a row-sparse key, or where rows are pulled into."""
    return row_sparse(zeros((0, *shape[1:]), dtype), zeros((0,), dtypes.int64), shape)


def int64s(values: Sequence[int]) -> memoryview:
    """An array of numbers, as ids."""
    return memoryview((ctypes.c_int64 * len(values))(*values)).cast("B").cast("q")


def from_dlpack(producer: Any) -> Tensor:
    """A tensor of the memory of an object with `__dlpack__`; whichever of the two is used last keeps it."""
    capsule = _dlpack.export_of(producer)
    return Tensor(made(_dlpack.consume, capsule, lib.PSTensorFromDLPack))


