"""Keys of KVStore and what belongs to them: as programs say them, and as C takes them."""
from __future__ import annotations

import ctypes
import functools
import operator
from typing import Any, Sequence

from . import _types, arrays
from .errors import InvalidArgumentError
from .tensor import Tensor, int64s


class Keys:
    """Keys of a call, all numbers or all texts. `carray` and `len` are what C takes; `suffix`: of the function."""

    __slots__ = ("listed", "is_text", "carray")

    def __init__(self, listed: list[Any]) -> None:
        self.listed = listed
        self.is_text = bool(listed) and isinstance(listed[0], str)
        if self.is_text:
            self.carray: Any = _types.texts(listed)
        else:
            self.carray = (ctypes.c_int64 * len(listed))(*listed)

    def __len__(self) -> int:
        return len(self.listed)

    @property
    def suffix(self) -> str:
        return "Str" if self.is_text else ""


def key_of(key: Any) -> int | str:
    """A key: text, or a number of 64 bits. TypeError for anything else."""
    if isinstance(key, str):
        return key
    try:
        number = operator.index(key)
    except TypeError:
        raise TypeError(f"unexpected type for keys: {type(key)} ({key!r}): they are int or str") from None
    if not -(2**63) <= number < 2**63:
        raise InvalidArgumentError(f"key {number}: keys are numbers of 64 bits")
    return number


def keys_of(keys: Any) -> Keys:
    """A key, or a list of keys of one type."""
    listed = [key_of(key) for key in keys] if isinstance(keys, (list, tuple)) else [key_of(keys)]
    if len({isinstance(key, str) for key in listed}) > 1:
        raise TypeError("inconsistent types of keys detected.")
    return Keys(listed)


@functools.lru_cache(maxsize=4096, typed=True)
def one_key(key: int | str) -> Keys:
    """A single key: after a large transfer nothing is in the processor's cache, so that steps are dear."""
    return Keys([key_of(key)])


def pairs_of(keys: Any, values: Any, name: str = "values") -> tuple[Keys, list[Any], list[int]]:
    """Keys and values that belong together by place: a key has one value, or a list of one per device. Also, for each,
    which device of its key that is. Nested lists of keys are flattened, as MXNet's are."""
    if isinstance(keys, (int, str)) and not isinstance(values, (list, tuple)):
        return one_key(keys), [values], [0]
    flat_keys: list[Any] = []
    flat: list[Any] = []
    _flatten(keys, values, name, flat_keys, flat)
    made = keys_of(flat_keys)
    seen: dict[Any, int] = {}
    devices = []
    for key in made.listed:
        devices.append(seen.get(key, 0))
        seen[key] = devices[-1] + 1
    return made, flat, devices


def _flatten(keys: Any, values: Any, name: str, flat_keys: list[Any], flat: list[Any]) -> None:
    if isinstance(keys, (list, tuple)):
        if not isinstance(values, (list, tuple)) or len(values) != len(keys):
            count = len(values) if isinstance(values, (list, tuple)) else 1
            raise InvalidArgumentError(f"{len(keys)} keys and {count} {name}: there is one, or a list of one per "
                                       "device, for each key")
        for key, value in zip(keys, values):
            _flatten(key, value, name, flat_keys, flat)
        return
    of_key = values if isinstance(values, (list, tuple)) else [values]
    flat_keys.extend([keys] * len(of_key))
    flat.extend(of_key)


def is_one(keys: Any) -> bool:
    """Whether a call is about a single key."""
    return not isinstance(keys, (list, tuple))


def row_ids_of(row_ids: Any, count: int) -> list[Any]:
    """One array of row ids per out: from one for all, or a list of them. A list of ints is one array of ids."""
    if isinstance(row_ids, (list, tuple)) and not any(arrays.is_array(one) for one in row_ids):
        try:
            listed = [operator.index(one) for one in row_ids]
        except TypeError:
            raise TypeError("row_ids should be NDArray or list of NDArray") from None
        return [int64s(listed)] * count
    if not isinstance(row_ids, (list, tuple)):
        if not arrays.is_array(row_ids):
            raise TypeError("row_ids should be NDArray or list of NDArray")
        return [row_ids] * count
    if len(row_ids) == 1:
        return list(row_ids) * count
    if len(row_ids) != count:
        raise InvalidArgumentError("the number of row_ids doesn't match the number of values")
    return list(row_ids)


def handles_of(tensors: Sequence[Tensor]) -> Any:
    """The handles, for C."""
    return (ctypes.c_void_p * len(tensors))(*[tensor.handle for tensor in tensors])
