"""LocalCluster: a whole cluster in this process, to test, to debug, and for notebooks."""
from __future__ import annotations

import ctypes as c
from types import TracebackType
from typing import Any, Callable, Mapping, TypeVar

from . import _exit, _lib, _types
from ._handle import Handle, made
from ._lib import lib
from ._threads import run_all
from .errors import FailedPreconditionError
from .runtime import Node
from .server import Controller, callback_of
from .store import close_default_store

T = TypeVar("T")


class LocalCluster(Handle):
    """A scheduler, servers that serve, and workers, all in this process.

    >>> with ps.LocalCluster(servers=2, workers=2) as cluster:
    ...     def work(rank):
    ...         counts = ps.ArrayTable(3, name="counts")
    ...         counts.add([1, 2, 3])
    ...         counts.store.barrier()
    ...         return counts.get()
    ...     both = cluster.run(work)

    Inside the `with` block this thread is worker 0: tables, stores and functions mean it. `settings`: of the nodes, by
    the names of the variables (PS_REQUEST_TIMEOUT, ...); the environment is not looked at. Returns when all nodes are
    there. `controller(head, body)` answers commands of the workers (KVStore.send_command_to_servers), see
    ps.run_server. The block's end waits until all workers have ended their work; left by an exception it ends at once,
    whoever still waits. Any thread, but for `close()`: none that is in `run`.
    """

    _free = "PSLocalClusterFree"
    _close_waits = True

    def __init__(self, servers: int = 1, workers: int = 1, settings: Mapping[str, Any] | None = None, *,
                 controller: Controller | None = None) -> None:
        self._nodes: list[Node] = []
        self._has_ended = False
        given = dict(settings or {})
        names, values = _types.texts(list(given)), _types.texts([str(value) for value in given.values()])
        options = _types.filled(_types.LocalClusterOptions, servers=servers, workers=workers, num_settings=len(given),
                                names=names, values=values, controller=callback_of(controller))
        _lib.mark_started()
        handle = c.c_void_p()
        _lib.call(lib.PSLocalClusterCreate, c.byref(options), c.byref(handle))
        super().__init__(handle.value)
        self.num_servers = servers
        self.num_workers = workers
        self._nodes = [Node(made(lib.PSLocalClusterWorker, self.handle, rank)) for rank in range(workers)]
        _exit.register(self)

    def worker(self, rank: int) -> Node:
        """A worker's node: `with cluster.worker(1):` binds it to a thread."""
        if not 0 <= rank < self.num_workers:
            raise ValueError(f"worker {rank} of {self.num_workers}")
        return self._nodes[rank]

    def run(self, function: Callable[[int], T]) -> list[T]:
        """Calls `function(rank)` for each worker, on a thread that works for it, and returns the results by rank.

        If one raises, and after Ctrl-C, the whole cluster is ended, so that nobody waits for who does not come; the
        error that came first is raised when all threads have ended.
        """
        if self._has_ended:
            raise FailedPreconditionError("this LocalCluster has ended")

        def work(rank: int) -> T:
            with self._nodes[rank]:
                return function(rank)

        return run_all(work, range(self.num_workers), self.abort)

    def abort(self) -> None:
        """Ends all nodes at once: whoever waits gets an error."""
        self._has_ended = True
        if not self.closed:
            lib.PSLocalClusterClose(self.handle, 0)

    def close(self) -> None:
        """Ends all nodes, when their work is done: waits for what is under way. Idempotent."""
        self._close(failed=False)

    def close_at_exit(self, failed: bool) -> None:
        """See _exit: nobody is there any more who could do the rest."""
        self._close(failed=True)

    def _close(self, failed: bool) -> None:
        if self.closed:
            return
        try:
            if failed:
                self.abort()
            for node in self._nodes:
                close_default_store(node, failed=False)
            if not self._has_ended:
                self._has_ended = True
                _lib.call(lib.PSLocalClusterClose, self.handle, 1)
        finally:
            for node in self._nodes:
                node.close()
            super().close()

    def __enter__(self) -> LocalCluster:
        self._nodes[0].__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._nodes[0].__exit__(kind, raised, trace)
        self._close(failed=raised is not None)

    def __repr__(self) -> str:
        state = " closed" if self.closed else ""
        return f"<ps.LocalCluster{state} of {self.num_servers} servers and {self.num_workers} workers>"
