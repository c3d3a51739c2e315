"""The small examples, as a user runs them."""
from __future__ import annotations

from typing import Any

import pytest
from examples import example


def test_the_quickstart_learns_a_line() -> None:
    assert example("quickstart.py").stdout.count("y = 3.000 x + 1.000 after 80 steps") == 2


@pytest.mark.parametrize("kind, job", [("local", None), ("dist_sync", (1, 2))])
def test_linear_regression_finds_the_weights(kind: str, job: Any) -> None:
    done = example("linear_regression.py", "--kvstore", kind, job=job)
    assert done.stdout.count("from the true ones") == (2 if job else 1)


@pytest.mark.parametrize("kind, job", [("local", None), ("dist_async", (1, 2))])
def test_embeddings_find_neighbours(kind: str, job: Any) -> None:
    done = example("embedding.py", "--kvstore", kind, job=job)
    assert done.stdout.count("are neighbours") == (2 if job else 1)


def test_an_example_fails_where_it_has_not_learnt() -> None:
    assert example("embedding.py", "--steps", 1, check=False).returncode == 1
