"""Random numbers, start weights and orders of examples: those of examples/mnist/starts.h, bit by bit."""

from __future__ import annotations

import numpy as np

_FIRST_ORDER = 16  # sequences from here on are orders of epochs, those before are weights


def _mixed(z: np.ndarray) -> np.ndarray:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _numbers(seed: int, sequence: int, count: int) -> np.ndarray:
    """The first numbers of a sequence, of 64 bits (splitmix64); they wrap around."""
    start = _mixed(np.array([seed << 32 | sequence], np.uint64))
    return _mixed(start + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))


def first_weights(seed: int, layer: int, inputs: int, outputs: int) -> np.ndarray:
    """Weights [inputs, outputs] to begin with, uniform between -r and r, r^2 = 6 / inputs. `layer`: 0 hidden, 1 output."""
    shares = (_numbers(seed, layer, inputs * outputs) >> np.uint64(40)).astype(np.float64) / 2**24
    return ((2 * shares - 1) * np.sqrt(6.0 / inputs)).astype(np.float32).reshape(inputs, outputs)


def order_of(seed: int, epoch: int, count: int) -> np.ndarray:
    """The order of the examples in an epoch, counted from 1."""
    return np.argsort(_numbers(seed, _FIRST_ORDER + epoch, count) >> np.uint64(11), kind="stable")
