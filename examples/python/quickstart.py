#!/usr/bin/env python3
"""A whole cluster in this process: two servers, and two workers that learn a line together.

    python3 examples/python/quickstart.py
"""

import numpy as np
import ps


def train(rank):
    """What one worker does. As a program of its own (`tracker/local.sh 2 2 python3 ...`) it would be no other."""
    store = ps.KVStore("dist_sync")
    store.set_optimizer(ps.optimizer.SGD(learning_rate=1.0))
    line = np.zeros(2, np.float32)  # slope and offset
    store.init("line", line)

    x = np.linspace(rank - 1, rank, 50, dtype=np.float32)  # this worker's half of the data
    y = 3 * x + 1
    for _ in range(40):
        difference = line[0] * x + line[1] - y
        gradient = np.array([(difference * x).mean(), difference.mean()], np.float32) / store.num_workers
        store.pushpull("line", gradient, out=line)  # the sum of all gradients is applied, and the new line comes back

    steps = ps.ArrayTable(1, name="steps", dtype="int64")  # a table that all workers add to
    steps.add([40])
    store.barrier()
    return line.tolist(), int(steps.get()[0])


with ps.LocalCluster(servers=2, workers=2) as cluster:
    for rank, (line, steps) in enumerate(cluster.run(train)):
        print(f"worker {rank}: y = {line[0]:.3f} x + {line[1]:.3f} after {steps} steps of all workers")
        assert abs(line[0] - 3) < 0.01 and abs(line[1] - 1) < 0.01 and steps == 80
