"""Start weights and orders of examples/python are those of examples/mnist (tests/examples/mnist_starts_test.cc and
tests/lua/starts_test.lua have the same numbers)."""
import sys

import pytest
from conftest import ROOT

np = pytest.importorskip("numpy")
sys.path.insert(0, str(ROOT / "examples" / "python"))
import starts  # noqa: E402


def test_weights_are_those_of_the_other_languages():
    weights = starts.first_weights(1, 0, 784, 128)
    assert weights.shape == (784, 128) and weights.dtype == np.float32
    assert weights[0, :3].tolist() == np.float32([0.0534385853, 0.0274428427, 0.00638005463]).tolist()


def test_orders_are_those_of_the_other_languages_and_have_every_example_once():
    order = starts.order_of(1, 1, 60000)
    assert order[[0, 1, 59999]].tolist() == [29515, 44255, 10006]
    assert np.array_equal(np.sort(order), np.arange(60000))
