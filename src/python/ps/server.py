"""Serving: schedulers and servers of the same program that the workers run.

`import ps` in a process whose role is scheduler or server serves there until the job ends, and then exits the
interpreter with the code of the node. So one command line does for all roles, and of the program nothing runs there but
what comes before that import. A program whose servers know rules or commands of its own sets PS_PYTHON_SERVE=0, and
calls `run_server` itself.

With the role `joint` a process is a worker, and a child of it the server of the same rank.
"""
from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import Any, Callable, Mapping, Sequence

from . import _exit, _lib, _types, errors, runtime
from ._callback import guarded, keep_for_ever
from ._lib import lib
from .updater import Updater, UpdaterFunction, register_updaters

Controller = Callable[[int, str], None]


def run_server(controller: Controller | None = None, updaters: Mapping[str, Updater | UpdaterFunction] | None = None,
               argv: Sequence[str] | None = None) -> None:
    """Serves as this process' role says, scheduler or server, until the job ends.

    `controller(head, body)` answers commands of the workers (KVStore.send_command_to_servers), one at a time, on a
    thread of the library; what it raises is the worker's error. `updaters`: rules by name, each a function as of
    `register_updater`, or an `Updater` with states. `argv`: the command line that rules of SharedModel are told;
    sys.argv without it. Raises what ends the node: FailedPreconditionError on a worker.
    """
    register_updaters(updaters or {})
    callback = callback_of(controller)
    words = list(sys.argv if argv is None else argv)
    _lib.mark_started()
    _lib.call(lib.PSRunServer, runtime.handle_of(), callback, None, len(words), _types.texts(words))


def callback_of(controller: Controller | None) -> Any:
    """A controller as C calls it, for as long as the process lives."""
    if controller is None:
        return _types.no(_types.ServerController)
    return keep_for_ever(_types.ServerController(_Commands(controller)))


class _Commands:
    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    def __call__(self, head: int, body: bytes, _context: int | None) -> int:
        return guarded(self._controller, head, body.decode("utf-8", "replace"))


def serve_if_asked() -> None:
    """Where the role says so, and PS_PYTHON_SERVE is not 0: serves, and exits the interpreter. Returns on workers."""
    if runtime.setting("PS_PYTHON_SERVE") == "0" or not runtime.setting("DMLC_ROLE"):
        return
    try:
        role = runtime.role()
    except errors.Error as error:
        sys.exit(f"ps: {error}")
    if role in ("scheduler", "server"):
        _serve_and_exit(role)
    if role == "joint" and _child is None:
        _start_child()


def _serve_and_exit(role: str) -> None:
    try:
        run_server()
    except errors.Error as error:
        sys.exit(f"ps: this {role}: {error}")  # which is printed; the code is 1
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    sys.exit(0)


# --- joint -----------------------------------------------------------------------------------------------------------

_child: subprocess.Popen[bytes] | None = None
# Ends with its parent: prctl(PR_SET_PDEATHSIG, SIGTERM), and that may have died before.
_SERVE = "import ctypes, os; ctypes.CDLL(None).prctl(1, 15); os.getppid() == {parent} or os._exit(1); import ps"
# That signal comes when the thread ends that has started it; of one that may end before the process the child looks.
_SERVE_OF_THREAD = """
import os, threading, time
def look():
    while os.getppid() == {parent}: time.sleep(1)
    os._exit(1)
threading.Thread(target=look, daemon=True).start()
import ps
"""


def _start_child() -> None:
    """The server of a joint process: it ends with the job, or with this process."""
    global _child
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    its = {**os.environ, **runtime.settings(), "DMLC_ROLE": "server", "PYTHONPATH": path}
    its.pop("DMLC_PORT", None)  # the worker's
    serve = _SERVE if threading.current_thread() is threading.main_thread() else _SERVE_OF_THREAD
    _child = subprocess.Popen([sys.executable, "-c", serve.format(parent=os.getpid())], env=its)
    if "DMLC_ROLE" in runtime.settings():
        runtime.set_settings({**runtime.settings(), "DMLC_ROLE": "worker"})
    os.environ["DMLC_ROLE"] = "worker"
    _exit.last(_wait_for_child)


def _wait_for_child() -> None:
    if _child is not None and _child.wait() != 0:
        raise errors.InternalError(f"the server of this joint process has ended with {_child.returncode}")
