"""Shared values: each worker changes its own, and now and then all changes come together.

    weights = ps.shared(numpy.zeros(1000, "float32"))
    weights.value[:] -= gradient        # this worker's own, as often as it likes
    weights.sync()                      # adds what has changed here, and gets what has changed everywhere

As Multiverso's shared variables and parameter managers (`mv_sync`): what a sync adds is the difference to what the last
one has got. So values are sums of everybody's changes, and never those of one worker alone.
"""
from __future__ import annotations

from typing import Any, Iterator

from . import dtypes
from .store import Store, default_store
from .table import ArrayTable


class Shared:
    """Made by `ps.shared`. One thread at a time.

    `value` is what was handed in, with its arrays changed in place by `sync()`; a number is replaced (`value` again).
    """

    def __init__(self, value: Any, name: str | None = None, mode: str | None = None,
                 store: Store | None = None) -> None:
        """As `ps.shared`."""
        import numpy as np  # arithmetic on whole arrays needs it
        self._np = np
        self.value = value
        store = default_store() if store is None else store
        self.name = store.next_name("shared") if name is None else name
        self._is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        self._number: Any = np.array([value]) if self._is_number else None
        leaves = [self._number] if self._is_number else list(_arrays_of(value, np, "value"))
        by_type: dict[str, list[Any]] = {}
        for leaf in leaves:
            if leaf.size:
                by_type.setdefault(str(leaf.dtype), []).append(leaf)
        self._groups = [_Group(np, f"{self.name}/{dtype}", by_type[dtype], mode, store) for dtype in sorted(by_type)]
        # The first worker's value is everybody's. All of them add, so that rounds (bsp) are complete.
        for group in self._groups:
            group.begin(is_first=store.rank == 0)
        store.barrier()
        self.pull()
        store.barrier()  # nobody begins with what another one has changed already

    def sync(self) -> Any:
        """Adds what has changed here since the last time, and takes what all have made of it. Returns `value`."""
        if self._number is not None:
            self._number[0] = self.value
        for group in self._groups:
            group.push()
        return self.pull()

    def pull(self) -> Any:
        """Takes what all have made of it; what has changed here since the last `sync` is lost. Returns `value`."""
        for group in self._groups:
            group.pull()
        if self._number is not None:
            self.value = self._number[0].item()
        return self.value

    def close(self) -> None:
        """Gives back its tables."""
        for group in self._groups:
            group.table.close()

    def __enter__(self) -> "Shared":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def shared(value: Any, name: str | None = None, *, mode: str | None = None, store: Store | None = None) -> Shared:
    """Shares `value` with all workers: a NumPy array, a number, or a whole model, a dict, list or tuple of arrays
    (nested as you like). All workers share the one of the first worker to begin with.

    All workers call it in the same order, or with a `name` of its own, with arrays of the same sizes and types. `mode`:
    as of tables: `asp` (default); with `bsp` all workers `sync` equally often, and wait for each other. Returns when
    all workers are there; raises a `ps.Error` that says who is missing, or what differs. ValueError: an array can not
    be written, or lies twice in it.
    """
    return Shared(value, name, mode, store)


class _Group:
    """All arrays of one type of elements, one after the other in one table."""

    def __init__(self, np: Any, name: str, leaves: list[Any], mode: str | None, store: Store) -> None:
        self._np = np
        self._leaves = leaves
        size = sum(leaf.size for leaf in leaves)
        self.table = ArrayTable(size, name=name, dtype=dtypes.of(leaves[0].dtype), mode=mode, store=store)
        self._seen: Any = None  # what was got last, and what was added since

    def begin(self, is_first: bool) -> None:
        values = self._gathered()
        self.table.add(values if is_first else self._np.zeros_like(values))

    def push(self) -> None:
        # What is under way counts, also where the wait, or the pull after it, fails: nothing is added twice.
        values = self._gathered()
        ticket = self.table.add_async(values - self._seen, borrow=True)
        self._seen = values
        ticket.wait()

    def pull(self) -> None:
        self._seen = self.table.get()
        begin = 0
        for leaf in self._leaves:
            leaf[...] = self._seen[begin:begin + leaf.size].reshape(leaf.shape)
            begin += leaf.size

    def _gathered(self) -> Any:
        return self._np.concatenate([leaf.reshape(-1) for leaf in self._leaves])


def _arrays_of(value: Any, np: Any, path: str, seen: set[int] | None = None) -> Iterator[Any]:
    """The arrays in it, in an order that is the same for all workers."""
    seen = set() if seen is None else seen
    if isinstance(value, np.ndarray):
        if not value.flags.writeable:
            raise ValueError(f"{path} is read-only: it can not be shared")
        if id(value) in seen:
            raise ValueError(f"{path} is an array that was there before")
        seen.add(id(value))
        yield value
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from _arrays_of(value[key], np, f"{path}[{key!r}]", seen)
    elif isinstance(value, (list, tuple)):
        for place, one in enumerate(value):
            yield from _arrays_of(one, np, f"{path}[{place}]", seen)
    else:
        raise TypeError(f"{path} is no NumPy array, but {type(value).__name__} ({value!r:.60}); numbers and lists of "
                        "numbers can not change in place")
