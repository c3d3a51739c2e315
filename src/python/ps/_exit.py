"""The end of the process: what is still open is closed while the interpreter is whole.

In the reverse order of its making, and with the interpreter lock released, so that callbacks can end. A program that
ends by an exception leaves the cluster as it is, without waiting for anybody: the other nodes notice, and are told.
sys.exit, whatever its code, is no such end, as Python does not tell of it: `ps.finalize(wait=False)` before it does.
"""
from __future__ import annotations

import atexit
import itertools
import os
import signal
import sys
import traceback
import weakref
from typing import Any, Callable, Protocol

from . import _lib, errors, ticket


class Closable(Protocol):
    """What is registered here."""

    def close_at_exit(self, failed: bool) -> None:
        """`failed`: the program has ended by an exception, so nobody is waited for."""


_open: dict[int, weakref.ref[Any]] = {}
_numbers = itertools.count()
_before_finalize: list[Callable[[], None]] = []
_has_ended = False
_of_child: int | None = None  # the process of multiprocessing whose end is heard of


def register(thing: Closable) -> None:
    """Closes it at the end of the process, if it is there then."""
    hear_of_the_end()
    number = next(_numbers)
    _open[number] = weakref.ref(thing, lambda _: _open.pop(number, None))


def before_finalize(close: Callable[[], None]) -> None:
    """Calls `close`, once or more, before the node of the process leaves the cluster."""
    _before_finalize.append(close)


def run_before_finalize() -> None:
    for close in reversed(_before_finalize):
        close()


def has_failed() -> bool:
    """Whether an exception that nobody has caught ends the program."""
    interactive = hasattr(sys, "ps1") or sys.flags.interactive
    raised = sys.exc_info()[1]  # at the end of a process of multiprocessing
    ends_it = raised is not None and not (isinstance(raised, SystemExit) and not raised.code)
    return (getattr(sys, "last_value", None) is not None or ends_it) and not interactive


def hear_of_the_end() -> None:
    """A process of multiprocessing's `fork` ends without atexit."""
    global _of_child
    child = sys.modules.get("multiprocessing.process")
    if child is not None and child.parent_process() is not None and _of_child != os.getpid():
        _of_child = os.getpid()
        from multiprocessing import util
        util.Finalize(None, _end, exitpriority=1)


def _end() -> None:
    global _has_ended
    if _lib.is_forked() or _has_ended:
        return
    _has_ended = True
    _lib.mark_exiting()
    # Python's runs between calls, and from here on the main thread waits in C.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    failed = has_failed()
    ticket.keep_for_ever()
    if not failed:
        _quietly(run_before_finalize)
    for reference in reversed(list(_open.values())):
        thing = reference()
        if thing is not None:
            _quietly(thing.close_at_exit, failed)
    if not failed:
        worked = [_quietly(last) for last in _last]
        if not all(worked):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)  # atexit has no other way to say so


_last: list[Callable[[], None]] = []


def last(close: Callable[[], None]) -> None:
    """Calls `close` after all else, where the program has not failed. Where that fails the exit code is 1."""
    _last.append(close)


def _quietly(close: Callable[..., None], *arguments: Any) -> bool:
    """What fails at the end is said, and ends nothing. Whether it worked."""
    try:
        close(*arguments)
        return True
    except errors.Error as error:
        print(f"ps: at the end of the process: {error}", file=sys.stderr)
    except Exception:  # of a callback, mostly; what comes after is closed all the same
        print("ps: at the end of the process:", file=sys.stderr)
        traceback.print_exc()
    return False


atexit.register(_end)
