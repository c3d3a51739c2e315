"""A network with one hidden layer of rectified units, in NumPy: nothing here knows of other workers.

Gradients are sums over the examples of a block, rounded to multiples of 2^-14. Sums of such numbers are exact, whatever
their order, and blocks have one size. So training has the same bits however many workers share the blocks of a batch.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple

import numpy as np

import starts
from digits import CLASSES

Parameters = Dict[str, np.ndarray]
_STEP = np.float32(2.0**-14)


class Score(NamedTuple):
    """How well the network did, summed over examples."""

    loss: float = 0.0  # cross entropy, nats
    errors: int = 0
    examples: int = 0

    def plus(self, other: "Score") -> "Score":
        return Score(self.loss + other.loss, self.errors + other.errors, self.examples + other.examples)


def first_weights(num_pixels: int, hidden: int, seed: int) -> Parameters:
    """Random weights, as large as the number of inputs bids (He et al., 2015). The same ones wherever the seed is."""
    return {
        "hidden_weights": starts.first_weights(seed, 0, num_pixels, hidden),  # [pixel, unit]
        "hidden_bias": np.zeros(hidden, np.float32),
        "output_weights": starts.first_weights(seed, 1, hidden, CLASSES),  # [unit, class]
        "output_bias": np.zeros(CLASSES, np.float32),
    }


def _forward(weights: Parameters, pixels: np.ndarray, labels: np.ndarray) -> Tuple[np.ndarray, np.ndarray, Score]:
    """The hidden units, the probabilities of the classes, and the score."""
    units = np.maximum(pixels @ weights["hidden_weights"] + weights["hidden_bias"], 0)
    logits = units @ weights["output_weights"] + weights["output_bias"]
    logits -= logits.max(axis=1, keepdims=True)
    odds = np.exp(logits)
    totals = odds.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = np.log(totals[:, 0].astype(np.float64)) - logits[rows, labels]
    errors = np.count_nonzero(logits.argmax(axis=1) != labels)
    return units, odds / totals, Score(float(loss.sum()), int(errors), len(labels))


def judge(weights: Parameters, pixels: np.ndarray, labels: np.ndarray) -> Score:
    """How well the network does on pictures [n, pixels] with labels [n]."""
    return _forward(weights, pixels, labels)[2]


def add_gradients(weights: Parameters, pixels: np.ndarray, labels: np.ndarray, gradients: Parameters) -> Score:
    """Adds the gradients of the loss, summed over this block of examples, to `gradients`."""
    units, probabilities, score = _forward(weights, pixels, labels)
    probabilities[np.arange(len(labels)), labels] -= 1
    back = (probabilities @ weights["output_weights"].T) * (units > 0)
    for name, gradient in (
        ("hidden_weights", pixels.T @ back),
        ("hidden_bias", back.sum(axis=0)),
        ("output_weights", units.T @ probabilities),
        ("output_bias", probabilities.sum(axis=0)),
    ):
        gradient /= _STEP
        np.rint(gradient, out=gradient)
        gradient *= _STEP
        gradients[name] += gradient
    return score
