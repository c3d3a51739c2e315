"""SharedModel: the devices of a process share arrays by key, a round at a time.

    with ps.SharedModel("local", devices=[0, 1], updater="sgd lr=0.5", update_on_server=1) as model:
        def train(device):
            model.init_key(0, (2, 3), device)
            device.push(gradient, 0)
            device.pull(weight, 0).wait()
        model.run(train)
"""
from __future__ import annotations

import collections
import ctypes as c
from typing import Any, Callable, Sequence

from . import _exit, _lib, _types, dtypes, runtime, tensor
from ._callback import guarded
from ._handle import Handle
from ._lib import lib
from ._threads import run_all
from .optimizer import Optimizer
from .runtime import Node
from .ticket import Ticket, issue

Callback = Callable[[int], None]


class SharedModel(Handle):
    """Merges what the devices of this process push for a key, hands the sum on, and gives all of them what it becomes.

    `kind` says to whom:

    - local       nobody: the merged value itself; with update_on_server=1 what the updater makes of it
    - dist        the servers' tables; `mode` asp (default), bsp or ssp:<bound>
    - allreduce   all workers of the job, without servers

    Devices are names, any numbers from 0 on: a thread each, mostly. `parameters` are SharedModel's (push_op[k],
    update_on_server, test_on_server, mode, scale, rounds, ...: ps/shared_model.h) and the updater's own; what is no
    Python name is said by `set_param`, before `init`.

    Errors name key and device. Waiting ends after PS_BARRIER_TIMEOUT, and says which devices are missing. Any thread;
    calls of one device for one key in the order that is meant. As a context manager it is closed at the end; where the
    block is left by an exception that fails what the devices wait for.
    """

    _free = "PSSharedModelFree"
    _close_waits = True

    def __init__(self, kind: str = "local", devices: Sequence[int] | None = None, *, name: str | None = None,
                 updater: str | Optimizer | None = None, node: Node | None = None, **parameters: Any) -> None:
        """Where `devices` are said the model is ready; else after `init`. `name`: models of one name share their keys
        at the servers. `updater`: rule and options, as `sgd lr=0.5`, or one that was registered."""
        options = _types.filled(_types.SharedModelOptions, node=runtime.handle_of(node), name=_types.text(name))
        if kind == "allreduce" and runtime.handle_of(node) is None and not runtime.is_started():
            runtime.start()
        _lib.mark_started()
        handle = c.c_void_p()
        _lib.call(lib.PSSharedModelCreate, _types.text(kind), c.byref(options), c.byref(handle))
        super().__init__(handle.value)
        self.kind = kind
        self.devices: tuple[int, ...] = ()
        self._pushed: dict[tuple[int, int], collections.deque[Any]] = {}
        self._kept = 4  # arrays of a device and key: rounds under way, the one that is pulled, and the next
        _exit.register(self)
        for parameter, value in parameters.items():
            self.set_param(parameter, value)
        if updater is not None:
            self.set_updater(updater)
        if devices is not None:
            self.init(devices)

    # --- before it is used ---

    def set_param(self, name: str, value: Any) -> None:
        """A parameter, as text or number."""
        lib.PSSharedModelSetParam(self.handle, _types.text(name), _types.text(str(value)))
        if name == "rounds":
            self._kept = int(value) + 2

    def set_updater(self, updater: str | Optimizer) -> None:
        """Rule and options, as `sgd lr=0.5`, or of ps.optimizer."""
        lib.PSSharedModelSetUpdater(self.handle, _types.text(str(updater)))

    def init(self, devices: Sequence[int] = (0,)) -> None:
        """Says which devices take part: numbers from 0 on, each once. Sums are made in this order."""
        numbers = tuple(_types.int32(device, "device") for device in devices)
        _lib.call(lib.PSSharedModelInit, self.handle, len(numbers), (c.c_int * len(numbers))(*numbers))
        self.devices = numbers

    def init_key(self, key: int, shape: Sequence[int], device: int, dtype: Any = "float32") -> None:
        """Makes a key, before it is used: by one device or by all of them, of the same shape. Waits for the servers."""
        lengths = (c.c_int64 * len(shape))(*shape)
        _lib.call(lib.PSSharedModelInitKey, self.handle, *_which(key, device), dtypes.of(dtype).code, len(shape),
                  lengths)

    # --- rounds ---

    def push(self, array: Any, key: int, device: int, priority: int = 0) -> Ticket:
        """Contributes to the device's next round of the key; waits only where the device is `rounds` (2) ahead. `array`
        is used where it lies, and stays unchanged until the matching pull is done. The ticket is done when the round is
        merged. `priority`: higher first."""
        value = tensor.to_read(array, "array")
        ticket = self._issue(lib.PSSharedModelPush, value.handle, *_which(key, device, priority), keep=(value,),
                             result=array)
        kept = self._pushed.get((key, device))
        if kept is None:
            kept = self._pushed.setdefault((key, device), collections.deque(maxlen=self._kept))
        kept.append(value)
        return ticket

    def pull(self, out: Any, key: int, device: int, priority: int = 0, callback: Callback | None = None) -> Ticket:
        """The result of the device's last push of the key, into `out`, which stays alone until the ticket is done; its
        `wait()` returns `out`. Never waits.

        `callback(stream)` is called once, when the result is in `out` (of a CUDA device: is on its way on `stream`, a
        cudaStream_t; else 0), on a thread of the model. It must not wait for tickets; what it raises is the ticket's
        error. Not called where the pull fails.
        """
        value = tensor.to_write(out)
        function = _NO_CALLBACK if callback is None else _types.SharedModelCallback(_Delivery(callback))
        return self._issue(lib.PSSharedModelPullReq, value.handle, *_which(key, device, priority), function, None,
                           keep=(value, function), result=out)

    def pull_wait(self, key: int, device: int, timeout: float | None = None) -> None:
        """Returns when the device's last pull of the key is done, callback included; at once if there was none."""
        _lib.call(lib.PSSharedModelPullWait, self.handle, *_which(key, device), runtime.milliseconds(timeout))

    def check_weight(self, array: Any, key: int, device: int) -> None:
        """With test_on_server=1: compares with the updater's value; FailedPreconditionError where they differ by more
        than 1e-5."""
        self._with_array(lib.PSSharedModelCheckWeight, array, key, device)

    def set_weight(self, array: Any, key: int, device: int) -> None:
        """With test_on_server=1: writes the updater's value."""
        self._with_array(lib.PSSharedModelSetWeight, array, key, device)

    # --- devices ---

    def device(self, number: int) -> "Device":
        """One device's use of the model, mostly as `with model.device(0) as device:`."""
        return Device(self, number)

    def run(self, function: Callable[["Device"], Any]) -> list[Any]:
        """Calls `function(device)` for every device, on a thread each, and returns the results in their order. If one
        raises, the others are told, and the first error is raised here when all have ended; after Ctrl-C, too."""
        def on_device(number: int) -> Any:
            with self.device(number) as device:
                return function(device)

        return run_all(on_device, self.devices, lambda: lib.PSSharedModelClose(self.handle), end_on_error=False)

    def fail(self, device: int, why: str) -> None:
        """Says that a device takes part no more: what the others wait for it fails, with its number and `why`. When it
        returns nobody uses the device's arrays any more."""
        lib.PSSharedModelFail(self.handle, _types.int32(device, "device"), _types.text(why))
        for key in [key for key in self._pushed if key[1] == device]:
            self._pushed.pop(key, None)

    def __enter__(self) -> "SharedModel":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close_at_exit(self, failed: bool) -> None:
        """See _exit."""
        if failed and self.kind != "local":
            self._handle = None  # its end may wait for others
        self.close()

    def _give_back(self, handle: int) -> None:
        lib.PSSharedModelClose(handle)  # no callback runs, and no array is used, any more
        super()._give_back(handle)
        self._pushed.clear()

    def _with_array(self, function: Callable[..., int], array: Any, key: int, device: int) -> None:
        value, which = tensor.to_read(array, "array"), _which(key, device)

        def call(model: int) -> int:  # keeps the array, also where Ctrl-C ends the wait
            return function(model, value.handle, *which)

        _lib.call(call, self.handle)

    def _issue(self, function: Callable[..., int], *arguments: Any, keep: tuple[Any, ...], result: Any) -> Ticket:
        return issue(_lib.call, function, self.handle, *arguments, keep=keep, result=result)


class Device:
    """A device of a model: its number is said once. As a context manager it tells the others when it is left by an
    exception."""

    def __init__(self, model: SharedModel, number: int) -> None:
        self.model = model
        self.number = number

    def init_key(self, key: int, shape: Sequence[int], dtype: Any = "float32") -> None:
        """See SharedModel, and so below."""
        self.model.init_key(key, shape, self.number, dtype)

    def push(self, array: Any, key: int, priority: int = 0) -> Ticket:
        return self.model.push(array, key, self.number, priority)

    def pull(self, out: Any, key: int, priority: int = 0, callback: Callback | None = None) -> Ticket:
        return self.model.pull(out, key, self.number, priority, callback)

    def pull_wait(self, key: int, timeout: float | None = None) -> None:
        self.model.pull_wait(key, self.number, timeout)

    def check_weight(self, array: Any, key: int) -> None:
        self.model.check_weight(array, key, self.number)

    def set_weight(self, array: Any, key: int) -> None:
        self.model.set_weight(array, key, self.number)

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, _: Any) -> None:
        if raised is not None and not self.model.closed:
            self.model.fail(self.number, f"{type(raised).__name__}: {raised}")


def _which(key: int, device: int, *priority: int) -> list[int]:
    """The numbers of a call, none of which is cut."""
    names = ("key", "device", "priority")
    return [_types.int32(number, name) for name, number in zip(names, (key, device, *priority))]


class _Delivery:
    """A callback as C calls it; nothing that it raises goes through C."""

    def __init__(self, callback: Callback) -> None:
        self._callback = callback

    def __call__(self, stream: int | None, _context: int | None) -> int:
        return guarded(self._callback, stream or 0)


_NO_CALLBACK = _types.no(_types.SharedModelCallback)
