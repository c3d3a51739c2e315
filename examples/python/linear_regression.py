#!/usr/bin/env python3
"""Linear regression through a Trainer: data is made from weights that are known, and training finds them again.

    python3 examples/python/linear_regression.py
    tracker/local.sh 2 2 python3 examples/python/linear_regression.py --kvstore dist_sync

Nothing but the type of the store is different between the two. The scheduler and the servers of a job run this file as
well: `import ps` serves in them, and ends the process.
"""

import argparse
import sys

import numpy as np
import ps

TRUE_WEIGHTS = np.array([2.0, -3.4, 0.5, 1.7], np.float32)
TRUE_BIAS = 4.2
EXAMPLES = 2000
BATCH = 100  # of all workers together
EPOCHS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kvstore", default="local",
                        help="local, dist_sync, dist_async, dist_ssp:<bound> [%(default)s]")
    options = parser.parse_args()

    draw = np.random.default_rng(7)  # the same data in every process
    x = draw.standard_normal((EXAMPLES, len(TRUE_WEIGHTS))).astype(np.float32)
    y = x @ TRUE_WEIGHTS + TRUE_BIAS + 0.01 * draw.standard_normal(EXAMPLES).astype(np.float32)

    store = ps.kv.create(options.kvstore)
    weights, bias = np.zeros_like(TRUE_WEIGHTS), np.zeros(1, np.float32)
    gradients = np.empty_like(weights), np.empty_like(bias)
    trainer = ps.Trainer({"weights": (weights, gradients[0]), "bias": (bias, gradients[1])}, "sgd",
                         {"learning_rate": 0.3}, kvstore=store)
    for _ in range(EPOCHS):
        for begin in range(0, EXAMPLES, BATCH):
            mine = slice(begin + store.rank, begin + BATCH, store.num_workers)  # of each batch every N-th example
            difference = x[mine] @ weights + bias - y[mine]
            gradients[0][:] = difference @ x[mine]
            gradients[1][:] = difference.sum()
            trainer.step(BATCH)
    store.barrier()

    error = max(np.abs(weights - TRUE_WEIGHTS).max(), abs(bias[0] - TRUE_BIAS))
    found = ", ".join(f"{value:.3f}" for value in [*weights, *bias])
    print(f"worker {store.rank} of {store.num_workers}: weights and bias {found}, "
          f"at most {error:.4f} from the true ones")
    return 0 if error < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
