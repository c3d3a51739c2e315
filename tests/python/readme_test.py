"""The program of README.md's section on Python runs as it stands there: alone, and as a job."""
import re
import subprocess

import pytest
from conftest import ROOT, TIME_SCALE, environment, run_job, run_python

README = (ROOT / "README.md").read_text()
PROGRAMS = re.findall(r"^cat > (\w+\.py) <<'END'\n(.*?)^END$", README, re.M | re.S)


def test_there_is_one_and_it_is_short():
    assert [name for name, _ in PROGRAMS] == ["train.py"]
    assert len(PROGRAMS[0][1].splitlines()) <= 30


def test_it_runs_alone():
    assert run_python(PROGRAMS[0][1]).stdout == "[ 3. -1.]\n"


@pytest.mark.parametrize("kind", ["dist_sync", "dist_ssp:3"])
def test_it_runs_as_a_job(kind):
    assert run_job(2, 2, PROGRAMS[0][1], kind).stdout.count("[ 3. -1.]") == 2


def test_the_lines_around_it_are_those_of_the_launcher():
    assert "tracker/local.sh 2 4 /usr/bin/python3 train.py dist_sync" in README
    help_text = subprocess.run([ROOT / "tracker" / "local.sh", "--help"], env=environment(), check=True,
                               capture_output=True, text=True, timeout=30 * TIME_SCALE).stdout
    assert "num_servers num_workers bin [args...]" in help_text
