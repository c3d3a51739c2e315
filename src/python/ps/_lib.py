"""The shared library: found, checked, and its functions with their types.

`lib.PSStart(...)` and all others of include/ps/c/*.h: what fails raises a `ps.Error`, and the interpreter lock is
released meanwhile. The first of these that there is, is loaded: the file that the variable PS_LIBRARY names, the one
beside this package (in the wheel, and in build/python), and that of the build folder of the sources.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import threading
from typing import Any, Callable

from . import _signatures, _types, errors

ABI_VERSION = 1  # PS_ABI_VERSION of the headers that _types and _signatures are written after
NAME = "libps.so.1"


def _candidates() -> list[pathlib.Path]:
    package = pathlib.Path(__file__).resolve().parent
    found = [package / NAME]
    if package.parent.name == "python" and len(package.parents) > 2:
        found.append(package.parents[2] / "build" / NAME)
    return found


def find() -> pathlib.Path:
    """The file to load. ImportError says where it was looked for."""
    named = os.environ.get("PS_LIBRARY")
    if named:
        if not os.path.isfile(named):
            raise ImportError(f"PS_LIBRARY={named}: there is no such file")
        return pathlib.Path(named)
    for path in _candidates():
        if path.is_file():
            return path
    raise ImportError("ps: found no " + " and no ".join(map(str, _candidates())) +
                      "; run `make python`, or set PS_LIBRARY to the file")


def _check(code: int, _function: Any, _arguments: Any) -> int:
    if code:
        raise errors.from_code(code, lib.PSGetLastError().decode("utf-8", "replace"))
    return code


class Library:
    """The functions of the C interface, as attributes."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        try:
            loaded = ctypes.CDLL(str(path))
        except OSError as error:
            raise ImportError(f"ps: can not load {path}: {error}; it needs the distribution's ZeroMQ, protobuf, "
                              "libsodium, xxhash and dmlc-core (`make deps`)") from error
        try:
            version = loaded.PSAbiVersion()
            if version != ABI_VERSION:
                raise ImportError(f"ps: {path} has interface {version}, this package needs {ABI_VERSION}: take both "
                                  "of one version")
            for name, arguments in _signatures.ARGUMENTS.items():
                setattr(self, name, self._typed(getattr(loaded, name), name, arguments))
        except AttributeError as error:
            raise ImportError(f"ps: {path} is none of this version: {error}") from error

    @staticmethod
    def _typed(function: Any, name: str, arguments: tuple[type, ...]) -> Any:
        function.argtypes = arguments
        if name in _signatures.TEXTS:
            function.restype = ctypes.c_char_p
        else:
            function.restype = ctypes.c_int
            if name not in _signatures.NUMBERS:
                function.errcheck = _check
        return function

    def __getattr__(self, name: str) -> Any:  # only what is not there
        raise AttributeError(f"the library has no {name}")


lib = Library(find())


# --- fork ------------------------------------------------------------------------------------------------------------

_has_threads = False  # of the library, in this process
_forked = False


def mark_started() -> None:
    """From now on the library may have threads, which a child of fork would not have."""
    global _has_threads
    _has_threads = True


def is_forked() -> bool:
    """Whether this is a child of fork in which the library is of no use."""
    return _forked


def _refuse(*_arguments: Any) -> Any:
    raise errors.FailedPreconditionError(
        "this process was forked from one that uses ps, and has none of its threads: use ps in the parent, or start "
        "processes with multiprocessing's `spawn` (multiprocessing.set_start_method('spawn'))")


def _in_child() -> None:
    global _forked
    if _has_threads:
        _forked = True
        for name in _signatures.ARGUMENTS:
            setattr(lib, name, _refuse)


os.register_at_fork(after_in_child=_in_child)


# --- calls that wait -------------------------------------------------------------------------------------------------

def call(function: Callable[..., int], *arguments: Any, keep: Any = None) -> None:
    """Calls a function that may wait, so that Ctrl-C ends the wait at once: on the main thread, where Python handles
    signals, another thread makes the call. After a KeyboardInterrupt the call goes on by itself, and keeps `keep`: what
    owns the memory that `arguments` mean. They must not mean "the node of this thread"."""
    if threading.current_thread() is not threading.main_thread() or _exiting:
        function(*arguments)
        return
    outcome: list[BaseException] = []
    begun = threading.Event()

    def run(_kept: Any) -> None:
        begun.set()
        try:
            function(*arguments)
        except BaseException as error:  # is raised where the call was made
            outcome.append(error)

    thread = threading.Thread(target=run, args=(keep,), name="ps-call", daemon=True)
    try:
        thread.start()
        _join(thread)
    except BaseException:
        if arguments and isinstance(arguments[0], int):
            _going_on[arguments[0]] = thread, begun
        raise
    if outcome:
        raise outcome[0].with_traceback(None)


def _join(thread: threading.Thread) -> None:
    """In slices: a signal that comes just before the wait, or to another thread, does not end it, and is seen only
    between calls."""
    while thread.is_alive():
        thread.join(_SLICE)


_SLICE = 0.1  # seconds that Ctrl-C may have to wait

# Interrupted calls, by their first argument: the handle of what they are of.
_going_on: dict[int, tuple[threading.Thread, threading.Event]] = {}


def finish(handle: int) -> None:
    """Returns when no interrupted call of `handle` goes on: for what one thread at a time may use. Ctrl-C ends this
    wait, too."""
    if handle not in _going_on:
        return
    thread, begun = _going_on[handle]
    if begun.wait(1):  # else the interrupt came before there was a thread
        _join(thread)
    _going_on.pop(handle, None)


def forget(handle: int) -> None:
    """It is given back: its number may become another one's."""
    _going_on.pop(handle, None)


_exiting = False  # no new threads then


def mark_exiting() -> None:
    global _exiting
    _exiting = True
