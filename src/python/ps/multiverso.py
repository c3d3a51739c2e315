"""Multiverso's Python interface, over the tables: programs port by `from ps import multiverso as mv`.

    mv.init(sync=True)
    table = mv.ArrayTableHandler(1000, init_value=numpy.zeros(1000))
    table.add(delta)
    mv.barrier()
    weights = table.get()
    mv.shutdown()

Alone such a program is worker and server in one; `tracker/local.sh --joint 4 python3 program.py` starts four of both
roles (each has its server in a process of its own), `tracker/local.sh 2 4 python3 program.py` servers and workers
apart. Elements are float32.

What is otherwise than in Multiverso: errors are raised (`ps.Error`) where it ended the process, `barrier()` waits for
what was added before, ids are stable from run to run, tables of any size work, and with `sync=True` rounds are counted
by table.
"""
from __future__ import annotations

import weakref
from typing import Any, Iterator

from . import runtime, server
from . import table as tables
from .errors import FailedPreconditionError
from .shared import Shared
from .store import Store, default_store, has_cluster

class _Session:
    """What is between init and shutdown."""

    def __init__(self, sync: bool) -> None:
        self.mode = "bsp" if sync else "asp"
        self.store: Store = default_store()
        self.tables: list[tables.Table] = []
        self.variables: weakref.WeakSet[SharedVariable] = weakref.WeakSet()


_sessions: dict[int | None, _Session] = {}  # by node: workers of a LocalCluster have one each, a process has one


def _current() -> _Session:
    session = _sessions.get(runtime.handle_of())
    if session is None:
        raise FailedPreconditionError("multiverso.init() has not been called")
    return session


def init(sync: bool = False) -> None:
    """Joins the job that the environment describes (DMLC_ROLE, ...), and returns when all processes have. `sync`: every
    worker's i-th get of a table sees everybody's i-th add (else things are applied as they come). A scheduler or server
    serves here, and exits the interpreter when the job has ended."""
    node = runtime.handle_of()
    if node in _sessions:
        raise FailedPreconditionError("multiverso.init() has been called already")
    if node is None:
        runtime.init()
    _sessions[node] = _Session(sync)


def shutdown() -> None:
    """Leaves its tables, so that the others' rounds go on without it, and the job, together with all other ones."""
    session = _current()
    del _sessions[runtime.handle_of()]
    if session.mode == "bsp":
        for table in session.tables:
            if not table.closed:
                table.leave()
    for table in session.tables:
        table.close()
    if runtime.bound_node() is None:
        runtime.finalize()


def barrier() -> None:
    """Waits until what this process has added is applied (sync: counted for its round), then for all other workers."""
    _current().store.barrier()


def workers_num() -> int:
    """Workers of the job."""
    return _current().store.num_workers


def worker_id() -> int:
    """Of this process, from 0 on."""
    return _current().store.rank


def server_id() -> int:
    """Of this process' server; -1: it has none."""
    if not has_cluster():
        return 0
    return worker_id() if server._child is not None else -1


def is_master_worker() -> bool:
    """Whether this is worker 0, who does what one has to do for all."""
    return worker_id() == 0


class TableHandler:
    """What both have. All processes make theirs in the same order."""

    def __init__(self, table: tables.Table, init_value: Any) -> None:
        session = _current()
        self.table = table
        session.tables.append(table)
        if init_value is not None:
            # The first worker's start values, once: with sync a round is complete when all have added.
            values = _floats(init_value, table.shape)
            table._add(None, values if session.store.rank == 0 else values * 0, True)
        session.store.barrier()


class ArrayTableHandler(TableHandler):
    """An array of `size` float32 that all workers share. `init_value`: what is there at first, a number or [size], said
    by all workers; the first one's counts. Returns when all workers have made it."""

    def __init__(self, size: int, init_value: Any = None) -> None:
        session = _current()
        table = tables.ArrayTable(size, name=session.store.next_name("multiverso"), mode=session.mode,
                                  store=session.store)
        super().__init__(table, init_value)

    def get(self) -> Any:
        """All values, [size]."""
        return self.table.get()  # type: ignore[attr-defined]

    def add(self, data: Any, sync: bool = False) -> None:
        """Adds `data` [size]. `sync`: returns when it has come, else at once."""
        self.table._add(None, _floats(data, self.table.shape), sync)


class MatrixTableHandler(TableHandler):
    """A matrix of `num_row` x `num_col` float32 that all workers share. `init_value` as of ArrayTableHandler."""

    def __init__(self, num_row: int, num_col: int, init_value: Any = None) -> None:
        session = _current()
        table = tables.MatrixTable(num_row, num_col, name=session.store.next_name("multiverso"), mode=session.mode,
                                   store=session.store)
        super().__init__(table, init_value)

    def get(self, row_ids: Any = None) -> Any:
        """Rows in the order of their ids, [number of ids, num_col]; without ids all."""
        return self.table.get(row_ids)  # type: ignore[attr-defined]

    def add(self, data: Any, row_ids: Any = None, sync: bool = False) -> None:
        """Adds `data` [number of ids, num_col]; without ids [num_row, num_col]. `sync`: returns when it has come, else
        at once."""
        ids = self.table._ids(row_ids)
        shape = self.table.shape if ids is None else (ids.count, self.table.shape[1])
        self.table._add(ids, _floats(data, shape), sync)


class SharedVariable(Shared):
    """A value that all workers have a copy of: `mv_sync()` adds what has changed here since the last time, and takes
    what all have made of it. Made by `mv_shared`."""

    def get_value(self) -> Any:
        return self.value

    def set_value(self, value: Any) -> None:
        """An array takes the values, a model those of each of its arrays, a number is replaced. ValueError: `value` is
        built otherwise."""
        if self._is_number:
            self.value = value
            return
        for mine, given in list(_leaves(self.value, value, "value")):
            mine[...] = given

    def mv_sync(self) -> None:
        self.sync()


def mv_shared(value: Any, name: str | None = None) -> SharedVariable:
    """Shares a NumPy array, a number, or a dict or list of arrays (a model). All workers call it in the same order; the
    first one's value is everybody's."""
    session = _current()
    variable = SharedVariable(value, name, session.mode, session.store)
    session.variables.add(variable)
    return variable


def sync_all_mv_shared_vars() -> None:
    """`mv_sync` of all there are, in one order on all workers."""
    for variable in sorted(_current().variables, key=lambda variable: variable.name):
        variable.mv_sync()


def _leaves(mine: Any, given: Any, path: str) -> Iterator[tuple[Any, Any]]:
    """Arrays, each with what it is to hold."""
    if isinstance(mine, dict):
        if not isinstance(given, dict) or set(mine) != set(given):
            raise ValueError(f"{path} has the keys {', '.join(map(repr, mine))}")
        for key in mine:
            yield from _leaves(mine[key], given[key], f"{path}[{key!r}]")
    elif isinstance(mine, (list, tuple)):
        if not isinstance(given, (list, tuple)) or len(mine) != len(given):
            raise ValueError(f"{path} is a list of {len(mine)}")
        for place, pair in enumerate(zip(mine, given)):
            yield from _leaves(*pair, f"{path}[{place}]")
    else:
        yield mine, given


def _floats(values: Any, shape: tuple[int, ...]) -> Any:
    """As float32; a number stands for all elements."""
    import numpy as np
    given = np.asarray(values, dtype=np.float32)
    return np.full(shape, given, np.float32) if given.ndim == 0 else np.ascontiguousarray(given)
