"""What `make python` makes: a folder for PYTHONPATH and a wheel, each with its own library, which need nothing else of
the build."""
import os
import subprocess
import sys
import zipfile

import pytest
from conftest import BUILD, ROOT, run_python

STAGED = BUILD / "python"
WHEELS = list((STAGED / "dist").glob("*.whl"))
PROGRAM = """
import numpy, pathlib, ps
store = ps.KVStore("local"); store.init("w", numpy.ones(3)); store.push("w", numpy.full(3, 2.0))
assert store.pull("w").tolist() == [2, 2, 2]
print(pathlib.Path(ps._lib.lib.path), ps.__version__)
"""


def apart(folder):
    """An environment in which nothing leads to the sources or the build."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PS_", "DMLC_"))}
    return dict(env, PYTHONPATH=str(folder))


@pytest.fixture
def wheel():
    if not WHEELS:
        pytest.skip("no wheel: setuptools or wheel is not installed")
    assert len(WHEELS) == 1
    return WHEELS[0]


def test_the_folder_can_be_imported():
    said = run_python(PROGRAM, env=apart(STAGED)).stdout
    assert said.split()[0] == str((STAGED / "ps" / "libps.so.1").resolve())


def test_the_folder_holds_the_modules_of_the_sources_and_no_others():
    sources = {path.name for path in (ROOT / "src/python/ps").glob("*.py")} | {"py.typed", "libps.so.1"}
    assert {path.name for path in (STAGED / "ps").iterdir()} - {"__pycache__"} == sources


def test_the_wheel_says_its_platform_and_no_version_of_python(wheel):
    name, version, *tag = wheel.stem.split("-")
    assert name == "caravan_ps" and tag[:2] == ["py3", "none"] and tag[2].startswith("linux_")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"ps/__init__.py", "ps/py.typed", "ps/libps.so.1", f"caravan_ps-{version}.dist-info/METADATA"} <= set(names)


def test_an_installed_wheel_works(wheel, tmp_path):
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode == 0:
        subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check", "--target",
                        tmp_path, wheel], check=True, env=apart(""))
    else:
        zipfile.ZipFile(wheel).extractall(tmp_path)
    path, version = run_python(PROGRAM, env=apart(tmp_path)).stdout.split()
    assert path == str(tmp_path / "ps" / "libps.so.1")
    assert version == wheel.stem.split("-")[1]
