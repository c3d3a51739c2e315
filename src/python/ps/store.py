"""Store: a worker's end of the servers' tables, and their checkpoints."""
from __future__ import annotations

import ctypes as c
import itertools
import threading
import weakref
from typing import Any

from . import _exit, _lib, _types, runtime
from ._handle import Handle, made, number
from ._lib import lib
from .runtime import Node
from .ticket import Ticket, issue

_LOAD = {"all": 0, "states_and_rule": 1, "states": 2}  # PSLoadWhat


class Store(Handle):
    """Tables live here. Any thread.

    `Store()` is the store of this thread's node: of a worker of the job, which is started where it is not, or of the
    LocalCluster that the thread works for. Where there is no cluster it is one inside this process. Made again it is
    the same store, with the same tables. Tables that are given none use it, so that most programs need not make one; it
    stays until `ps.finalize()`, or the end of the process.

    `close()` closes the tables that were made with it, too; what others have made stays.
    """

    _free = "PSStoreFree"
    _close_waits = True

    def __init__(self, node: Node | None = None) -> None:
        if node is None and not has_cluster():
            self._local: _Local | None = _local_store()
            super().__init__(self._local.handle)
        else:
            _lib.mark_started()
            self._local = None
            request = c.c_void_p()
            _lib.call(lib.PSStoreCreate, runtime.handle_of(node), c.byref(request))
            super().__init__(request.value)
        self._begin()

    def _begin(self) -> None:
        self._numbers: dict[str, itertools.count[int]] = {}
        self._tables: weakref.WeakSet[Handle] = weakref.WeakSet()
        self._lock = threading.Lock()
        _exit.register(self)

    @classmethod
    def local(cls, servers: int = 1, workers: int = 1, threads: int = 0) -> list["Store"]:
        """Stores inside this process, without a cluster: one per worker, on the same servers. `threads` of each server;
        0: callers do the work."""
        handles = (c.c_void_p * max(0, workers))()
        if threads:
            _lib.mark_started()
        lib.PSStoreLocal(servers, workers, threads, handles)
        stores = []
        for handle in handles:
            store = cls.__new__(cls)
            store._local = None
            Handle.__init__(store, handle)
            store._begin()
            stores.append(store)
        return stores

    @property
    def rank(self) -> int:
        """Of this worker, from 0 on."""
        return number(lib.PSStoreGetRank, self.handle)

    @property
    def num_workers(self) -> int:
        return number(lib.PSStoreGetNumWorkers, self.handle)

    @property
    def num_servers(self) -> int:
        return number(lib.PSStoreGetNumServers, self.handle)

    def flush(self) -> None:
        """Returns when all that this worker has added is ordered at its servers: who reads from now on sees it, as far
        as the table's mode promises."""
        _lib.call(lib.PSStoreFlush, self.handle)

    def barrier(self, timeout: float | None = None) -> None:
        """Flushes, and meets the other workers. `timeout` in seconds; None: PS_BARRIER_TIMEOUT.
        DeadlineExceededError says who is missing."""
        _lib.call(lib.PSStoreBarrier, self.handle, runtime.milliseconds(timeout))

    def save(self, uri: str, keep: int = 2, prefix: str | None = None) -> int:
        """Writes a checkpoint of the tables that this worker has open, with all state, below `uri`, and returns which
        one it is. One worker at a time. `keep`: the newest that stay; `prefix`: only tables whose names begin so."""
        step = c.c_uint64()
        options = _types.filled(_types.SaveOptions, keep=keep, prefix=_types.text(prefix))
        _lib.call(lib.PSStoreSave, self.handle, _types.text(uri), c.byref(options), c.byref(step))
        return step.value

    def load(self, uri: str, what: str = "all", prefix: str | None = None) -> int:
        """Takes the newest complete checkpoint below `uri`, on any number of servers, and returns which one it is. All
        workers together. `what`: `all`, `states_and_rule` (without values), `states`."""
        if what not in _LOAD:
            raise ValueError(f"what={what!r}: there are " + ", ".join(_LOAD))
        step = c.c_uint64()
        options = _types.filled(_types.LoadOptions, what=_LOAD[what], prefix=_types.text(prefix))
        _lib.call(lib.PSStoreLoad, self.handle, _types.text(uri), c.byref(options), c.byref(step))
        return step.value

    def erase_table(self, name: str) -> None:
        """Forgets a table on all servers, whoever else uses it."""
        self.erase_table_async(name).wait()

    def erase_table_async(self, name: str) -> Ticket:
        return issue(lib.PSStoreEraseTable, self.handle, _types.text(name))

    def next_name(self, kind: str) -> str:
        """A name that the n-th call for this kind has on every worker, where all of them call in one order."""
        return f"{kind}/{next(self._numbers.setdefault(kind, itertools.count()))}"

    def register(self, table: Handle) -> None:
        """Closes the table with the store."""
        with self._lock:
            self._tables.add(table)

    def close(self) -> None:
        """Closes its tables, and gives it back."""
        with self._lock:
            tables = list(self._tables)
        for table in tables:
            table.close()
        super().close()

    def close_at_exit(self, failed: bool) -> None:
        """See _exit. Whoever frees the last store of a node waits for the others; a program that failed does not."""
        if failed:
            self._handle = None
        self.close()

    def _give_back(self, handle: int) -> None:
        if self._local is not None:
            self._local = None  # goes with the last that has it
        else:
            _lib.call(lib.PSStoreFree, handle)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class _Local(Handle):
    """The store of a process without a cluster."""

    _free = "PSStoreFree"


class _Slot:
    """Where the store of one node is kept. `lock` is held while it is made, which may wait for other nodes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.store: Store | None = None

    def get(self, node: Node | None) -> Store:
        with self.lock:
            if self.store is None or self.store.closed:
                self.store = Store(node)
            return self.store

    def take(self) -> Store | None:
        with self.lock:
            store, self.store = self.store, None
            return store


_lock = threading.Lock()
_local: weakref.ref[_Local] | None = None
_of_process = _Slot()
_of_nodes: weakref.WeakKeyDictionary[Node, _Slot] = weakref.WeakKeyDictionary()


def _local_store() -> _Local:
    global _local
    with _lock:
        found = _local() if _local is not None else None
        if found is None:
            found = _Local(made(lib.PSStoreLocal, 1, 1, 0))
            _local = weakref.ref(found)
        return found


def has_cluster() -> bool:
    """Whether this thread works for a node of a cluster, or the process is to be one."""
    return runtime.bound_node() is not None or runtime.has_cluster() or runtime.is_started()


def default_store() -> Store:
    """The store of this thread's node, one for all who ask."""
    node = runtime.bound_node()
    return _slot_of(node).get(node)


def _slot_of(node: Node | None) -> _Slot:
    if node is None:
        return _of_process
    with _lock:
        return _of_nodes.setdefault(node, _Slot())


def close_default_store(node: Node | None, failed: bool) -> None:
    """Before the node ends."""
    store = _slot_of(node).take()
    if store is not None:
        store.close_at_exit(failed)


_exit.before_finalize(lambda: close_default_store(None, failed=False))
