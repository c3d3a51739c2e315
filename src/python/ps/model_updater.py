"""Rules of the program's own for SharedModel: objects that are told of every key."""
from __future__ import annotations

import ctypes as c
import itertools
from typing import Any, Callable, Sequence

from . import _types, arrays, dtypes
from ._callback import guarded, keep_for_ever
from ._lib import lib
from .dtypes import DType
from .updater import read_only


class ModelUpdater:
    """A rule. There is one object per server (of the types local and allreduce per process), model, and type of
    elements.

    Arrays are flat, NumPy's where there is NumPy, else memoryviews, and valid during the call only. What a method
    raises is the error of the operation.
    """

    def set_param(self, name: str, value: str) -> None:
        """A parameter of the model, as text (`SharedModel.set_param`); its own ones, and those of the model."""

    def init_updater(self, rank: int, argv: Sequence[str]) -> None:
        """Where it is: the server's rank and command line."""

    def init_model(self, key: int, weight: Any) -> None:
        """A key is made: `weight` is zeros, and may be set."""

    def update(self, key: int, weight: Any, delta: Any) -> None:
        """Changes `weight` in place by what has come. Calls for one key come one after the other."""
        raise NotImplementedError


Factory = Callable[[DType], ModelUpdater]
_registered: dict[str, Factory] = {}
_objects: dict[int, tuple[ModelUpdater, DType]] = {}  # by what C knows them by
_numbers = itertools.count(1)


def register_model_updater(name: str, factory: Factory) -> None:
    """Adds a rule under a new name: `factory(dtype)` makes its objects, mostly a class derived from ModelUpdater. On
    every server of the job (before `run_server`), and before models use it (`updater=name`). Saying the same again
    changes nothing."""
    if _registered.get(name) == factory:
        return
    functions = _types.filled(_types.ModelUpdater, create=_types.ModelCreate(_Create(factory)), set_param=_SET_PARAM,
                              init_updater=_INIT_UPDATER, init_model=_INIT_MODEL, update=_UPDATE, destroy=_DESTROY)
    lib.PSRegisterModelUpdater(_types.text(name), c.byref(functions), None)
    keep_for_ever(functions)
    _registered[name] = factory


class _Create:
    def __init__(self, factory: Factory) -> None:
        self._factory = factory

    def __call__(self, code: int, _context: Any, made: Any) -> int:
        return guarded(self._make, dtypes.from_code(code), made)

    def _make(self, dtype: DType, made: Any) -> None:
        number = next(_numbers)
        _objects[number] = (self._factory(dtype), dtype)
        made[0] = number


def _set_param(number: int, name: bytes, value: bytes) -> int:
    return guarded(lambda: _objects[number][0].set_param(name.decode(), value.decode()))


def _init_updater(number: int, rank: int, argc: int, argv: Any) -> int:
    return guarded(lambda: _objects[number][0].init_updater(rank, [argv[i].decode() for i in range(argc)]))


def _init_model(number: int, key: int, weight: int, size: int) -> int:
    return guarded(lambda: _objects[number][0].init_model(key, arrays.around(weight, size, _objects[number][1])))


def _update(number: int, key: int, weight: int, delta: int, size: int) -> int:
    def update() -> None:
        rule, dtype = _objects[number]
        rule.update(key, arrays.around(weight, size, dtype), read_only(arrays.around(delta, size, dtype)))

    return guarded(update)


def _destroy(number: int | None) -> None:
    if number is not None:  # else it was never made
        _objects.pop(number, None)


_SET_PARAM = _types.ModelSetParam(_set_param)
_INIT_UPDATER = _types.ModelInitUpdater(_init_updater)
_INIT_MODEL = _types.ModelInit(_init_model)
_UPDATE = _types.ModelUpdate(_update)
_DESTROY = _types.ModelDestroy(_destroy)
