#!/usr/bin/env python3
"""Trains a network on MNIST with NumPy and a KVStore, alone or as a job.

    examples/mnist/get_data.sh                                             # once
    python3 examples/python/train_mnist.py                                 # alone
    tracker/local.sh 2 2 python3 examples/python/train_mnist.py            # 2 servers, 2 workers
    tracker/local.sh 2 2 python3 examples/python/train_mnist.py --mode dist_ssp:2 --csv curve.csv

A batch belongs to all workers together: it is blocks of 25 examples, of which the n-th of N workers takes every N-th
from the n-th on. With `dist_sync` the servers add up what all have pushed, so the curve has the same bits with any
number of workers, and alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any, Iterator, List, TextIO, Tuple

# The workers of a machine share its processors: one thread each. And the order of sums does not change with it.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import ps  # in a scheduler or server this serves, and ends the process

import digits
import mlp
import numpy as np
import starts

BLOCK = 25  # examples


def parse(arguments: List[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    is_job = "DMLC_PS_ROOT_URI" in os.environ
    parser.add_argument("--mode", default="dist_sync" if is_job else "local",
                        help="type of the KVStore: local, dist_sync, dist_async, dist_ssp:<bound> [%(default)s]")
    parser.add_argument("--epochs", type=int, default=5, help="times over the data [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of first weights and the order of examples [%(default)s]")
    parser.add_argument("--batch", type=int, default=100, help="examples per step, of all workers [%(default)s]")
    parser.add_argument("--hidden", type=int, default=128, help="rectified units [%(default)s]")
    parser.add_argument("--lr", type=float, default=0.1, help="learning rate [%(default)s]")
    parser.add_argument("--lr_decay", type=float, default=0.7, help="factor on it after every epoch [%(default)s]")
    parser.add_argument("--momentum", type=float, default=0.9, help="[%(default)s]")
    parser.add_argument("--data", default="build/data/mnist", help="folder of MNIST's files [%(default)s]")
    parser.add_argument("--synthetic", type=int, metavar="EXAMPLES", help="made-up digits instead, so many")
    parser.add_argument("--csv", help="file to write: epoch, seconds of training until then, test error (0 to 1), loss")
    parser.add_argument("--min_accuracy", type=float, default=0, help="percent; below it the run has failed")
    options = parser.parse_args(arguments)
    if options.batch <= 0 or options.batch % BLOCK != 0:
        parser.error(f"--batch {options.batch}: batches are of blocks of {BLOCK} examples")
    return options


def load(options: argparse.Namespace) -> Tuple[digits.Digits, digits.Digits]:
    """Digits to train and to test with."""
    if options.synthetic is not None:
        return digits.make(options.synthetic, 1), digits.make(max(200, options.synthetic // 5), 2)
    return digits.read(options.data, "train"), digits.read(options.data, "t10k")


class Training:
    """One worker's part of a job."""

    def __init__(self, options: argparse.Namespace, train: digits.Digits, test: digits.Digits) -> None:
        self.options, self.train, self.test = options, train, test
        self.store = ps.kv.create(options.mode)
        self.weights = mlp.first_weights(train.pixels.shape[1], options.hidden, options.seed)
        self.gradients = {name: np.zeros_like(weight) for name, weight in self.weights.items()}
        self.store.set_optimizer(ps.optimizer.SGD(learning_rate=options.lr, momentum=options.momentum,
                                                  rescale_grad=1 / options.batch))
        self.store.init(list(self.weights), list(self.weights.values()))
        self.seconds = 0.0

    def epoch(self, number: int) -> Tuple[mlp.Score, mlp.Score]:
        """Trains once over the data. Returns how well the network did, over all workers: while it learnt, and on the
        test examples afterwards."""
        self.store.barrier()
        begin = time.perf_counter()
        if self.store.rank == 0 and number > 1:
            self.store.set_hyper(lr=self.options.lr * self.options.lr_decay ** (number - 1))
        trained = mlp.Score()
        for blocks in self._batches(number):
            trained = trained.plus(self._step(blocks))
        self.store.barrier()  # where workers do not wait for each other: now the gradients of all are in
        self.store.pull(list(self.weights), list(self.weights.values()))
        self.seconds += time.perf_counter() - begin
        mine = slice(self.store.rank, None, self.store.num_workers)
        tested = mlp.judge(self.weights, self.test.pixels[mine], self.test.labels[mine])
        totals = ps.allreduce(np.array([*trained, *tested], np.float64)).tolist()
        return mlp.Score(*totals[:3]), mlp.Score(*totals[3:])

    def _batches(self, epoch: int) -> Iterator[List[Any]]:
        """This worker's blocks of each batch: indices of examples."""
        order = starts.order_of(self.options.seed, epoch, len(self.train))
        for begin in range(0, len(order) - self.options.batch + 1, self.options.batch):
            blocks = order[begin:begin + self.options.batch].reshape(-1, BLOCK)
            yield list(blocks[self.store.rank::self.store.num_workers])

    def _step(self, blocks: List[Any]) -> mlp.Score:
        score = mlp.Score()
        for gradient in self.gradients.values():
            gradient[:] = 0
        for block in blocks:
            score = score.plus(mlp.add_gradients(self.weights, self.train.pixels[block], self.train.labels[block],
                                                 self.gradients))
        self.store.pushpull(list(self.weights), list(self.gradients.values()), out=list(self.weights.values()))
        return score


def report(training: Training, epoch: int, trained: mlp.Score, tested: mlp.Score, csv: TextIO | None) -> None:
    """Says how it went."""
    loss, error = trained.loss / trained.examples, tested.errors / tested.examples
    print(f"epoch {epoch}: loss {loss:.8f}, test error {100 * error:.2f} %, {training.seconds:.2f} s", flush=True)
    if csv is not None:
        csv.write(f"{epoch},{training.seconds:.6f},{error:.6f},{loss:.9f}\n")
        csv.flush()


def main(arguments: List[str]) -> int:
    options = parse(arguments)
    training = Training(options, *load(options))
    is_first = training.store.rank == 0
    csv = open(options.csv, "w") if options.csv and is_first else None
    if csv is not None:
        csv.write("epoch,seconds,test_error,loss\n")
    accuracy = 0.0
    for epoch in range(1, options.epochs + 1):
        trained, tested = training.epoch(epoch)
        accuracy = 100 * (1 - tested.errors / tested.examples)
        if is_first:
            report(training, epoch, trained, tested, csv)
    if csv is not None:
        csv.close()
    if accuracy < options.min_accuracy:
        print(f"wanted an accuracy of {options.min_accuracy:.2f} %, got {accuracy:.2f} %", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
