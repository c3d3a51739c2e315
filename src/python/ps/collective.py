"""Collectives: what all workers of a job do together, without servers.

All workers call the same operations in the same order, or, those with a name, in any order by that name. Before values
are combined it is checked that all mean the same: InvalidArgumentError on every worker names two of them and what each
has called. UnavailableError names one that is lost, DeadlineExceededError, after PS_BARRIER_TIMEOUT, one that does not
come. What the arrays hold then is not said. Results have the same bits on all workers.

Arrays: NumPy's, buffers, or of a device (`__cuda_array_interface__`, DLPack), in one piece. Where there is no cluster
the process is alone: a group of one.
"""
from __future__ import annotations

from typing import Any, Callable

from . import _lib, _types, arrays, runtime, tensor
from ._handle import made, number
from ._lib import lib
from .errors import InvalidArgumentError
from .runtime import Node
from .store import has_cluster
from .ticket import Ticket, issue

_OPS = {"sum": 0, "prod": 1, "min": 2, "max": 3}  # PSReduceOp


def rank(node: Node | None = None) -> int:
    """This worker's rank among those that take part."""
    return 0 if _is_alone(node) else number(lib.PSCollectiveGetRank, runtime.handle_of(node))


def size(node: Node | None = None) -> int:
    """How many workers take part."""
    return 1 if _is_alone(node) else number(lib.PSCollectiveGetSize, runtime.handle_of(node))


def allreduce(array: Any, op: str = "sum", *, node: Node | None = None) -> Any:
    """Every worker gets the `sum`, `prod`, `min` or `max` of all workers' arrays, element by element, in place. Returns
    `array`."""
    code, values = _op(op), tensor.to_write(array, "array")
    _call(node, lambda group: lib.PSAllreduce(group, values.handle, code))
    return array


def allreduce_async(array: Any, name: str, op: str = "sum", *, node: Node | None = None) -> Ticket:
    """The same without waiting: matched by `name`, so that workers may begin several in different orders. The array
    is the operation's until the ticket is done, whose `wait()` returns it. AlreadyExistsError while the name is under
    way here."""
    code, values = _op(op), tensor.to_write(array, "array")
    if _is_alone(node):
        return Ticket(made(lib.PSRequestAll, 0, None), result=array)  # of no requests: it is done
    return issue(lib.PSAllreduceNamed, runtime.handle_of(node), values.handle, code, _types.text(name), keep=(values,),
                 result=array)


def broadcast(array: Any, root: int = 0, *, node: Node | None = None) -> Any:
    """Every worker gets the array of the one of rank `root`, in place. Returns `array`."""
    values = tensor.to_write(array, "array")
    if root != 0 and _is_alone(node):
        raise InvalidArgumentError(f"broadcast: there is no worker {root}, this process is alone")
    _call(node, lambda group: lib.PSBroadcast(group, values.handle, root))
    return array


def reduce_scatter(array: Any, op: str = "sum", out: Any = None, *, node: Node | None = None) -> Any:
    """Worker r of P gets elements [r n / P, (r + 1) n / P) of the reduction of all workers' arrays of n elements: in
    `out`, where that is given, else in a new flat array. Returns it; `array` stays as it is."""
    code, view = _op(op), arrays.reading(array, "array")
    if out is None:
        own, all_of_them = rank(node), size(node)
        count = (own + 1) * view.size // all_of_them - own * view.size // all_of_them
        out = arrays.empty((count,), view.dtype)
    values, part = tensor.of_view(view), tensor.to_write(out)
    _call(node, lambda group: lib.PSReduceScatter(group, values.handle, part.handle, code),
          lambda: _copy(view, part))
    return out


def allgather(part: Any, out: Any = None, *, node: Node | None = None) -> Any:
    """Every worker gets the parts of all, one after the other: a new array [number of workers, *part.shape], or `out`,
    of n elements, of which worker r gives [r n / P, (r + 1) n / P). Returns it."""
    view = arrays.reading(part, "part")
    if out is None:
        out = arrays.empty((size(node), *view.shape), view.dtype)
    values, whole = tensor.of_view(view), tensor.to_write(out)
    _call(node, lambda group: lib.PSAllgather(group, values.handle, whole.handle), lambda: _copy(view, whole))
    return out


def barrier(*, node: Node | None = None) -> None:
    """Returns when all workers have called it."""
    _call(node, lib.PSCollectiveBarrier)


def _op(name: str) -> int:
    if name not in _OPS:
        raise InvalidArgumentError(f"op={name!r}: there are " + ", ".join(_OPS))
    return _OPS[name]


def _is_alone(node: Node | None) -> bool:
    if node is None and not has_cluster():
        return True
    if runtime.handle_of(node) is None and not runtime.is_started():
        runtime.start()  # and so it is finalized, too
    return False


def _call(node: Node | None, operation: Callable[[int | None], Any], alone: Callable[[], Any] | None = None) -> None:
    """Does it together with the others, or what it means where there are none. The arrays are kept by `operation`, also
    where Ctrl-C ends the wait for it."""
    if not _is_alone(node):
        _lib.call(operation, runtime.handle_of(node))
    elif alone is not None:
        alone()


def _copy(view: arrays.View, to: tensor.Tensor) -> None:
    if view.device_kind != 1:
        raise InvalidArgumentError("a process by itself gathers arrays of the processor's memory only")
    lib.PSTensorCopyFrom(to.handle, view.pointer, view.nbytes)
