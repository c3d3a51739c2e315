"""The node of this process: its settings, its role, its life.

Most programs need only `ps.init()`, and not even that: stores start the node themselves. Functions without a `node`
mean the one of the LocalCluster that the thread works for, where there is one, else that of the process.
"""
from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any

from . import _exit, _lib, _types, errors
from ._handle import Handle, number
from ._lib import lib

ROLES = ("server", "worker", "scheduler", "joint")  # by PSRole
GROUPS = {"scheduler": 1, "servers": 2, "workers": 4, "all": 7}  # of barriers
# Keyword arguments of init with a name of their own.
_SETTINGS = {"role": "DMLC_ROLE", "num_servers": "DMLC_NUM_SERVER", "num_workers": "DMLC_NUM_WORKER",
             "rank": "DMLC_RANK"}

_bound = threading.local()


class Node(Handle):
    """A worker of a LocalCluster. `with node:` binds it to the thread: stores and functions mean it from then on."""

    _free = "PSNodeFree"

    def __init__(self, handle: int) -> None:
        super().__init__(handle)
        self._before: list[Node | None] = []

    def bind(self) -> None:
        """The thread works for this node until `bind_thread(None)`."""
        bind_thread(self)

    def __enter__(self) -> Node:
        self._before.append(bound_node())
        bind_thread(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        bind_thread(self._before.pop())

    @property
    def rank(self) -> int:
        return rank(self)

    @property
    def num_workers(self) -> int:
        return num_workers(self)

    @property
    def num_servers(self) -> int:
        return num_servers(self)

    def barrier(self, group: str | int = "workers", timeout: float | None = None) -> None:
        """As ps.barrier."""
        barrier(group, timeout, self)

    def finalize(self, wait: bool = True) -> None:
        """As ps.finalize, of this node."""
        _lib.call(lib.PSFinalize, self.handle, int(wait))


def bound_node() -> Node | None:
    """The node that the thread works for; None: that of the process."""
    return getattr(_bound, "node", None)


def bind_thread(node: Node | None) -> None:
    """Binds a node to the calling thread, in place of the one before; None binds none."""
    lib.PSBindThread(None if node is None else node.handle)
    _bound.node = node


def handle_of(node: Node | None = None) -> int | None:
    """For calls: of this node, else of the thread's; None: the process'. The same on whatever thread it is used."""
    meant = node if node is not None else bound_node()
    return None if meant is None else meant.handle


def milliseconds(seconds: float | None) -> int:
    """A time-out for C; None: -1, the default of the call."""
    if seconds is None:
        return -1
    if not seconds >= 0:
        raise ValueError(f"a time-out of {seconds} s: at least 0")
    return int(min(seconds * 1000, 2**62))


def set_settings(settings: dict[str, str]) -> None:
    """Settings of the node of this process, by the names of the variables: they win over the environment, in place of
    those set before. Before the node starts."""
    names, values = list(settings), [str(value) for value in settings.values()]
    lib.PSSetEnv(len(names), _types.texts(names), _types.texts(values))
    _settings.clear()
    _settings.update(settings)


_settings: dict[str, str] = {}


def settings() -> dict[str, str]:
    """What was set."""
    return dict(_settings)


def setting(name: str) -> str | None:
    """As the node reads it: what was set, else the environment."""
    return _settings.get(name, os.environ.get(name))


def has_cluster() -> bool:
    """Whether this process is told of a cluster; what is missing then is said when it starts."""
    return bool(setting("DMLC_ROLE") or setting("DMLC_PS_ROOT_URI"))


def init(*, scheduler: str | None = None, **settings: Any) -> None:
    """Joins the cluster that the environment (DMLC_ROLE, DMLC_PS_ROOT_URI, ...) and these arguments describe, and
    returns when all nodes have. Without a cluster it does nothing: there is this process alone.

    `scheduler`: its address, `host:port`; `role`, `rank`, `num_servers`, `num_workers`; further arguments by the names
    of their variables, as PS_START_TIMEOUT=30. A scheduler or server serves here until the job ends, and then exits the
    interpreter, as `import ps` does.
    """
    if scheduler is not None:
        host, separator, port = scheduler.rpartition(":")
        if not separator or not port.isdigit():
            raise ValueError(f"scheduler='{scheduler}' is not host:port")
        settings["DMLC_PS_ROOT_URI"], settings["DMLC_PS_ROOT_PORT"] = host.strip("[]"), port
    unknown = [name for name in settings if name not in _SETTINGS and not name.startswith(("PS_", "DMLC_", "MXNET_"))]
    if unknown:
        raise TypeError(f"init() has no argument '{unknown[0]}': there are scheduler, {', '.join(_SETTINGS)}, and the "
                        "names of variables")
    if settings:
        set_settings({_SETTINGS.get(name, name): str(value) for name, value in settings.items()})
    from . import server
    server.serve_if_asked()
    if bound_node() is None and has_cluster() and not is_started():
        start()


def start(program: str = "") -> None:
    """Joins the cluster, and returns when all nodes have (PS_START_TIMEOUT). `program`: a name for logs."""
    global _is_ours
    _lib.mark_started()
    _exit.hear_of_the_end()
    _lib.call(lib.PSStart, handle_of(), _types.text(program))
    if bound_node() is None:
        _is_ours = True


_is_ours = False  # the node of the process was started here, and is finalized at the end


def is_started() -> bool:
    return bool(number(lib.PSIsStarted, handle_of()))


def finalize(wait: bool = True) -> None:
    """Leaves the cluster: waits for what is under way, and with `wait` for all other nodes. Happens by itself at the
    end of the process; a program that fails by sys.exit(1) calls `ps.finalize(wait=False)` before, so as to wait for
    nobody."""
    global _is_ours
    if bound_node() is None:
        _exit.run_before_finalize()
        if not is_started():
            return
        _is_ours = False
    _lib.call(lib.PSFinalize, handle_of(), int(wait))


def _finalize_ours() -> None:
    if _is_ours and is_started():
        finalize()


_exit.last(_finalize_ours)


def role(node: Node | None = None) -> str:
    """`worker`, `server`, `scheduler` or `joint` (a server and a worker). Without a cluster: worker."""
    if node is None and bound_node() is None:
        if setting("DMLC_ROLE") == "joint":  # of a process, and none that a node may have
            return "joint"
        return ROLES[number(lib.PSGetRole)]
    return ROLES[number(lib.PSNodeGetRole, handle_of(node))]


def rank(node: Node | None = None) -> int:
    """Within the role, from 0 on; 0 where there is no cluster."""
    return _of_cluster(lib.PSMyRank, node, 0)


def num_workers(node: Node | None = None) -> int:
    """Of the cluster; 1 where there is none."""
    return _of_cluster(lib.PSNumWorkers, node, 1)


def num_servers(node: Node | None = None) -> int:
    """Of the cluster; 0 where there is none."""
    return _of_cluster(lib.PSNumServers, node, 0)


def _of_cluster(function: Any, node: Node | None, alone: int) -> int:
    handle = handle_of(node)
    if handle is None and not is_started():
        if not has_cluster():
            return alone
        if function is lib.PSMyRank:
            raise errors.FailedPreconditionError("the rank is known when the node has joined the cluster: ps.init()")
    return number(function, handle)


def barrier(group: str | int = "workers", timeout: float | None = None, node: Node | None = None) -> None:
    """Meets all nodes of a group of which this is one: `workers`, `servers`, `scheduler`, `all`, or a sum of 4, 2, 1.
    `timeout` in seconds; None: PS_BARRIER_TIMEOUT. DeadlineExceededError says who is missing."""
    mask = _mask_of(group)
    handle = handle_of(node)
    if handle is None and not is_started() and not has_cluster():
        return
    _lib.call(lib.PSBarrier, handle, mask, milliseconds(timeout))


def num_dead_nodes(group: str | int = "all", timeout: int = 60) -> int:
    """How many nodes of a group (or whether the node of this id) have not been heard from for `timeout` seconds."""
    return number(lib.PSGetNumDeadNodes, handle_of(), _mask_of(group), timeout)


def _mask_of(group: str | int) -> int:
    mask = group if isinstance(group, int) else GROUPS.get(group)
    if mask is None:
        raise ValueError(f"no group '{group}': there are {', '.join(GROUPS)}")
    return mask
