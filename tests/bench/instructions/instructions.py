#!/usr/bin/env python3
"""Instructions a server spends on one acknowledged push of one key: what gates regressions, because load does not
change it.

The server alone runs under callgrind, with PS_SPIN_US=0; a run without pushes is taken off. Prints the median, the
smallest and the largest of the runs, over ZeroMQ (loopback) and through shared memory. The number depends a little on
how many messages are found at one wake-up.

    instructions.py [--build build] [--pushes 100000] [--runs 3] [--transport zmq]
"""
import argparse
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile

LIMIT_S = 600


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def count(program, transport, pushes):
    """Instructions of the server in a job of one worker that pushes so often."""
    with tempfile.TemporaryDirectory(prefix="ps_instructions_") as folder:
        out = os.path.join(folder, "callgrind.out")
        env = dict(os.environ, DMLC_NUM_SERVER="1", DMLC_NUM_WORKER="1", DMLC_PS_ROOT_URI="127.0.0.1",
                   DMLC_PS_ROOT_PORT=str(free_port()), PS_SPIN_US="0", PS_START_TIMEOUT="120",
                   DMLC_PS_VAN_TYPE=transport)
        node = [program, str(pushes)]
        profiled = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"] + node
        nodes = [subprocess.Popen(command, env=dict(env, DMLC_ROLE=role), stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
                 for role, command in (("scheduler", node), ("server", profiled), ("worker", node))]
        try:
            outputs = [process.communicate(timeout=LIMIT_S)[0] for process in nodes]
        finally:
            for process in nodes:
                process.kill()
        for process, output in zip(nodes, outputs):
            if process.returncode != 0:
                sys.exit(f"{' '.join(process.args)} ended with {process.returncode}:\n{output}")
        with open(out, encoding="utf-8") as profile:
            return int(re.search(r"^(?:summary|totals): (\d+)", profile.read(), re.MULTILINE).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--pushes", type=int, default=100000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--transport", action="append", help="zmq and shm unless given")
    options = parser.parse_args()
    program = os.path.abspath(f"{options.build}/bench/instructions/one_key_pushes")
    for transport in options.transport or ["zmq", "shm"]:
        idle = count(program, transport, 0)
        per_push = sorted((count(program, transport, options.pushes) - idle) / options.pushes
                          for _ in range(options.runs))
        print(f"instructions of the server per acknowledged one-key push, window 256, {transport}: "
              f"{statistics.median(per_push):.0f} ({per_push[0]:.0f} to {per_push[-1]:.0f}, {options.runs} runs of "
              f"{options.pushes}; {idle} without a push)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
