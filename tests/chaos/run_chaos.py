#!/usr/bin/env python3
"""Runs the long figures one after another and prints a table: id | scenario | figure | pass or fail.

A row is a test program below <build>/tests (or a script below tests/), what of it is run, and the variables that make
it long. It passes when it exits with 0, ran at least one test and skipped none. Its figure is what it printed as
"FIGURE <id> <text>".

    run_chaos.py [--build build] [--only R4,R6] [--programs]
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

LONG = {"PS_TEST_LONG": "1"}
SEEDS = {"PS_CHAOS_SEEDS": "1000"}
MINUTES = 60


class Row:
    """`time_scale` stretches the limits that tests set themselves; `limit_s` ends a row that hangs all the same."""

    def __init__(self, name, scenario, program, pattern="*", env=None, time_scale=1, limit_s=10 * MINUTES):
        self.name, self.scenario, self.program, self.pattern = name, scenario, program, pattern
        self.env = dict(env or {}, PS_TEST_TIME_SCALE=str(time_scale))
        self.limit_s = limit_s


# One line per figure.
ROWS = (
    Row("X1", "30 % loss, 1,000 seeds, in memory", "chaos/exactly_once", "*InMemory", SEEDS, 60, 60 * MINUTES),
    Row("X2", "30 % loss, 1,000 seeds, over sockets", "chaos/exactly_once", "*OverSockets", SEEDS, 60, 60 * MINUTES),
    Row("X3", "30 % loss, 0-50 ms: 1,000 clusters start and end", "chaos/exactly_once", "*SlowLinks", SEEDS, 60),
    Row("R4", "30 % loss, 10 % doubled, 20 % reordered, 0-50 ms", "chaos/rough_link", "*", LONG, 30, 30 * MINUTES),
    Row("C21", "case-21: 10 % loss, 5 % doubled, 0-50 ms", "chaos/lossy_link", "*FiveThousand*", LONG, 2),
    Row("C21b", "case-21: the handle takes 15 s", "chaos/lossy_link", "*RunsOnce", LONG, 2),
    Row("C21c", "case-21: two customer ids per worker", "chaos/lossy_link", "*TwoCustomerIds*", LONG, 2),
    Row("C21d", "case-21: memory over 10^6 messages, 10 % loss", "chaos/lossy_link", "*StaysFlat*", LONG, 20),
    Row("C21e", "case-21: no resend where nothing is lost", "chaos/lossy_link", "*NothingIsSentAgain*", LONG, 5),
    Row("R6", "10^6 malformed frames, over sockets", "chaos/malformed_frames", "*OverSockets*", LONG, 5),
    Row("R6m", "10^6 malformed frames, in memory", "chaos/malformed_frames", "*InMemory*", LONG, 5),
    Row("COLL", "allreduce and its kin, 5 % loss, 1,000 seeds", "chaos/collective_chaos", "*", SEEDS, 60, 60 * MINUTES),
    Row("C21p", "case-21: as processes", "process/lossy", "Case21*", LONG, 2),
    Row("R2", "a worker, a server or the scheduler killed at every point", "process/kill_worker", "*", LONG, 3, 30 * MINUTES),
    Row("R2H", "the same for the scheduler", "process/kill_scheduler", "*", LONG, 3, 30 * MINUTES),
    Row("R2S", "the same for a server", "process/kill_server", "*", LONG, 3, 30 * MINUTES),
    Row("R2W", "a worker killed at every point and started again (wait)", "process/revive_worker", "*", LONG, 3, 30 * MINUTES),
    Row("R2WS", "the same for a server that restores what it had", "process/revive_server", "*", LONG, 3, 30 * MINUTES),
    Row("R2s", "a server killed amid 200 rounds (fail); back with its state, twice (wait)", "process/recover", "*R2s*", LONG, 3),
    Row("SHM", "servers and workers killed 200 times amid shared memory", "process/shm_kill", "*", LONG, 5, 20 * MINUTES),
    Row("R3", "the scheduler killed: pushes go on for 60 s", "process/lost_node", "*R3*", LONG, 3),
    Row("R8", "case-25: strangers at every port of a busy job", "regress/strangers", "*Case25*", LONG, 5),
    Row("R9", "900 half-open and 100 slow connections", "regress/strangers", "*R9*", LONG, 5),
    Row("R10", "huge claims, endless messages, 8 GiB of frames", "transport/zmq/peers", "*", LONG, 5),
    Row("R13", "networks that are cut, one way or both", "netns/partition_test.sh", "*", LONG, 2, 20 * MINUTES),
    Row("R14", "SIGSTOP for longer than the time-out", "process/lost_node", "*R14*", LONG, 3),
    Row("R15", "the wall clock jumps", "process/machine", "R15*", LONG, 3),
    Row("R18", "few descriptors, no folder, no name", "process/machine", "R18*", LONG, 3),
    Row("R22", "1,000 times Start and Finalize", "process/machine", "R22*", LONG, 3, 20 * MINUTES),
    Row("GATE", "10^6 random programs against the rule of consistency", "store/gate", "*Simulation*", LONG, 30, 30 * MINUTES),
    Row("BSP", "1,000 seeds: sums of a round have the same bits", "chaos/store_chaos", "*SameBits*", SEEDS, 60, 30 * MINUTES),
    Row("BSP2", "1,000 seeds: the closed form of dist_sync", "chaos/store_chaos", "*ClosedForm*", SEEDS, 60, 30 * MINUTES),
    Row("SSP", "1,000 seeds: no read is staler than its bound", "chaos/store_chaos", "*Staler*", SEEDS, 60, 30 * MINUTES),
    Row("kv-case-15", "1,000 seeds: rounds of KVStore have the values of the closed form", "chaos/kvstore_chaos", "*", SEEDS, 60, 60 * MINUTES),
    Row("R5", "jobs killed amid checkpoints", "process/store_torn", "*R5*", LONG, 5, 20 * MINUTES),
    Row("wide", "577 nodes: barriers and BSP rounds", "regress/store_scale", "StoreWide*", LONG, 10, 20 * MINUTES),
    Row("tbl-vec-84", "10^6 contributions that nobody waits for", "regress/store_scale", "*TblVec84*", LONG, 10, 20 * MINUTES),
    Row("kv-case-17", "10,000 small tables, one round", "regress/store_scale", "*KvCase17*", LONG, 10, 20 * MINUTES),
    Row("kv-case-17k", "10,000 small keys of a KVStore, one call", "regress/kv_scenarios", "*KvCase17*", LONG, 10),
    Row("V118", "100 keys of 1200 x 1200", "regress/kv_scenarios", "*V118*", LONG, 10),
    Row("R24", "handles that throw, answer twice or never; fork", "process/unfinished", "*R24*", LONG, 3),
)


class Result:
    def __init__(self, passed, figure, output):
        self.passed, self.figure, self.output = passed, figure, output


def command_of(row, build):
    if row.program.endswith(".sh"):
        return [os.path.abspath(os.path.join("tests", row.program))]
    return [os.path.abspath(f"{build}/tests/{row.program}_test"), f"--gtest_filter={row.pattern}", "--gtest_color=no"]


def run(row, build):
    with tempfile.TemporaryDirectory(prefix="ps_chaos_") as folder, open(os.path.join(folder, "log"), "wb+") as log:
        env = dict(os.environ, PS_BUILD=os.path.abspath(build), PS_ROOT=os.getcwd(), TMPDIR=folder, **row.env)
        process = subprocess.Popen(command_of(row, build), stdout=log, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, env=env, start_new_session=True)
        try:
            code = process.wait(row.limit_s)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # what it may have left behind
            except ProcessLookupError:
                pass
            process.wait()
        log.seek(0)
        return judge(row, code, log.read().decode("utf-8", "replace"))


def judge(row, code, output):
    figures = re.findall(rf"^FIGURE {re.escape(row.name)} (.*)$", output, re.MULTILINE)
    ran = row.program.endswith(".sh") or re.search(r"^\[  PASSED  \] [1-9]", output, re.MULTILINE) is not None
    skipped = re.search(r"^\[  SKIPPED \]", output, re.MULTILINE) is not None
    passed = code == 0 and ran and not skipped
    if code is None:
        figures.append(f"not done after {row.limit_s} s")
    elif code < 0:
        figures.append(f"ended by signal {-code}")
    elif code > 0:
        figures.append(f"exit code {code}")
    elif not passed:
        figures.append("skipped" if skipped else "no test ran")
    return Result(passed, "; ".join(figures) or "-", output)


def chosen_rows(only):
    names = [name for name in only.split(",") if name]
    unknown = set(names) - {row.name for row in ROWS}
    if unknown:
        sys.exit(f"no such row: {' '.join(sorted(unknown))}; there are {' '.join(row.name for row in ROWS)}")
    return [row for row in ROWS if not names or row.name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default="", help="ids of rows, separated by commas")
    parser.add_argument("--programs", action="store_true", help="only say which test programs the rows need")
    options = parser.parse_args()
    rows = chosen_rows(options.only)
    if options.programs:
        needed = {row.program for row in rows if not row.program.endswith(".sh")}
        print("\n".join(f"{options.build}/tests/{program}_test" for program in sorted(needed)))
        return 0
    all_passed = True
    print("| id | scenario | figure | |\n|---|---|---|---|")
    for row in rows:
        began = time.monotonic()
        result = run(row, options.build)
        seconds = time.monotonic() - began
        verdict = "pass" if result.passed else "FAIL"
        print(f"| {row.name} | {row.scenario} | {result.figure} ({seconds:.0f} s) | {verdict} |", flush=True)
        if not result.passed:
            all_passed = False
            sys.stderr.write("\n".join(result.output.splitlines()[-60:]) + f"\n---- end of {row.name}\n")
    return 0 if all_passed else 1


if __name__ == "__main__":
    sys.exit(main())
