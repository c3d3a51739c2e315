"""The end of the process: what is still open is closed while the interpreter is whole.

In the reverse order of its making, and with the interpreter lock released, so that callbacks can end. A program that
ends by an exception leaves the cluster as it is, without waiting for anybody: the other nodes notice, and are told.
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
_pid = os.getpid()


def register(thing: Closable) -> None:
    """Closes it at the end of the process, if it is there then."""
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
    return getattr(sys, "last_value", None) is not None and not interactive


def _end() -> None:
    if _lib.is_forked() or os.getpid() != _pid:
        return
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
        for last in _last:
            _quietly(last)


_last: list[Callable[[], None]] = []


def last(close: Callable[[], None]) -> None:
    """Calls `close` after all else, where the program has not failed."""
    _last.append(close)


def _quietly(close: Callable[..., None], *arguments: Any) -> None:
    """What fails at the end is said, and ends nothing."""
    try:
        close(*arguments)
    except errors.Error as error:
        print(f"ps: at the end of the process: {error}", file=sys.stderr)
    except Exception:  # of a callback, mostly; what comes after is closed all the same
        print("ps: at the end of the process:", file=sys.stderr)
        traceback.print_exc()


atexit.register(_end)
