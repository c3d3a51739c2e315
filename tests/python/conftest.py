"""What all tests of the Python package have: the package of the sources with the library of the build folder, programs
in processes of their own, and whole jobs."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PS_BUILD", ROOT / "build"))
SOURCES = ROOT / "src" / "python"
TIME_SCALE = float(os.environ.get("PS_TEST_TIME_SCALE", "1"))

sys.path.insert(0, str(SOURCES))
os.environ.setdefault("PS_LIBRARY", str(BUILD / "libps.so.1"))

# The beginning of a program with two workers in a cluster, of which one has pushed, and the other will not.
OPEN = f"""
import sys; sys.path.insert(0, {str(ROOT / 'tests/python')!r})
import numpy, ps, kv_world, threading, contextlib
keep = contextlib.ExitStack()
nodes = keep.enter_context(kv_world.cluster(1, 2))
stores = [ps.KVStore('dist_sync', node=node) for node in nodes]
other = threading.Thread(target=stores[1].init, args=(1, numpy.ones(4, 'f')))
other.start(); stores[0].init(1, numpy.ones(4, 'f')); other.join()
stores[0].push(1, numpy.ones(4, 'f'))
"""


def pytest_configure():
    """Tests are no node of a job."""
    for name in [name for name in os.environ if name.startswith("DMLC_")]:
        del os.environ[name]


def environment(**more):
    """For a process that is to import the package."""
    path = os.pathsep.join(filter(None, [str(SOURCES), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **{name: str(value) for name, value in more.items()}}


def run_python(code, *arguments, timeout=60, env=None, check=True):
    """Runs a program; its result, with `stdout` and `stderr` as text."""
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code, *arguments], env=env or environment(),
                          capture_output=True, text=True, timeout=timeout * TIME_SCALE, check=False)
    assert not check or done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def run_job(servers, workers, code, *arguments, timeout=60, check=True, env=None, options=()):
    """Runs a program in all roles by tracker/local.sh; its result."""
    limit = timeout * TIME_SCALE
    command = [str(ROOT / "tracker" / "local.sh"), "--timeout", str(int(limit)), *options]
    command += [str(servers), str(workers)] if "--joint" not in options else []
    done = subprocess.run([*command, sys.executable, "-X", "faulthandler", "-c", code, *arguments],
                          env=env or environment(), capture_output=True, text=True, timeout=limit + 30, check=False)
    assert not check or done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


@pytest.fixture
def tmp_uri(tmp_path):
    """A folder for checkpoints."""
    return str(tmp_path / "checkpoint")
