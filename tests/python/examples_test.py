"""The examples, as a user runs them."""
from __future__ import annotations

import csv
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from conftest import BUILD, ROOT, TIME_SCALE, environment

EXAMPLES = ROOT / "examples" / "python"
MNIST = BUILD / "data" / "mnist"


def example(name: str, *arguments: Any, job: tuple[Any, ...] | None = None, check: bool = True) -> Any:
    """Runs it, alone, or as a job of `job`, what comes before the program in the command line of tracker/local.sh."""
    limit = 100 * TIME_SCALE
    launcher = [str(ROOT / "tracker" / "local.sh"), "--timeout", str(int(limit)), *map(str, job)] if job else []
    done = subprocess.run([*launcher, sys.executable, str(EXAMPLES / name), *map(str, arguments)], env=environment(),
                          capture_output=True, text=True, timeout=limit + 30, check=False)
    assert not check or done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def curve(folder: pathlib.Path, *arguments: Any, job: tuple[Any, ...] | None = None) -> list[tuple[int, float, float]]:
    """Epoch, test error and loss of train_mnist.py."""
    path = folder / "curve.csv"
    example("train_mnist.py", "--csv", path, *arguments, job=job)
    with open(path) as file:
        rows = list(csv.DictReader(file))
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds) and seconds[0] > 0
    return [(int(row["epoch"]), float(row["test_error"]), float(row["loss"])) for row in rows]


SYNTHETIC = ("--synthetic", 2000, "--epochs", 3, "--min_accuracy", 90)


@pytest.fixture(scope="module", name="alone")
def curve_alone(tmp_path_factory: Any) -> list[tuple[int, float, float]]:
    return curve(tmp_path_factory.mktemp("alone"), *SYNTHETIC)


@pytest.mark.parametrize("job", [(2, 2), (1, 3)])
def test_mnist_synchronously_is_the_same_curve_as_alone(alone: Any, tmp_path: Any, job: Any) -> None:
    several = curve(tmp_path, *SYNTHETIC, job=job)
    assert [epoch for epoch, _, _ in alone] == [1, 2, 3]
    for (_, error, loss), (_, alone_error, alone_loss) in zip(several, alone, strict=True):
        # Sums of gradients are exact; those of losses are of doubles, in another order.
        assert error == alone_error and loss == pytest.approx(alone_loss, rel=1e-8)


@pytest.mark.parametrize("mode", ["dist_async", "dist_ssp:2"])
def test_mnist_learns_without_waiting(tmp_path: Any, mode: str) -> None:
    curve(tmp_path, *SYNTHETIC, "--mode", mode, job=(2, 2))


def test_mnist_says_what_it_lacks(tmp_path: Any) -> None:
    done = example("train_mnist.py", "--data", tmp_path, check=False)
    assert done.returncode == 1 and "get_data.sh" in done.stderr
    done = example("train_mnist.py", "--synthetic", 500, "--epochs", 1, "--min_accuracy", 100, check=False)
    assert done.returncode == 1 and "wanted an accuracy" in done.stderr
    done = example("train_mnist.py", "--synthetic", 500, "--batch", 30, check=False)
    assert done.returncode == 2 and "blocks of 25" in done.stderr


@pytest.mark.skipif(not os.environ.get("PS_TEST_LONG"), reason="PS_TEST_LONG=1")
@pytest.mark.skipif(not (MNIST / "t10k-labels-idx1-ubyte").exists(), reason="examples/mnist/get_data.sh")
def test_mnist_reaches_97_percent(tmp_path: Any) -> None:
    rows = curve(tmp_path, "--data", MNIST, "--epochs", 5, "--min_accuracy", 97, job=(2, 2))
    print(f"FIGURE python-mnist {100 * (1 - rows[-1][1]):.2f} % after 5 epochs")
