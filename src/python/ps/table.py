"""Tables: arrays, matrices and maps that all workers share.

What a call adds is combined with what is there by the table's rule (`updater`), and read when its `mode` says:

- asp       things are applied as they come (the default)
- bsp       each worker's n-th read is after everybody's n-th add, with the same bits for all; `bsp:<backup>` does not
            wait for the slowest ones
- ssp:<b>   nobody reads what is more than b rounds behind

Values are NumPy arrays of the table's type, used where they lie, or anything else that holds numbers, converted. Ctrl-C
ends a wait and not the operation, which goes on using its arrays: leave them alone then, and hand in others. Calls
raise a `ps.Error`, which names the table: wrong sizes and ids (InvalidArgumentError) before anything is sent.
"""
from __future__ import annotations

import ctypes as c
from typing import Any, Sequence

from . import _lib, _types, _values, dtypes
from ._handle import Handle
from ._lib import lib
from .arrays import View
from .optimizer import Optimizer
from .store import Store, default_store
from .ticket import Ticket, issue

_ARRAY, _MATRIX, _MAP = 1, 2, 3  # PSTableKind
FULL = -1  # of delta reads: everything is read, and no buffer counts as up to date by it


class Table(Handle):
    """What all tables have. Made as ArrayTable, MatrixTable or KVTable.

    All workers have to say the same of a table `name`: AlreadyExistsError tells what differs. These may be said:

    - dtype             of elements: `float32` (default), `float64`, `int64`, ...
    - updater           rule and options, as `adagrad lr=0.1` or ps.optimizer.AdaGrad(...); default `add`
    - mode              see the module
    - init              a number, or text: `uniform:<low>:<high>:<seed>`, `first_write`; default 0
    - push_codec, pull_codec   how values travel: `sparse`, `f16`, `bf16`, `2bit:<threshold>`, `1bit:<threshold>`,
                        `topk:<share>`, `fixed:<bytes>`
    - merged, mean      bsp: the rule sees the sum (mean) of a round, once
    - multi_precision   16-bit floats are kept in float32 at the servers
    - manual_close      bsp: adds do not end a round, `close_round()` does
    - any_order         merged: sums are made as values come, and not in the order of the workers
    - min_split         up to so many elements lie on one server; default 1,000,000

    Any thread.
    """

    _free = "PSTableFree"

    def __init__(self, kind: int, shape: tuple[int, ...], *, name: str, store: Store | None, dtype: Any = "float32",
                 updater: str | Optimizer | None = None, mode: str | None = None, init: float | str | None = None,
                 push_codec: str | None = None, pull_codec: str | None = None, **more: int) -> None:
        self.store = default_store() if store is None else store
        self.name = name
        self.shape = shape
        self.dtype = dtypes.of(dtype)
        self._ids_name = "keys" if kind == _MAP else "row_ids"
        rows, cols = (tuple(shape) + (0, 0))[:2] if kind != _MAP else (0, shape[0])
        texts = {"name": name, "mode": mode, "push_codec": push_codec, "pull_codec": pull_codec,
                 "updater": None if updater is None else str(updater), "init": None if init is None else str(init)}
        options = _types.filled(_types.TableOptions, kind=kind, dtype=self.dtype.code, rows=rows, cols=cols,
                                **{option: _types.text(value) for option, value in texts.items()}, **more)
        handle = c.c_void_p()
        _lib.call(lib.PSTableCreate, self.store.handle, c.byref(options), c.byref(handle))
        super().__init__(handle.value)
        self.store.register(self)

    # --- what becomes of the table as a whole ---

    def set_updater(self, updater: str | Optimizer) -> None:
        """Another rule, with its options; values stay. Who says what is in force changes nothing."""
        issue(lib.PSTableSetUpdater, self.handle, _types.text(str(updater))).wait()

    def set_options(self, from_round: int = 0, **options: float) -> None:
        """Options of the rule, as `set_options(lr=0.1)`; bsp: from a round on, 0: at once."""
        issue(lib.PSTableSetOptions, self.handle, _rule(options), _types.round_number(from_round)).wait()

    def close_round(self) -> None:
        """Ends this worker's round of a table with `manual_close`."""
        issue(lib.PSTableCloseRound, self.handle).wait()

    def leave(self) -> None:
        """This worker adds no more, and the others go on without it: who has fewer rounds than the others says so."""
        issue(lib.PSTableLeave, self.handle).wait()

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ps.{type(self).__name__} {self.name!r} {self.shape} of {self.dtype.name}>"

    # --- calls, for the tables below ---

    def _add(self, ids: Any, values: Any, wait: bool, *, priority: int = 0, borrow: bool = False,
             rule: dict[str, float] | None = None) -> Ticket:
        what, keep = self._what(ids, _values.reading(values, self.dtype))
        what.priority = _types.int32(priority, "priority")
        what.borrow = wait or borrow
        what.rule = _rule(rule) if rule else None
        return self._issue(lib.PSTableAdd, what, keep if what.borrow else (), None, wait)

    def _set(self, ids: Any, values: Any, wait: bool) -> Ticket:
        what, keep = self._what(ids, _values.reading(values, self.dtype))
        return self._issue(lib.PSTableSet, what, keep, None, wait)

    def _get(self, ids: Any, shape: Sequence[int], out: Any, wait: bool, *, priority: int = 0, buffer: int = 0,
             changed: list[int] | None = None) -> Ticket:
        result = _values.empty(shape, self.dtype) if out is None else out
        what, keep = self._what(ids, _values.writing(result, self.dtype))
        what.priority = _types.int32(priority, "priority")
        what.buffer = _types.int32(buffer, "buffer")
        finished = None
        if changed is not None:
            places = _Changed(changed, self.shape[0] if ids is None else ids.count)
            what.changed, what.num_changed = places.memory, c.pointer(places.count)
            keep, finished = (*keep, places), places.tell
        ticket = issue(lib.PSTableGet, self.handle, c.byref(what), keep=keep, result=result, finished=finished)
        if wait:
            ticket.wait()
        return ticket

    def _erase(self, ids: Any) -> None:
        listed = _values.Ids(ids, self._ids_name)
        issue(lib.PSTableErase, self.handle, listed.pointer, listed.count, keep=(listed,)).wait()

    def _what(self, ids: _values.Ids | None, view: View) -> tuple[_types.TableValues, tuple[Any, ...]]:
        what = _types.filled(_types.TableValues, values=view.pointer, num_values=view.size)
        if ids is not None:
            what.ids, what.num_ids = ids.pointer, ids.count
        return what, (view, ids)

    def _issue(self, function: Any, what: _types.TableValues, keep: tuple[Any, ...], result: Any, wait: bool) -> Ticket:
        ticket = issue(function, self.handle, c.byref(what), keep=keep, result=result)
        if wait:
            ticket.wait()
        return ticket

    def _ids(self, ids: Any) -> _values.Ids | None:
        return None if ids is None else _values.Ids(ids, self._ids_name)


class ArrayTable(Table):
    """An array of `size` elements, read and added to as a whole.

    >>> weights = ps.ArrayTable(1000, name="weights", updater="sgd", mode="bsp")
    >>> weights.add(gradient, lr=0.1)
    >>> weights.get(out=mine)
    """

    def __init__(self, size: int, *, name: str, store: Store | None = None, **options: Any) -> None:
        super().__init__(_ARRAY, (size,), name=name, store=store, **options)

    def add(self, values: Any, *, priority: int = 0, **rule: float) -> None:
        """Contributes `values` [size], and returns when they are ordered at the servers. `rule`: options of the table's
        rule that hold from now on, as `lr=0.1`."""
        self._add(None, values, True, priority=priority, rule=rule)

    def add_async(self, values: Any, *, priority: int = 0, borrow: bool = False, **rule: float) -> Ticket:
        """The same without waiting; nobody has to wait for the ticket. `borrow`: values are not copied, and stay
        unchanged until it is done."""
        return self._add(None, values, False, priority=priority, borrow=borrow, rule=rule)

    def get(self, out: Any = None, *, priority: int = 0) -> Any:
        """All values, [size]; in `out`, where that is given: an array of the table's type, used where it lies."""
        return self._get(None, self.shape, out, True, priority=priority).result

    def get_async(self, out: Any = None, *, priority: int = 0) -> Ticket:
        """A ticket, whose `wait()` returns the values. `out` stays alone until then. Sees what this worker adds."""
        return self._get(None, self.shape, out, False, priority=priority)

    def set(self, values: Any) -> None:
        """Writes `values` [size] as they are, whatever the rule."""
        self._set(None, values, True)


class MatrixTable(Table):
    """A matrix of `rows` x `cols`, read and added to as a whole or by rows.

    Row ids come as lists or arrays of integers, in any order; they may repeat. A single number means one row, whose
    values are [cols]. `delta`: reads bring only the rows that have changed since the last one into the same buffer, and
    leave the others of `out` as they are; there are `buffers` (1) of them, by number (`buffer=`), FULL for all rows. A
    list that is given as `changed` is told which places of the ids (without ids: which rows) came, in no order.

    >>> vectors = ps.MatrixTable(10000, 64, name="vectors", init="uniform:-0.1:0.1:7", updater="adagrad lr=0.1")
    >>> some = vectors.get([3, 14, 15])        # [3, 64]
    >>> vectors.add(gradient, [3, 14, 15])
    """

    def __init__(self, rows: int, cols: int, *, name: str, store: Store | None = None, delta: bool = False,
                 buffers: int = 1, **options: Any) -> None:
        super().__init__(_MATRIX, (rows, cols), name=name, store=store, delta=delta, buffers=buffers, **options)

    def add(self, values: Any, row_ids: Any = None, *, priority: int = 0, **rule: float) -> None:
        """Contributes `values` [number of ids, cols]; without ids [rows, cols]. Returns when they are ordered at the
        servers. `rule`: options of the table's rule that hold from now on, as `lr=0.1`."""
        self._add(self._ids(row_ids), values, True, priority=priority, rule=rule)

    def add_async(self, values: Any, row_ids: Any = None, *, priority: int = 0, borrow: bool = False,
                  **rule: float) -> Ticket:
        """The same without waiting; nobody has to wait for the ticket. `borrow`: values are not copied, and stay
        unchanged until it is done."""
        return self._add(self._ids(row_ids), values, False, priority=priority, borrow=borrow, rule=rule)

    def get(self, row_ids: Any = None, out: Any = None, *, priority: int = 0, buffer: int = 0,
            changed: list[int] | None = None) -> Any:
        """Rows in the order of their ids, [number of ids, cols]; without ids all, [rows, cols]. In `out`, where that is
        given: an array of the table's type, used where it lies."""
        return self._read(row_ids, out, True, priority=priority, buffer=buffer, changed=changed).result

    def get_async(self, row_ids: Any = None, out: Any = None, *, priority: int = 0, buffer: int = 0,
                  changed: list[int] | None = None) -> Ticket:
        """A ticket, whose `wait()` returns the values; `changed` is told when it is seen to be done. `out` stays
        alone until then. Sees what this worker has added."""
        return self._read(row_ids, out, False, priority=priority, buffer=buffer, changed=changed)

    def set(self, values: Any, row_ids: Any = None) -> None:
        """Writes values as they are, whatever the rule."""
        self._set(self._ids(row_ids), values, True)

    def erase(self, row_ids: Any) -> None:
        """These rows are as never written."""
        self._erase(row_ids)

    def _read(self, row_ids: Any, out: Any, wait: bool, **how: Any) -> Ticket:
        ids = self._ids(row_ids)
        shape = self.shape if ids is None else self.shape[1:] if ids.is_one else (ids.count, self.shape[1])
        return self._get(ids, shape, out, wait, **how)


class KVTable(Table):
    """A map from 64-bit keys to `cols` numbers each; a key that was never written reads as `init`.

    Keys come as lists or arrays of integers, in any order; they may repeat. A single number means one key.

    >>> counts = ps.KVTable(name="counts", dtype="int64")
    >>> counts.add([7, -1], [1, 5])
    >>> counts.get([-1, 12])                   # [5, 0]
    """

    def __init__(self, *, name: str, cols: int = 1, store: Store | None = None, **options: Any) -> None:
        super().__init__(_MAP, (cols,), name=name, store=store, **options)

    def add(self, keys: Any, values: Any, *, priority: int = 0, **rule: float) -> None:
        """Contributes `values` [number of keys] (of cols above 1: [number of keys, cols]). Returns when they are
        ordered at the servers. `rule`: options of the table's rule that hold from now on, as `lr=0.1`."""
        self._add(self._keys(keys), values, True, priority=priority, rule=rule)

    def add_async(self, keys: Any, values: Any, *, priority: int = 0, borrow: bool = False, **rule: float) -> Ticket:
        """The same without waiting; nobody has to wait for the ticket. `borrow`: values are not copied, and stay
        unchanged until it is done."""
        return self._add(self._keys(keys), values, False, priority=priority, borrow=borrow, rule=rule)

    def get(self, keys: Any, out: Any = None, *, priority: int = 0) -> Any:
        """Values in the order of the keys, [number of keys] (of cols above 1: [number of keys, cols]); in `out`, where
        that is given. Of a single key: a number ([cols])."""
        ids = self._keys(keys)
        values = self._read(ids, out, True, priority).result
        return values[0] if ids.is_one and self.shape == (1,) and out is None else values

    def get_async(self, keys: Any, out: Any = None, *, priority: int = 0) -> Ticket:
        """A ticket, whose `wait()` returns the values: always an array. `out` stays alone until then. Sees what this
        worker has added."""
        return self._read(self._keys(keys), out, False, priority)

    def set(self, keys: Any, values: Any) -> None:
        """Writes values as they are, whatever the rule."""
        self._set(self._keys(keys), values, True)

    def erase(self, keys: Any) -> None:
        """These keys are as never written."""
        self._erase(keys)

    def _keys(self, keys: Any) -> _values.Ids:
        return _values.Ids(keys, "keys")

    def _read(self, ids: _values.Ids, out: Any, wait: bool, priority: int) -> Ticket:
        cols = self.shape if self.shape != (1,) else ()
        shape = self.shape if ids.is_one else (ids.count, *cols)
        return self._get(ids, shape, out, wait, priority=priority)


class _Changed:
    """Where C tells which rows a read has brought, and the list that is to know."""

    def __init__(self, told: list[int], most: int) -> None:
        self.told = told
        self.memory = (c.c_uint32 * max(1, most))()
        self.count = c.c_size_t()

    def tell(self) -> None:
        """When the read is done; of one that failed nothing has come."""
        self.told[:] = self.memory[:self.count.value]


def _rule(options: dict[str, float]) -> bytes | None:
    return _types.text(" ".join(f"{name}={value}" for name, value in options.items()))
