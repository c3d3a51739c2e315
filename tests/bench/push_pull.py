#!/usr/bin/env python3
"""What push_pull.cc does, in Python."""
import sys
import time

import ps  # serves, in a server

import numpy

SIZE = 1 << 20  # floats
WARM_UP = 30


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    store = ps.KVStore("dist_sync")
    values, out = numpy.ones(SIZE, "float32"), numpy.zeros(SIZE, "float32")
    store.init(1, out)
    times = []
    for i in range(WARM_UP + rounds):
        if i == WARM_UP:
            used = time.process_time()
        begin = time.perf_counter()
        store.pushpull(1, values, out)
        times.append(time.perf_counter() - begin)
    used = (time.process_time() - used) * 1e6 / rounds
    times = sorted(times[WARM_UP:])
    print(f"{times[len(times) // 2] * 1e6:.1f} {used:.1f}", flush=True)
    return 0 if out[-1] == store.num_workers else 1


sys.exit(main())
