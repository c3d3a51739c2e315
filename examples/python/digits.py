"""Pictures of digits: MNIST as `examples/mnist/get_data.sh` fetches it, or made-up ones."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

CLASSES = 10


class Digits(NamedTuple):
    """Pictures in memory, one after the other."""

    pixels: np.ndarray  # [n, height * width] float32, 0 is paper and 1 is ink
    labels: np.ndarray  # [n] int64, 0 to 9

    def __len__(self) -> int:
        return len(self.labels)


def _read_idx(path: str, ndim: int) -> np.ndarray:
    """The array of unsigned bytes in an IDX file, the form that MNIST comes in."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}; examples/mnist/get_data.sh fetches it, --synthetic does without")
    if data[:4] != bytes((0, 0, 8, ndim)) or len(data) < 4 + 4 * ndim:
        raise SystemExit(f"{path}: this is no IDX file of bytes with {ndim} dimensions")
    shape = np.frombuffer(data, dtype=">u4", count=ndim, offset=4).astype(np.int64)
    if len(data) != 4 + 4 * ndim + int(np.prod(shape)):
        raise SystemExit(f"{path}: {len(data)} bytes do not hold an array of {shape.tolist()}")
    return np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * ndim).reshape(shape)


def read(folder: str, name: str) -> Digits:
    """Reads FOLDER/NAME-{images-idx3,labels-idx1}-ubyte; `name` is `train` or `t10k`. Ends the program where it can
    not."""
    images = _read_idx(os.path.join(folder, f"{name}-images-idx3-ubyte"), 3)
    labels = _read_idx(os.path.join(folder, f"{name}-labels-idx1-ubyte"), 1)
    if len(images) != len(labels):
        raise SystemExit(f"{folder}: {len(images)} pictures and {len(labels)} labels of {name}")
    return Digits(images.reshape(len(images), -1).astype(np.float32) / np.float32(255), labels.astype(np.int64))


def make(count: int, seed: int, size: int = 14) -> Digits:
    """Made-up digits: a shape of `size` x `size` points per class, moved by up to a point, with noise.

    The shapes are the same for every seed, so that sets of two seeds are of one kind.
    """
    shapes = np.random.default_rng(1998).random((CLASSES, size, size)) < 0.3
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, CLASSES, count)
    moves = draw.integers(-1, 2, (count, 2))
    pixels = np.empty((count, size, size), np.float32)
    for i in range(count):
        pixels[i] = np.roll(shapes[labels[i]], moves[i], axis=(0, 1))
    pixels += draw.normal(0, 0.3, pixels.shape).astype(np.float32)
    return Digits(pixels.reshape(count, -1), labels)
