"""What fails: one exception per code of the library, all of them `ps.Error`.

Each is also the builtin that fits (ValueError, TimeoutError, KeyError, ...), so that programs may catch either. The
text says who, what, how long, and which variable to set.
"""
from __future__ import annotations

import collections
import os
import traceback
from typing import ClassVar


class Error(Exception):
    """An operation failed. `code` and `message` are those of the library."""

    code: ClassVar[int] = 9  # PSCode

    @property
    def message(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __str__(self) -> str:
        return self.message  # KeyError would show the repr


class InvalidArgumentError(Error, ValueError):
    """The caller has said something wrong, and nothing was sent."""

    code = 1


class DeadlineExceededError(Error, TimeoutError):
    """It took longer than it may; says who is missing."""

    code = 2


class UnavailableError(Error, ConnectionError):
    """A node that is needed has gone, or cannot be reached."""

    code = 3


class CancelledError(Error, RuntimeError):
    """Given up, because what it belongs to was closed."""

    code = 4


class NotFoundError(Error, KeyError):
    """There is no such key, table, file, command."""

    code = 5


class AlreadyExistsError(Error, RuntimeError):
    """There is one of this name, and it is another one."""

    code = 6


class ResourceExhaustedError(Error, MemoryError):
    """A limit of memory, files or room is reached."""

    code = 7


class FailedPreconditionError(Error, RuntimeError):
    """Not now, or not here: something has to be done before."""

    code = 8


class InternalError(Error, RuntimeError):
    """A defect of the library, or of a callback."""

    code = 9


_BY_CODE: dict[int, type[Error]] = {
    kind.code: kind
    for kind in (InvalidArgumentError, DeadlineExceededError, UnavailableError, CancelledError, NotFoundError,
                 AlreadyExistsError, ResourceExhaustedError, FailedPreconditionError, InternalError)
}

# What callbacks have raised lately: C passes on its text alone, and the exception is found again by it.
_raised: collections.deque[tuple[str, BaseException]] = collections.deque(maxlen=16)


def from_code(code: int, message: str) -> BaseException:
    """The exception for a failed call. Where a callback of this process was the reason, what it has raised is the
    cause; its KeyboardInterrupt or SystemExit is given back itself."""
    error = _BY_CODE.get(code, InternalError)(message)
    for kept in list(_raised):
        if kept[0] in message:
            _raised.remove(kept)
            if not isinstance(kept[1], Exception):
                return kept[1]
            error.__cause__ = kept[1]
    return error


def code_of(raised: BaseException) -> int:
    """The code that an exception of a callback stands for."""
    if isinstance(raised, Error):
        return raised.code
    for builtin, kind in ((TimeoutError, DeadlineExceededError), (ConnectionError, UnavailableError),
                          (KeyError, NotFoundError), (ValueError, InvalidArgumentError),
                          (TypeError, InvalidArgumentError), (MemoryError, ResourceExhaustedError),
                          (Exception, InternalError)):
        if isinstance(raised, builtin):
            return kind.code
    return CancelledError.code  # KeyboardInterrupt, SystemExit


def keep(raised: BaseException) -> str:
    """The text that the error of a callback travels as: what was raised, and where. Keeps the exception, with its
    traceback, for `from_code`; but not the variables of the functions in it, which may be large arrays."""
    frames = traceback.extract_tb(raised.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    message = str(raised)
    said = message if isinstance(raised, Error) else f"{type(raised).__name__}: {message}"
    text = said.replace("\0", "?") + where
    traceback.clear_frames(raised.__traceback__)
    _raised.append((text, raised))
    return text
