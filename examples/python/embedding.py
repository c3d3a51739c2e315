#!/usr/bin/env python3
"""Vectors of words in a row-sparse key: only the rows that a batch has travel, either way.

    python3 examples/python/embedding.py
    tracker/local.sh 2 2 python3 examples/python/embedding.py --kvstore dist_async

The words stand on a ring, and are "seen together" when they are at most 3 places apart. Vectors are learnt so that the
product of two is large for such pairs and small for others (logistic regression on the product, against drawn pairs).
Afterwards the two vectors nearest to a word's have to be those of neighbours.
"""

import argparse
import sys

import numpy as np
import ps

WORDS, DIMENSIONS, NEAR = 500, 16, 3
PAIRS = 64  # of a worker's batch, and as many again that are drawn


def draw_pairs(draw):
    """Two words each, and whether they are near: [2 PAIRS], [2 PAIRS], [2 PAIRS]."""
    first = draw.integers(0, WORDS, PAIRS)
    steps = draw.integers(1, NEAR + 1, PAIRS) * draw.choice([-1, 1], PAIRS)
    others = draw.integers(0, WORDS, PAIRS)
    far = np.minimum((others - first) % WORDS, (first - others) % WORDS) > NEAR
    return (np.concatenate([first, first[far]]), np.concatenate([(first + steps) % WORDS, others[far]]),
            np.concatenate([np.ones(PAIRS), np.zeros(far.sum())]).astype(np.float32))


def gradient_of(rows, first, second, is_near):
    """Of the loss by the rows that the pairs name by their places: [rows, DIMENSIONS]; and the mean loss."""
    products = np.einsum("ij,ij->i", rows[first], rows[second])
    chance = 1 / (1 + np.exp(-products))
    loss = -np.log(np.where(is_near == 1, chance, 1 - chance) + 1e-9).mean()
    difference = (chance - is_near)[:, None]
    gradient = np.zeros_like(rows)
    np.add.at(gradient, first, difference * rows[second])
    np.add.at(gradient, second, difference * rows[first])
    return gradient, float(loss)


def share_of_neighbours(vectors):
    """How many of the two vectors with the largest product are those of neighbours, on average over words."""
    words = np.arange(0, WORDS, 5)
    products = vectors[words] @ vectors.T
    products[np.arange(len(words)), words] = -np.inf
    found = np.argpartition(-products, 2, axis=1)[:, :2]
    distance = np.abs(found - words[:, None])
    return float((np.minimum(distance, WORDS - distance) <= NEAR).mean())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kvstore", default="local",
                        help="local, dist_sync, dist_async, dist_ssp:<bound> [%(default)s]")
    parser.add_argument("--steps", type=int, default=1500, help="batches of all workers together [%(default)s]")
    options = parser.parse_args()

    store = ps.kv.create(options.kvstore)
    store.set_optimizer(ps.optimizer.AdaGrad(learning_rate=0.2))
    shape = (WORDS, DIMENSIONS)
    first_vectors = np.random.default_rng(1).normal(0, 0.3, shape).astype(np.float32)
    store.init("vectors", ps.row_sparse(first_vectors, np.arange(WORDS), shape))

    draw = np.random.default_rng([2, store.rank])  # every worker has pairs of its own
    for step in range(1, options.steps // store.num_workers + 1):
        first, second, is_near = draw_pairs(draw)
        ids, places = np.unique(np.concatenate([first, second]), return_inverse=True)
        rows = store.row_sparse_pull("vectors", row_ids=ids).values.numpy()
        gradient, loss = gradient_of(rows, places[:len(first)], places[len(first):], is_near)
        store.push("vectors", ps.row_sparse(gradient, ids, shape))
        if store.rank == 0 and step % 250 == 0:
            print(f"step {step}: loss {loss:.3f}, {len(ids)} of {WORDS} rows", flush=True)
    store.barrier()

    vectors = store.row_sparse_pull("vectors", row_ids=np.arange(WORDS)).values.numpy()
    share = share_of_neighbours(vectors)
    print(f"worker {store.rank}: {100 * share:.1f} % of the nearest vectors are neighbours")
    return 0 if share > 0.8 else 1


if __name__ == "__main__":
    sys.exit(main())
