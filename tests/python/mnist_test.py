"""examples/python/train_mnist.py: the curve is the same for any number of workers."""
from __future__ import annotations

import csv
import os
import pathlib
from typing import Any

import pytest
from conftest import BUILD
from examples import example

MNIST = BUILD / "data" / "mnist"


def curve(folder: pathlib.Path, *arguments: Any, job: tuple[Any, ...] | None = None) -> list[tuple[int, float, float]]:
    """Epoch, test error and loss of train_mnist.py."""
    path = folder / "curve.csv"
    example("train_mnist.py", "--csv", path, *arguments, job=job)
    with open(path) as file:
        rows = list(csv.DictReader(file))
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds) and seconds[0] > 0
    return [(int(row["epoch"]), float(row["test_error"]), float(row["loss"])) for row in rows]


LONG = bool(os.environ.get("PS_TEST_LONG"))
SYNTHETIC = ("--synthetic", 2000, "--epochs", 2, "--min_accuracy", 85)


@pytest.fixture(scope="module", name="alone")
def curve_alone(tmp_path_factory: Any) -> list[tuple[int, float, float]]:
    return curve(tmp_path_factory.mktemp("alone"), *SYNTHETIC)


@pytest.mark.parametrize("job", [(2, 2), (1, 3)] if LONG else [(1, 2)])
def test_mnist_synchronously_is_the_same_curve_as_alone(alone: Any, tmp_path: Any, job: Any) -> None:
    several = curve(tmp_path, *SYNTHETIC, job=job)
    assert [epoch for epoch, _, _ in alone] == [1, 2]
    for (_, error, loss), (_, alone_error, alone_loss) in zip(several, alone, strict=True):
        # Sums of gradients are exact; those of losses are of doubles, in another order.
        assert error == alone_error and loss == pytest.approx(alone_loss, rel=1e-8)


@pytest.mark.parametrize("mode", ["dist_async", "dist_ssp:2"] if LONG else ["dist_ssp:2"])
def test_mnist_learns_without_waiting(tmp_path: Any, mode: str) -> None:
    curve(tmp_path, *SYNTHETIC, "--mode", mode, job=(1, 2))


def test_mnist_says_what_it_lacks(tmp_path: Any) -> None:
    done = example("train_mnist.py", "--data", tmp_path, check=False)
    assert done.returncode == 1 and "get_data.sh" in done.stderr
    done = example("train_mnist.py", "--synthetic", 500, "--epochs", 1, "--min_accuracy", 100, check=False)
    assert done.returncode == 1 and "wanted an accuracy" in done.stderr
    done = example("train_mnist.py", "--synthetic", 500, "--batch", 30, check=False)
    assert done.returncode == 2 and "blocks of 25" in done.stderr


@pytest.mark.skipif(not LONG, reason="PS_TEST_LONG=1")
@pytest.mark.skipif(not (MNIST / "t10k-labels-idx1-ubyte").exists(), reason="examples/mnist/get_data.sh")
def test_mnist_reaches_97_percent(tmp_path: Any) -> None:
    rows = curve(tmp_path, "--data", MNIST, "--epochs", 5, "--min_accuracy", 97, job=(2, 2))
    print(f"FIGURE python-mnist {100 * (1 - rows[-1][1]):.2f} % after 5 epochs")
