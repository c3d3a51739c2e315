"""Handle: something of the library that Python owns, and gives back once."""
from __future__ import annotations

import ctypes
import threading
from types import TracebackType
from typing import Any, Callable, TypeVar

from . import _lib, errors


_Self = TypeVar("_Self", bound="Handle")


class Handle:
    """Owns a handle of the C interface. `close()` gives it back, and so does the garbage collector; a second `close()`
    does nothing."""

    _free = ""  # the function that does, by name
    # Whether that may wait for other nodes. The garbage collector runs on any thread, also in a callback on one of the
    # library's, which may be the one that is waited for: there another thread closes.
    _close_waits = False

    def __init__(self, handle: int | None) -> None:
        self._handle = handle

    @property
    def handle(self) -> int:
        """For calls. Raises where it was closed."""
        if self._handle is None:
            raise errors.FailedPreconditionError(f"this {type(self).__name__} is closed")
        return self._handle

    @property
    def closed(self) -> bool:
        return self._handle is None

    def close(self) -> None:
        """Gives it back."""
        handle, self._handle = self._handle, None
        if handle is not None and not _lib.is_forked():
            self._give_back(handle)

    def _give_back(self, handle: int) -> None:
        getattr(_lib.lib, self._free)(handle)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is None or _lib is None:
            return
        if self._close_waits and isinstance(threading.current_thread(), threading._DummyThread):
            threading.Thread(target=self.close, name="ps-close", daemon=True).start()
        else:
            self.close()


def made(function: Callable[..., Any], *arguments: Any) -> int:
    """The handle that a Create-like function gives in its last argument."""
    handle = ctypes.c_void_p()
    function(*arguments, ctypes.byref(handle))
    return handle.value or 0


def number(function: Callable[..., Any], *arguments: Any) -> int:
    """The int that a function gives in its last argument."""
    value = ctypes.c_int()
    function(*arguments, ctypes.byref(value))
    return value.value
