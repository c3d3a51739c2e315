"""The structs and callbacks of the C interface (include/ps/c/*.h), as ctypes sees them."""
from __future__ import annotations

import ctypes as c
import operator
from typing import Any, TypeVar

from .errors import InvalidArgumentError

Handle = c.c_void_p
Text = c.c_char_p
Texts = c.POINTER(c.c_char_p)
Handles = c.POINTER(c.c_void_p)
Int64s = c.POINTER(c.c_int64)
Ints = c.POINTER(c.c_int)

OK = 0


Deleter = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
RequestCallback = c.CFUNCTYPE(None, c.c_int, c.c_char_p, c.c_void_p)
ServerController = c.CFUNCTYPE(c.c_int, c.c_int, c.c_char_p, c.c_void_p)
KVStoreUpdater = c.CFUNCTYPE(c.c_int, c.c_int64, c.c_void_p, c.c_void_p, c.c_void_p)
KVStoreStrUpdater = c.CFUNCTYPE(c.c_int, c.c_char_p, c.c_void_p, c.c_void_p, c.c_void_p)
SharedModelCallback = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p)


class TensorInfo(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("dtype", c.c_int), ("device_kind", c.c_int), ("device_index", c.c_int),
                ("ndim", c.c_int), ("shape", Int64s), ("row_sparse", c.c_int), ("bytes", c.c_size_t)]


class LocalClusterOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("servers", c.c_int), ("workers", c.c_int),
                ("num_settings", c.c_uint32), ("names", Texts), ("values", Texts), ("controller", ServerController),
                ("controller_context", c.c_void_p)]


class KVStoreOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("name", Text), ("node", Handle), ("mean", c.c_int),
                ("bigarray_bound", c.c_int64), ("slice_bytes", c.c_int64), ("timeout_ms", c.c_int64)]


class KVKeyInfo(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("ndim", c.c_int), ("shape", Int64s), ("dtype", c.c_int),
                ("row_sparse", c.c_int), ("mode", Text), ("num_servers", c.c_int), ("servers", Ints)]


class SharedModelOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("node", Handle), ("name", Text)]


class SaveOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("keep", c.c_int), ("prefix", Text)]


class LoadOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("what", c.c_int), ("prefix", Text)]


class TableOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("kind", c.c_int), ("name", Text), ("dtype", c.c_int),
                ("rows", c.c_int64), ("cols", c.c_int64), ("updater", Text), ("mode", Text), ("init", Text),
                ("push_codec", Text), ("pull_codec", Text), ("merged", c.c_int), ("mean", c.c_int),
                ("multi_precision", c.c_int), ("min_split", c.c_int64), ("delta", c.c_int), ("buffers", c.c_int),
                ("manual_close", c.c_int), ("any_order", c.c_int)]


class TableValues(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("ids", Int64s), ("num_ids", c.c_size_t), ("values", c.c_void_p),
                ("num_values", c.c_size_t), ("priority", c.c_int), ("borrow", c.c_int), ("buffer", c.c_int),
                ("rule", Text), ("changed", c.POINTER(c.c_uint32)), ("num_changed", c.POINTER(c.c_size_t))]


class UpdaterCall(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("values", c.c_void_p), ("delta", c.c_void_p), ("states", Handles),
                ("size", c.c_size_t), ("count", c.c_int64), ("worker", c.c_int), ("dtype", c.c_int)]


UpdaterFunction = c.CFUNCTYPE(c.c_int, c.POINTER(UpdaterCall), c.c_void_p)

ModelCreate = c.CFUNCTYPE(c.c_int, c.c_int, c.c_void_p, Handles)
ModelSetParam = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p, c.c_char_p)
ModelInitUpdater = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int, c.c_int, Texts)
ModelInit = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int, c.c_void_p, c.c_size_t)
ModelUpdate = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int, c.c_void_p, c.c_void_p, c.c_size_t)
ModelDestroy = c.CFUNCTYPE(None, c.c_void_p)


class ModelUpdater(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("create", ModelCreate), ("set_param", ModelSetParam),
                ("init_updater", ModelInitUpdater), ("init_model", ModelInit), ("update", ModelUpdate),
                ("destroy", ModelDestroy)]


def no(callback: Any) -> Any:
    """The null pointer of a type of callbacks."""
    return callback()


S = TypeVar("S", bound=c.Structure)


def filled(struct: type[S], **members: Any) -> S:
    """A struct with its size set, and these members; the others are 0, which means the default."""
    made = struct()
    made.struct_size = c.sizeof(struct)
    for name, value in members.items():
        if not hasattr(struct, name):
            raise TypeError(f"there is no option '{name}'")
        setattr(made, name, value)
        if type(value) is int and (getattr(made, name) or 0) != value:
            raise InvalidArgumentError(f"{name}={value} has too many bits")
    return made


def int32(value: Any, name: str) -> int:
    """A whole number as an int of C, which ctypes would cut. InvalidArgumentError: it does not fit."""
    number = operator.index(value)
    if not -(2**31) <= number < 2**31:
        raise InvalidArgumentError(f"{name}={number}: it is a number of 32 bits")
    return number


def round_number(value: Any) -> int:
    """From which round on something holds."""
    number = operator.index(value)
    if not 0 <= number < 2**64:
        raise InvalidArgumentError(f"from_round={number}: rounds are counted from 0 on")
    return number


def text(value: str | None) -> bytes | None:
    """Text as C takes it; None stays null."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"a text is needed, not {type(value).__name__} ({value!r})")
    encoded = value.encode()
    if b"\0" in encoded:
        raise ValueError(f"a text with a 0 byte in it: {value!r}")
    return encoded


def texts(values: list[str]) -> c.Array[c.c_char_p]:
    """An array of texts, which owns them."""
    return (c.c_char_p * len(values))(*[text(value) for value in values])
