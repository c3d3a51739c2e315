#!/usr/bin/env python3
"""Instructions that a node spends on one acknowledged request for one key, window 256: what gates regressions, because
load does not change it.

One node alone runs under callgrind, with PS_SPIN_US=0; a run without requests is taken off. Prints the median, the
smallest and the largest of the runs. The number depends a little on how many messages are found at one wake-up.

    instructions.py [--build build] [--requests 30000] [--runs 3] [--transport zmq]
"""
import argparse
import os
import re
import statistics
import sys
import tempfile

import job

# (operation, whose instructions, inline handle)
ROWS = (("push", "server", False), ("push", "server", True), ("push", "worker", False), ("pull", "server", False),
        ("pull", "worker", False))


def count(program, transport, row, requests):
    operation, role, is_inline = row
    with tempfile.TemporaryDirectory(prefix="ps_instructions_") as folder:
        out = os.path.join(folder, "callgrind.out")
        job.run(program, [operation, requests] + (["inline"] if is_inline else []),
                {"PS_SPIN_US": "0", "DMLC_PS_VAN_TYPE": transport},
                {role: ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]})
        with open(out, encoding="utf-8") as profile:
            return int(re.search(r"^(?:summary|totals): (\d+)", profile.read(), re.MULTILINE).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--requests", type=int, default=30000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--transport", action="append", help="zmq and shm unless given")
    options = parser.parse_args()
    program = os.path.abspath(f"{options.build}/bench/instructions/one_key_requests")
    for transport in options.transport or ["zmq", "shm"]:
        for row in ROWS:
            idle = count(program, transport, row, 0)
            each = sorted((count(program, transport, row, options.requests) - idle) / options.requests
                          for _ in range(options.runs))
            handle = ", inline handle" if row[2] else ""
            print(f"{transport}: instructions of the {row[1]} per one-key {row[0]}, window 256{handle}: "
                  f"{statistics.median(each):.0f} ({each[0]:.0f} to {each[-1]:.0f}, {options.runs} runs of "
                  f"{options.requests}; {idle} without a request)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
