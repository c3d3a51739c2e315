"""Functions of the program that the library calls: nothing they raise goes through C."""
from __future__ import annotations

from typing import Any, Callable

from . import _types, errors
from ._lib import lib


def guarded(body: Callable[..., Any], *arguments: Any) -> int:
    """Calls `body`; the result for C: PS_OK, or the code of what it raised, which is kept for the call that fails by it
    (errors.from_code)."""
    try:
        body(*arguments)
    except BaseException as raised:  # also KeyboardInterrupt: C can not be unwound
        code = errors.code_of(raised)
        lib.PSSetLastError(code, errors.keep(raised).encode("utf-8", "replace"))
        return code
    return _types.OK


# Callbacks that the library may call until the process ends.
_for_ever: list[Any] = []


def keep_for_ever(callback: Any) -> Any:
    """The callback itself, which is never freed."""
    _for_ever.append(callback)
    return callback
