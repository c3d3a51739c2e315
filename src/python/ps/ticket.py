"""Ticket: an operation that is under way."""
from __future__ import annotations

import ctypes
import itertools
import math
import threading
import time
from typing import Any, Callable, Generator, Iterable, Sequence

from . import _types, errors
from ._handle import Handle, made, number
from ._lib import lib

_EVER = 1e9  # seconds
SLICE_MS = 100  # how long Ctrl-C may have to wait

# What has to stay alive until a request is done, by request: also when its Ticket has gone.
_in_flight: dict[int, tuple[Any, ...]] = {}
# The same of calls that issue one, and have not returned or were interrupted meanwhile: with where the request is put.
_starting: dict[object, tuple[ctypes.c_void_p, tuple[Any, ...]]] = {}
# Requests whose Ticket has gone before they were done.
_dropped: list[int] = []
_sweep_at = 64


class Ticket(Handle):
    """An operation under way. Dropping it changes nothing: the operation goes on, but nobody hears of its error.

    `wait` returns `result`: what the call that gave this ticket says, mostly the arrays that it fills. Any thread.
    """

    _free = "PSRequestFree"

    def __init__(self, request: int, keep: Sequence[Any] = (), result: Any = None,
                 finished: Callable[[], None] | None = None) -> None:
        """Takes over `request`; `keep` stays alive until it is done. `finished` is called when somebody has seen that
        it is: by `done`, `wait`, `wait_all` or `await`."""
        super().__init__(request)
        self.result = result
        self._finished = finished
        if keep:
            _in_flight[request] = tuple(keep)
        if len(_dropped) >= _sweep_at:
            sweep()

    def done(self) -> bool:
        """Whether it has ended, well or not. Never waits."""
        if number(lib.PSRequestDone, self.handle) == 0:
            return False
        self._end()
        return True

    def _end(self) -> None:
        _in_flight.pop(self.handle, None)
        finished, self._finished = self._finished, None
        if finished is not None:
            finished()

    def wait(self, timeout: float | None = None) -> Any:
        """Returns `result` when it is done. `timeout` in seconds; None: as long as it takes.

        Raises what it failed with, as often as it is asked; DeadlineExceededError after `timeout`, which does not end
        the operation, and says whom it waits for. Ctrl-C ends the wait, not the operation.
        """
        deadline = None if timeout is None or timeout >= _EVER else time.monotonic() + timeout
        # Python runs signal handlers on the main thread, and only between calls.
        longest = SLICE_MS if threading.get_ident() == threading.main_thread().ident else -1
        while not self._wait_for(longest, deadline):
            pass
        self._end()
        return self.result

    def _wait_for(self, longest_ms: int, deadline: float | None) -> bool:
        left = -1 if deadline is None else max(0, math.ceil((deadline - time.monotonic()) * 1000))
        whole = longest_ms < 0 or 0 <= left <= longest_ms
        try:
            lib.PSRequestWait(self.handle, left if whole else longest_ms)
        except errors.DeadlineExceededError:
            if not self.done():
                if whole:
                    raise
                return False
            lib.PSRequestError(self.handle)
        except errors.Error:
            self.done()
            raise
        return True

    def then(self, callback: Callable[[errors.Error | None], None]) -> None:
        """Calls `callback` once with the error, or None, when it is done, on a thread of the library. It must not
        wait for tickets."""
        context = next(_numbers)
        _callbacks[context] = callback
        try:
            lib.PSRequestThen(self.handle, _run_callback, context)
        except errors.Error:
            del _callbacks[context]
            raise

    def __await__(self) -> Generator[Any, None, Any]:
        """`await ticket` in an asyncio program: as `wait`, without holding the loop."""
        import asyncio  # only who awaits needs it
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def settle(error: errors.Error | None) -> None:
            if future.cancelled():
                return
            if error is None:
                self._end()
                future.set_result(self.result)
            else:
                future.set_exception(error)

        def tell(error: errors.Error | None) -> None:
            loop.call_soon_threadsafe(settle, error)

        self.then(tell)
        return (yield from future.__await__())

    def _give_back(self, handle: int) -> None:
        if handle in _in_flight and number(lib.PSRequestDone, handle) == 0:
            _dropped.append(handle)
            return
        _in_flight.pop(handle, None)
        super()._give_back(handle)

    def __repr__(self) -> str:
        state = "closed" if self.closed else "done" if self.done() else "under way"
        return f"<ps.Ticket {state}>"


def sweep() -> None:
    """Lets go of what dropped tickets have kept, where they are done."""
    global _sweep_at
    for _ in range(len(_dropped)):
        try:
            request = _dropped.pop(0)  # one at a time: others may sweep, too
        except IndexError:
            break
        if number(lib.PSRequestDone, request) == 0:
            _dropped.append(request)
            continue
        _in_flight.pop(request, None)
        lib.PSRequestFree(request)
    _sweep_at = max(64, 2 * len(_dropped))


def keep_for_ever() -> None:
    """At the end of the process: memory of operations that nobody waits for is never given back."""
    for kept in [*_in_flight.values(), *_starting.values()]:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


def issue(function: Callable[..., Any], *arguments: Any, keep: Sequence[Any] = (), result: Any = None,
          finished: Callable[[], None] | None = None) -> Ticket:
    """The ticket of a function that takes `PSRequest* request` last. `keep` is kept from here on until the operation is
    done: also where Ctrl-C, which is raised when C has returned, takes the place of the ticket."""
    request, token = ctypes.c_void_p(), object()
    _starting[token] = request, tuple(keep)
    try:
        function(*arguments, ctypes.byref(request))
    except errors.Error:
        del _starting[token]
        raise
    except BaseException:
        if request.value:
            _settle(token, None, None)  # its ticket is dropped at once
        raise
    return _settle(token, result, finished)


def _settle(token: object, result: Any, finished: Callable[[], None] | None) -> Ticket:
    request, keep = _starting[token]
    ticket = Ticket(request.value or 0, keep, result, finished)
    del _starting[token]
    return ticket


def wait_all(tickets: Iterable[Ticket], timeout: float | None = None) -> list[Any]:
    """Returns the results when all are done; raises the error of the first in this order that failed. `timeout` in
    seconds, for all together."""
    waited = list(tickets)
    handles = (ctypes.c_void_p * len(waited))(*[ticket.handle for ticket in waited])
    if waited:
        both = Ticket(made(lib.PSRequestAll, len(waited), handles))
        try:
            both.wait(timeout)
        finally:
            for ticket in waited:
                ticket.done()
    return [ticket.result for ticket in waited]


_numbers = itertools.count(1)
_callbacks: dict[int, Callable[[errors.Error | None], None]] = {}


def _ended(code: int, message: bytes | None, context: int) -> None:
    callback = _callbacks.pop(context)
    error = None if code == _types.OK else errors.from_code(code, (message or b"").decode("utf-8", "replace"))
    if error is not None and not isinstance(error, errors.Error):
        error = errors.CancelledError(f"a callback was interrupted: {error!r}")
    callback(error)  # what it raises is printed by ctypes (sys.unraisablehook)


_run_callback = _types.RequestCallback(_ended)
