"""The examples of Python, as a user runs them."""
from __future__ import annotations

import subprocess
import sys
from typing import Any

from conftest import ROOT, TIME_SCALE, environment

EXAMPLES = ROOT / "examples" / "python"


def example(name: str, *arguments: Any, job: tuple[Any, ...] | None = None, check: bool = True) -> Any:
    """Runs it, alone, or as a job of `job`, what comes before the program in the command line of tracker/local.sh."""
    limit = 100 * TIME_SCALE
    launcher = [str(ROOT / "tracker" / "local.sh"), "--timeout", str(int(limit)), *map(str, job)] if job else []
    done = subprocess.run([*launcher, sys.executable, str(EXAMPLES / name), *map(str, arguments)], env=environment(),
                          capture_output=True, text=True, timeout=limit + 30, check=False)
    assert not check or done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done
