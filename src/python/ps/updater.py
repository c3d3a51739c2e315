"""Rules of the program's own: what becomes of a table's values when a contribution comes, as a Python function."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from . import _types, arrays, dtypes
from ._callback import guarded, keep_for_ever
from ._lib import lib


@dataclasses.dataclass(frozen=True)
class UpdateInfo:
    """Of one call. `count`: of updates of this table on this server, this one included; `worker`: the rank of who sent
    it, of a merged round 0."""

    count: int
    worker: int


# values, delta, states, info; see register_updater.
UpdaterFunction = Callable[[Any, Any, Sequence[Any], UpdateInfo], Any]


class Updater(NamedTuple):
    """A rule that keeps `states` arrays beside the values."""

    function: UpdaterFunction
    states: int = 0


_registered: dict[str, tuple[UpdaterFunction, int]] = {}


def register_updater(name: str, function: UpdaterFunction, states: int = 0) -> None:
    """Adds a rule under a new name, before tables use it: on every server of the job, and on the workers that name it,
    which look whether there is such a rule. Saying the same again changes nothing.

    `function(values, delta, states, info)` changes `values` in place by `delta`. Both are arrays of consecutive
    elements of a table, NumPy's where there is NumPy, else memoryviews; `states` are as many such arrays as were asked
    for, 0 at first. They are valid during the call only. Several threads may call it for different elements. What it
    raises is the error of the operation.
    """
    if _registered.get(name) == (function, states):
        return

    def update(call: Any, _context: Any) -> int:
        return guarded(_update, function, call.contents, states)

    callback = _types.UpdaterFunction(update)
    lib.PSRegisterUpdater(_types.text(name), callback, states, None)
    keep_for_ever(callback)
    _registered[name] = (function, states)


def register_updaters(rules: Mapping[str, Updater | UpdaterFunction]) -> None:
    """Adds several, by name."""
    for name, rule in rules.items():
        made = rule if isinstance(rule, Updater) else Updater(rule)
        register_updater(name, made.function, made.states)


def _update(function: UpdaterFunction, call: _types.UpdaterCall, num_states: int) -> None:
    dtype, size = dtypes.from_code(call.dtype), call.size
    states = [arrays.around(call.states[i], size, dtype) for i in range(num_states)]
    function(arrays.around(call.values, size, dtype), read_only(arrays.around(call.delta, size, dtype)), states,
             UpdateInfo(call.count, call.worker))


def read_only(array: Any) -> Any:
    if isinstance(array, memoryview):
        return array.toreadonly()
    array.flags.writeable = False
    return array
