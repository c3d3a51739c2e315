"""DLPack (0.x): the structs, and capsules in and out."""
from __future__ import annotations

import ctypes as c
from typing import Any, Callable

from . import dtypes, errors

CPU, CUDA, CUDA_HOST = 1, 2, 3  # PSDeviceKind
_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6
_KINDS = {_INT: "int", _UINT: "uint", _FLOAT: "float", _BFLOAT: "bfloat"}
_NAME, _USED_NAME = b"dltensor", b"used_dltensor"


class DLTensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int), ("device_id", c.c_int), ("ndim", c.c_int),
                ("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class DLManagedTensor(c.Structure):
    pass


_Deleter = c.CFUNCTYPE(None, c.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("tensor", DLTensor), ("context", c.c_void_p), ("deleter", _Deleter)]

_api = c.pythonapi
_is_valid = _api.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = (c.py_object, c.c_char_p), c.c_int
_get_pointer = _api.PyCapsule_GetPointer
_get_pointer.argtypes, _get_pointer.restype = (c.py_object, c.c_char_p), c.c_void_p
_set_name = _api.PyCapsule_SetName
_set_name.argtypes, _set_name.restype = (c.py_object, c.c_char_p), c.c_int
# The destructor is called with a capsule that is being freed: as an address, and while an exception may be set.
_Destructor = c.PYFUNCTYPE(None, c.c_void_p)
_new = _api.PyCapsule_New
_new.argtypes, _new.restype = (c.c_void_p, c.c_char_p, _Destructor), c.py_object
_raw_is_valid = c.PYFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p)(("PyCapsule_IsValid", _api))
_raw_get_pointer = c.PYFUNCTYPE(c.c_void_p, c.c_void_p, c.c_char_p)(("PyCapsule_GetPointer", _api))


def export_of(producer: Any) -> Any:
    """The capsule of an object with `__dlpack__`, with its contents ready for everybody."""
    kind = int(producer.__dlpack_device__()[0])
    # 1: the default stream, which the library waits for before it reads.
    return producer.__dlpack__(stream=1) if kind == CUDA else producer.__dlpack__()


def managed(capsule: Any) -> int:
    """The address of the DLManagedTensor in a capsule that nobody has consumed."""
    if not _is_valid(capsule, _NAME):
        raise ValueError("no DLPack capsule `dltensor`, or one that was consumed")
    address: int = _get_pointer(capsule, _NAME)
    return address


def consume(capsule: Any, take: Callable[[int, Any], int], result: Any) -> None:
    """Has `take(address, result)` take over its tensor. The capsule is used up before: an interrupt after the call must
    not leave two owners, and one before it rather leaves none."""
    address = managed(capsule)
    _set_name(capsule, _USED_NAME)
    try:
        take(address, result)
    except errors.Error:
        _set_name(capsule, _NAME)
        raise


def tensor_of(capsule: Any) -> DLTensor:
    """What a capsule describes; valid while the capsule is there and not consumed."""
    tensor: DLTensor = DLManagedTensor.from_address(managed(capsule)).tensor
    return tensor


def dtype_of(tensor: DLTensor) -> dtypes.DType | None:
    """None: no type of ours."""
    if tensor.lanes != 1:
        return None
    if tensor.code == _BOOL:
        return dtypes.bool_
    kind = _KINDS.get(tensor.code)
    try:
        return dtypes.of(f"{kind}{tensor.bits}")
    except TypeError:
        return None


def _destroy(capsule: int) -> None:
    if _raw_is_valid(capsule, _NAME):
        address = _raw_get_pointer(capsule, _NAME)
        DLManagedTensor.from_address(address).deleter(c.cast(address, c.POINTER(DLManagedTensor)))


_destructor = _Destructor(_destroy)


# What owns the memory of tensors that were given away, by address: that, and the deleter of the library.
_owners: dict[int, tuple[Any, Any]] = {}


def _delete(managed_tensor: Any) -> None:
    address = c.addressof(managed_tensor.contents)
    owner, deleter = _owners.pop(address)
    deleter(managed_tensor)
    del owner  # not before


_delete_owned = _Deleter(_delete)


def capsule(address: int, owner: Any = None) -> Any:
    """A capsule of a DLManagedTensor, whose deleter is called with the capsule unless somebody takes it over. `owner`,
    which the library knows nothing of, is kept until then."""
    if owner is not None:
        managed_tensor = DLManagedTensor.from_address(address)
        _owners[address] = owner, _Deleter(c.cast(managed_tensor.deleter, c.c_void_p).value or 0)
        managed_tensor.deleter = _delete_owned
    return _new(address, _NAME, _destructor)
