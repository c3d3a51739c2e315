"""Threads of a program's own code, whose errors come back to who has started them."""
from __future__ import annotations

import threading
from typing import Any, Callable, Sequence


def run_all(function: Callable[[Any], Any], arguments: Sequence[Any], end: Callable[[], Any], *,
            end_on_error: bool = True) -> list[Any]:
    """Calls `function(argument)` for each, on a thread of its own, and returns the results in their order.

    Returns, or raises the error that came first, when all have ended. `end` makes the others come to an end: it is
    called after an error (`end_on_error`), and after a KeyboardInterrupt here, which is then raised.
    """
    results: list[Any] = [None] * len(arguments)
    raised: list[BaseException] = []  # in the order of time
    something_happened = threading.Condition()
    left = len(arguments)

    def run(place: int) -> None:
        nonlocal left
        error: BaseException | None = None
        try:
            results[place] = function(arguments[place])
        except BaseException as caught:  # is raised below
            error = caught
        with something_happened:
            left -= 1
            if error is not None:
                raised.append(error)
            something_happened.notify_all()

    threads = [threading.Thread(target=run, args=(place,), name=f"ps-run-{place}") for place in range(len(arguments))]
    try:
        for thread in threads:
            thread.start()
        with something_happened:
            something_happened.wait_for(lambda: left == 0 or (bool(raised) and end_on_error))
        if raised and end_on_error:
            end()
    except BaseException:  # Ctrl-C
        end()
        raise
    finally:
        for thread in threads:
            if thread.ident is not None:
                thread.join()
    if raised:
        raise raised[0]
    return results
