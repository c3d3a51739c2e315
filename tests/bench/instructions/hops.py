#!/usr/bin/env python3
"""How often threads are woken for one round trip: a pull of 16 floats and its Wait, one after the other.

Each process tells at its end how often its threads have waited (voluntary context switches); a run without requests is
taken off. Prints the median, the smallest and the largest of the runs for worker and server.

    hops.py [--build build] [--requests 20000] [--runs 5]
"""
import argparse
import os
import re
import statistics
import sys

import job


def switches(program, variables, requests, is_inline):
    outputs = job.run(program, ["ping", requests] + (["inline"] if is_inline else []), variables)
    return {role: int(re.search(r"^switches (\d+)", outputs[role], re.MULTILINE).group(1))
            for role in ("worker", "server")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--requests", type=int, default=20000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    program = os.path.abspath(f"{options.build}/bench/instructions/one_key_requests")
    for transport, spin, is_inline in (("shm", "", False), ("shm", "0", False), ("shm", "0", True), ("zmq", "", False)):
        variables = {"DMLC_PS_VAN_TYPE": transport}
        if spin:
            variables["PS_SPIN_US"] = spin
        runs = []
        for _ in range(options.runs):
            idle = switches(program, variables, 0, is_inline)
            busy = switches(program, variables, options.requests, is_inline)
            runs.append({role: (busy[role] - idle[role]) / options.requests for role in busy})
        how = "spinning allowed" if not spin else "PS_SPIN_US=0"
        for role in ("worker", "server"):
            each = sorted(run[role] for run in runs)
            print(f"{transport}, {how}{', inline handle' if is_inline else ''}: waits of the {role}'s threads per round "
                  f"trip: {statistics.median(each):.2f} ({each[0]:.2f} to {each[-1]:.2f}, {options.runs} runs of "
                  f"{options.requests})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
