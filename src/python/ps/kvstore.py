"""KVStore: parameter synchronisation by key, as MXNet's.

    store = ps.KVStore("dist_sync")
    store.init("weights", numpy.zeros(10, "float32"))
    store.push("weights", gradient)
    store.pull("weights", out=weights)
"""
from __future__ import annotations

import ctypes
from typing import Any, Sequence

from . import _exit, _lib, _types, arrays, runtime
from ._handle import number
from ._keys import Keys, handles_of, is_one, key_of, keys_of, pairs_of, row_ids_of
from ._kvstore_settings import KeyInfo, KVStoreSettings, Spec, Updater
from ._lib import lib
from .runtime import Node
from .tensor import Tensor, row_sparse_zeros, to_read, to_write
from .ticket import Ticket, issue

__all__ = ["KVStore", "KeyInfo", "Spec", "Updater", "create", "is_distributed"]


class KVStore(KVStoreSettings):
    """A store of keys: numbers of 64 bits, or texts; a store has one kind.

    Types, whatever their case:

    - local, device, nccl    this process alone; sums in the processor's memory, on a device, by NCCL
    - dist_sync (dist)       synchronous over the workers: a round ends when all have pushed a key
    - dist_async             each push is applied when it comes; needs an optimizer
    - dist_ssp:<bound>       as dist_async, but nobody reads what is over `bound` rounds behind
    - dist_device_sync, ...  the same with sums of a worker's devices on a device

    Calls take a key with an array, or lists of keys with lists of arrays; a list of arrays for one key is one per
    device: their sum is pushed, all are filled by a pull. Arrays are used where they lie. Those that read return when
    the arrays are filled; *_async return a Ticket, and the arrays stay as they are until it is done. What is pushed has
    been copied when the call returns. `priority`: higher first.

    They raise a `ps.Error` that names the key. One thread at a time per store.
    """

    def __init__(self, type: str = "local", *, name: str = "kv", node: Node | None = None, mean: bool = False,
                 bigarray_bound: int = 0, slice_bytes: int | None = None, timeout: float | None = None) -> None:
        """`name`: the name space of the keys, which stores of that name on all workers share; `node`: a worker of a
        LocalCluster, else that of the thread, or of the process, which is started where it is not; `mean`: synchronous
        stores average the workers' values; `bigarray_bound`: elements from which an array is spread over the servers
        (1,000,000); `slice_bytes`: arrays travel in pieces of so much (PS_SLICE_BYTES), 0: whole; `timeout`: seconds
        that calls may wait, instead of PS_REQUEST_TIMEOUT."""
        if not isinstance(type, str):
            raise TypeError("name must be a string")
        self._handle = None
        self._timeout = timeout
        slices = 0 if slice_bytes is None else slice_bytes or -1
        options = _types.filled(_types.KVStoreOptions, name=_types.text(name), node=runtime.handle_of(node),
                                mean=int(mean), bigarray_bound=bigarray_bound, slice_bytes=slices,
                                timeout_ms=0 if timeout is None else runtime.milliseconds(timeout))
        self._distributed = is_distributed(type)
        _lib.mark_started()
        handle = ctypes.c_void_p()
        _lib.call(lib.PSKVStoreCreate, _types.text(type), options, ctypes.byref(handle))
        super().__init__(handle.value)
        _exit.register(self)

    def init(self, key: Any, value: Any) -> None:
        """Makes keys with their first values: those of rank 0 count, all workers call it together. A row-sparse value
        (ps.row_sparse) makes a row-sparse key. Returns when the keys can be used."""
        self._transfer("PSKVStoreInit", *_to_read(key, value))

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sends values: they are added up over devices and workers, and then the optimizer, or without one the sum
        itself, makes the new values. Returns when they have been copied; what it fails with later is raised by the
        next barrier."""
        self.push_async(key, value, priority)

    def push_async(self, key: Any, value: Any, priority: int = 0) -> Ticket:
        """The same with a Ticket, which is done when all servers have it."""
        keys, tensors = _to_read(key, value)
        return issue(getattr(lib, "PSKVStorePush" + keys.suffix), self._ready, len(keys), keys.carray,
                     handles_of(tensors), _types.int32(priority, "priority"))

    def pull(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> Any:
        """Reads values into `out`, of the key's shape and any type, and returns it; without one into a new array.
        Row-sparse outs are left alone with `ignore_sparse`."""
        return self._wait(self.pull_async(key, out, priority, ignore_sparse))

    def pull_async(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> Ticket:
        """The same with a Ticket, whose `wait` returns `out`."""
        out = self._new(key) if out is None else out
        keys, tensors = _to_write(key, out)
        return issue(getattr(lib, "PSKVStorePullEx" + keys.suffix), self._ready, len(keys), keys.carray,
                     handles_of(tensors), _types.int32(priority, "priority"), int(ignore_sparse), keep=tensors,
                     result=out)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> Any:
        """A push and the pull of its result, in one message. Returns `out`; without one `value`, which is
        overwritten."""
        return self._wait(self.pushpull_async(key, value, out, priority))

    def pushpull_async(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> Ticket:
        """The same with a Ticket."""
        if out is None:
            keys, tensors = _to_write(key, value, "value")
            out_keys, outs = keys, tensors
        else:
            keys, tensors = _to_read(key, value)
            out_keys, outs = _to_write(key, out)
        return issue(getattr(lib, "PSKVStorePushPull" + keys.suffix), self._ready, len(keys), keys.carray,
                     len(out_keys), out_keys.carray, handles_of(tensors), handles_of(outs),
                     _types.int32(priority, "priority"), keep=[*tensors, *outs], result=value if out is None else out)

    def broadcast(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> Any:
        """`init`, and a pull into `out`: rank 0's values everywhere. Returns `out`; without one new arrays."""
        keys, tensors = _to_read(key, value)
        if out is None:
            new = [arrays.empty(tensor.shape, tensor.dtype) for tensor in tensors]
            out = new[0] if is_one(key) else new
        out_keys, outs = _to_write(key, out)
        self._call("PSKVStoreBroadcast" + keys.suffix, len(keys), keys.carray, len(out_keys), out_keys.carray,
                   handles_of(tensors), handles_of(outs), _types.int32(priority, "priority"), keep=(tensors, outs))
        return out

    def row_sparse_pull(self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None) -> Any:
        """Reads the rows `row_ids` (integers, any shape, any order; an array, or a list of one per out) of row-sparse
        keys. Returns `out`: row-sparse ps.Tensors, which are then of exactly these rows; without one new ones."""
        return self._wait(self.row_sparse_pull_async(key, out, priority, row_ids))

    def row_sparse_pull_async(self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None) -> Ticket:
        """The same with a Ticket."""
        if row_ids is None:
            raise TypeError("row_ids should be NDArray or list of NDArray")
        if out is None:
            infos = [self.key_info(one) for one in keys_of(key).listed]
            new = [row_sparse_zeros(info.shape, info.dtype) for info in infos]
            out = new[0] if is_one(key) else new
        keys, outs, _ = pairs_of(key, out, "outs")
        tensors = [to_write(one) for one in outs]
        ids = [to_read(one, "row_ids") for one in row_ids_of(row_ids, len(keys))]
        return issue(getattr(lib, "PSKVStorePullRows" + keys.suffix), self._ready, len(keys), keys.carray,
                     handles_of(tensors), handles_of(ids), _types.int32(priority, "priority"), keep=[*tensors, *ids],
                     result=out)

    def set(self, key: Any, value: Any) -> None:
        """Writes values as they are, whatever the optimizer; by one worker. Returns when they are there."""
        self._wait(self.set_async(key, value))

    def set_async(self, key: Any, value: Any) -> Ticket:
        """The same with a Ticket."""
        keys, tensors = _to_read(key, value)
        return issue(getattr(lib, "PSKVStoreSet" + keys.suffix), self._ready, len(keys), keys.carray,
                     handles_of(tensors), keep=tensors)

    # --- life ---

    def close(self) -> None:
        """Ends the use of the store; the last one of a node that it has started finalizes the node, which waits for the
        others. Happens at the end of a `with`, with the last reference, and at the end of the process."""
        handle, self._handle = self._handle, None
        if handle is not None and not _lib.is_forked():
            _lib.forget(handle)
            _lib.call(lib.PSKVStoreFree, handle)
        self._updater = None

    def close_at_exit(self, failed: bool) -> None:
        """A failed program waits for nobody."""
        if failed and self._distributed:
            self._handle = None
        self.close()

    def __repr__(self) -> str:
        return "<ps.KVStore closed>" if self.closed else f"<ps.KVStore {self.type} worker {self.rank}>"

    def _transfer(self, name: str, keys: Keys, tensors: Sequence[Tensor]) -> None:
        self._call(name + keys.suffix, len(keys), keys.carray, handles_of(tensors), keep=tensors)

    def _wait(self, ticket: Ticket) -> Any:
        return ticket.wait(self._timeout)

    def _new(self, key: Any) -> Any:
        infos = [self.key_info(key_of(one)) for one in ([key] if is_one(key) else key)]
        made_arrays = [arrays.empty(info.shape, info.dtype) for info in infos]
        return made_arrays[0] if is_one(key) else made_arrays


def _to_read(key: Any, value: Any) -> tuple[Keys, list[Tensor]]:
    keys, values, devices = pairs_of(key, value)
    return keys, [to_read(one, f"value of key {which}", cpu=device)
                  for which, one, device in zip(keys.listed, values, devices)]


def _to_write(key: Any, out: Any, name: str = "out") -> tuple[Keys, list[Tensor]]:
    keys, outs, devices = pairs_of(key, out, name + "s")
    return keys, [to_write(one, f"{name} of key {which}", cpu=device)
                  for which, one, device in zip(keys.listed, outs, devices)]


def create(name: str = "local", **options: Any) -> KVStore:
    """`ps.kv.create`: KVStore(name, ...)."""
    return KVStore(name, **options)


def is_distributed(type: str) -> bool:
    """Whether stores of a type have servers, so that the program runs in roles. InvalidArgumentError: no such type."""
    return bool(number(lib.PSKVStoreIsDistributed, _types.text(type)))
