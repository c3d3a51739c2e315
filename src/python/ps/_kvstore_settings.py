"""What becomes of pushed values, what is known of keys, checkpoints, and the other workers: the part of KVStore that
moves no values."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Mapping, NamedTuple, Protocol, Sequence

from . import _lib, _types, arrays, dtypes
from ._callback import guarded
from ._handle import Handle, number
from ._keys import Keys, key_of, keys_of
from ._lib import lib
from .dtypes import DType
from .runtime import milliseconds
from .tensor import Tensor

Updater = Callable[[Any, Any, Any], Any]


class Spec(Protocol):
    """A typed optimizer, as of ps.optimizer."""

    @property
    def text(self) -> str:
        """`adam lr=0.001`."""


class KeyInfo(NamedTuple):
    """What is known of a key. `mode`: bsp, ssp:<bound>, asp; `servers`: ranks of those that have a part."""

    shape: tuple[int, ...]
    dtype: DType
    row_sparse: bool
    mode: str
    servers: tuple[int, ...]


class KVStoreSettings(Handle):
    """A store of keys, without the transfers. See KVStore."""

    _free = "PSKVStoreFree"
    _close_waits = True
    _updater: Any = None  # the callbacks, as long as C may call them

    @property
    def _ready(self) -> int:
        """The handle, when a call that was interrupted has ended: one is made at a time."""
        _lib.finish(self.handle)
        return self.handle

    def _call(self, name: str, *arguments: Any, keep: Any = None) -> None:
        _lib.call(getattr(lib, name), self._ready, *arguments, keep=keep)

    @property
    def type(self) -> str:
        """As it was asked for, in lower case."""
        text = ctypes.c_char_p()
        lib.PSKVStoreGetType(self.handle, ctypes.byref(text))
        return (text.value or b"").decode()

    @property
    def rank(self) -> int:
        """Of this worker; 0 where there is one process."""
        return number(lib.PSKVStoreGetRank, self.handle)

    @property
    def num_workers(self) -> int:
        return number(lib.PSKVStoreGetNumWorkers, self.handle)

    OPTIMIZER = "optimizer"

    def is_capable(self, capability: str) -> bool:
        """Known: `optimizer`. InvalidArgumentError (a ValueError) for others."""
        return bool(number(lib.PSKVStoreIsCapable, self.handle, _types.text(capability)))

    # --- keys ---

    def has(self, key: int | str) -> bool:
        """Whether there is such a key."""
        made = Keys([key_of(key)])
        return bool(number(_lib.call, getattr(lib, "PSKVStoreHas" + made.suffix), self._ready, _one(made)))

    def key_info(self, key: int | str) -> KeyInfo:
        """NotFoundError where there is no such key."""
        made = Keys([key_of(key)])
        info = _types.filled(_types.KVKeyInfo)
        getattr(lib, "PSKVStoreKeyInfo" + made.suffix)(self._ready, _one(made), info)
        return KeyInfo(tuple(info.shape[i] for i in range(info.ndim)), dtypes.from_code(info.dtype),
                       bool(info.row_sparse), (info.mode or b"").decode(),
                       tuple(info.servers[i] for i in range(info.num_servers)))

    def erase(self, key: Any) -> None:
        """Forgets keys, which may be made anew then; all workers call it together."""
        made = keys_of(key)
        self._call("PSKVStoreErase" + made.suffix, len(made), made.carray)

    # --- what becomes of pushed values ---

    def set_optimizer(self, optimizer: Spec | str) -> None:
        """The rule for all keys, also later ones: `ps.optimizer.Adam(...)`, or text, `adam lr=0.001`. Distributed, the
        servers compute it; any worker may say it, and saying the same again changes nothing."""
        self._call("PSKVStoreSetOptimizer", _types.text(optimizer if isinstance(optimizer, str) else optimizer.text))

    def set_hyper(self, keys: Any = None, from_round: int = 0, **options: Any) -> None:
        """Options of the rule, as `set_hyper(lr=0.01)`, `lr_mult`, `wd_mult`; for all keys, or these. `from_round`: the
        round from which they hold; 0: at once."""
        made = Keys([]) if keys is None else keys_of(keys)
        names, values = named(options)
        self._call("PSKVStoreSetHyper" + made.suffix, len(options), names, values, _types.round_number(from_round),
                   len(made), made.carray)

    def set_updater(self, updater: Updater) -> None:
        """Stores of this process: `updater(key, received, stored)` changes `stored` in place, on the thread that
        pushes. Both are arrays (NumPy's where there is NumPy); on a device, and row-sparse, ps.Tensors. They are valid
        during the call alone, and `received`, which may be the pushed array itself, is only read. What it raises is
        raised by the push."""
        updaters = (_types.KVStoreUpdater(_Updates(updater)), _types.KVStoreStrUpdater(_Updates(updater)))
        lib.PSKVStoreSetUpdaterEx(self._ready, *updaters, None)
        self._updater = updaters

    _set_updater = set_updater

    def set_gradient_compression(self, compression_params: Mapping[str, Any]) -> None:
        """`type`: 2bit or 1bit (and further codecs), `threshold` (0.5). Before keys are made; `device` and distributed
        stores."""
        if not isinstance(compression_params, Mapping):
            raise TypeError(f"unexpected type for param_dict: {type(compression_params)}")
        self._call("PSKVStoreSetCompression", len(compression_params), *named(compression_params))

    # --- files ---

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Writes the optimizer with its states below `fname`; distributed, by one worker. The optimizer is always
        there, so `dump_optimizer` makes no difference."""
        del dump_optimizer
        self._call("PSKVStoreSaveOptimizerStates", _types.text(fname))

    def load_optimizer_states(self, fname: str, load_optimizer: bool = False) -> None:
        """Takes states for the optimizer that is set, which must be the one that was saved, or with `load_optimizer`
        that one too. All workers together. Values stay."""
        self._call("PSKVStoreLoadOptimizerStates", _types.text(fname), int(load_optimizer))

    def checkpoint(self, uri: str) -> None:
        """Writes values and states of all keys below `uri`; distributed, by one worker."""
        self._call("PSKVStoreCheckpoint", _types.text(uri))

    def restore(self, uri: str) -> None:
        """Takes a checkpoint into keys that have been made. All workers together."""
        self._call("PSKVStoreRestore", _types.text(uri))

    # --- the others ---

    def barrier(self, timeout: float | None = None) -> None:
        """Meets the other workers, when all that this one has pushed has come; raises what a push has failed with.
        `timeout` in seconds; None: PS_BARRIER_TIMEOUT."""
        self._call("PSKVStoreBarrier", milliseconds(timeout), 0)

    _barrier = barrier

    def set_barrier_before_exit(self, barrier_before_exit: bool = True) -> None:
        """Whether the last store of a node waits for the other nodes (it does)."""
        lib.PSKVStoreSetBarrierBeforeExit(self.handle, int(barrier_before_exit))

    def num_dead_node(self, node_id: int = 7, timeout: int = 60) -> int:
        """Nodes of a group (1 scheduler, 2 servers, 4 workers, or a sum; or a node's id) that have not been heard from
        for `timeout` seconds."""
        return number(lib.PSKVStoreGetNumDeadNode, self.handle, _types.int32(node_id, "node_id"),
                      _types.int32(timeout, "timeout"))

    def send_command_to_servers(self, head: int, body: str) -> None:
        """Returns when all servers have answered (run_server's controller). NotFoundError: one does not know it."""
        self._call("PSKVStoreSendCommand", _types.int32(head, "head"), _types.text(body))

    _send_command_to_servers = send_command_to_servers

    def leave(self) -> None:
        """This worker pushes no more: rounds are made without it."""
        self._call("PSKVStoreLeave")


def named(options: Mapping[str, Any]) -> tuple[Any, Any]:
    """Names and values, as C takes them."""
    return _types.texts(list(options)), _types.texts([value_text(value) for value in options.values()])


def value_text(value: Any) -> str:
    """An option as text: 0.1, 1 for True, `1,2` for a list."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (list, tuple)):
        return ",".join(value_text(one) for one in value)
    if isinstance(value, str) or hasattr(value, "__index__"):
        return str(value)
    return repr(float(value))


def _one(keys: Keys) -> Any:
    return keys.carray[0]


class _Updates:
    """Holds the function alone: not the store, which would never be freed then."""

    def __init__(self, function: Updater) -> None:
        self._function = function

    def __call__(self, key: int | bytes, received: int, stored: int, _context: Any) -> int:
        return guarded(self._update, key, Tensor(received), Tensor(stored))

    def _update(self, key: int | bytes, received: Tensor, stored: Tensor) -> None:
        said: Sequence[Any] = [_shown(received, True), _shown(stored, False)]
        self._function(key.decode() if isinstance(key, bytes) else key, *said)


def _shown(tensor: Tensor, readonly: bool) -> Any:
    numpy = arrays.numpy_or_none()
    if tensor.row_sparse or tensor.device != "cpu" or tensor.dtype is dtypes.bfloat16:
        return tensor
    if numpy is not None:
        array = numpy.asarray(tensor)
        if readonly:
            array.flags.writeable = False
        return array
    view = arrays.reading(tensor)
    array = arrays.around(view.pointer, view.size, view.dtype)
    return array.toreadonly() if readonly else array
