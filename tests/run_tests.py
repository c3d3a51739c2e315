#!/usr/bin/env python3
"""Runs test programs (GoogleTest, by path below <build>/tests), fuzz drivers (*_fuzz), scripts (*_test.sh) and files of
pytest (*_test.py).

Each runs in a process group of its own under a hard time-out. A crash, a hang, a process left behind and a program
without a single test are failures. The last line is "N passed, N failed" (and ", N skipped" if any).
"""
import argparse
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

SKIPPED_SCRIPT = 77
# ThreadSanitizer sees neither into libzmq nor across processes: suites that need them would report noise.
NOT_UNDER_TSAN = ("process", "netns", "compat", "tracker", "transport/zmq", "transport/factory", "examples", "install",
                  "lint", "runner")
GRACE_S = 2.0  # for children of an ended test to be reaped
EXEC_S = 0.2  # how long a process may take to start a program, so that its environment can be read
KERNEL_THREAD = 0x200000  # among the flags of /proc/*/stat


class Outcome:
    def __init__(self, name):
        self.name = name
        self.passed = self.failed = self.skipped = 0
        self.seconds = 0.0
        self.problem = ""
        self.output = ""


def short_name(path, build):
    """van/barrier for <build>/tests/van/barrier_test and for tests/van/barrier_test.sh."""
    for root in (os.path.join(build, "tests") + os.sep, "tests" + os.sep):
        if path.startswith(root):
            path = path[len(root):]
            break
    for end in ("_test.sh", "_test.py", "_test"):
        if path.endswith(end):
            path = path[:-len(end)]
    return path


def living(pgid, folder):
    """Processes of a test, as {pid: name}: those of its group, and those that left it but still carry its TMPDIR.
    Beside it the number of those that can not be told yet: a process that starts a program has no environment."""
    found, unknown = {}, 0
    mark = f"TMPDIR={folder}\0".encode()
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                text = f.read()
            name, rest = text[text.find("(") + 1:text.rfind(")")], text[text.rfind(")") + 2:].split()
            if rest[0] in "ZX":
                continue
            environment = environment_of(pid)
            if int(rest[2]) == pgid or mark in environment + b"\0":
                found[pid] = name
            elif not environment and not int(rest[6]) & KERNEL_THREAD:
                unknown += 1
        except OSError:
            continue
    return found, unknown


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            return f.read()
    except PermissionError:
        return b"of somebody else"


def left_behind(pgid, folder):
    end = time.monotonic() + GRACE_S
    told_apart = time.monotonic() + EXEC_S
    while True:
        found, unknown = living(pgid, folder)
        now = time.monotonic()
        if now > end or not found and (not unknown or now > told_apart):
            return found
        time.sleep(0.02)


def kill_all(pgid, folder):
    try:
        os.killpg(pgid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for pid in living(pgid, folder)[0]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Runner:
    def __init__(self, options):
        self.options = options
        self.build = options.build
        self.running = {}  # process group -> its folder; guarded by lock
        self.lock = threading.Lock()
        self.stopping = False
        self.prefix = ["setarch", "-R"] if options.san == "thread" and self.can_fix_layout() else []
        self.env = dict(os.environ, PS_BUILD=os.path.abspath(self.build), PS_ROOT=os.getcwd(), PS_SAN=options.san)
        if options.san:
            self.env.setdefault("PS_TEST_TIME_SCALE", "5")
        self.env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

    @staticmethod
    def can_fix_layout():
        """ThreadSanitizer of older compilers does not know the address layout of newer kernels."""
        try:
            return subprocess.run(["setarch", "-R", "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0
        except OSError:
            return False

    def run(self, path):
        outcome = Outcome(short_name(path, self.build))
        if self.stopping:
            return outcome
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="ps_test_") as folder:
            report = os.path.join(folder, "report.json")
            code, stuck = self.execute(self.command(path, report), folder, outcome)
            outcome.seconds = time.monotonic() - started
            self.judge(path, report, code, stuck, outcome)
        return outcome

    def command(self, path, report):
        pattern = self.options.filter.partition(":")[2]
        if path.endswith("_test.sh"):
            return [os.path.abspath(path)]
        if path.endswith("_test.py"):
            return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}",
                    *(["-k", pattern] if pattern else []), *[os.path.abspath(path)] * self.options.repeat]
        command = self.prefix + [os.path.abspath(path)]
        if path.endswith("_fuzz"):
            name = os.path.basename(path)[:-len("_fuzz")]
            return command + [os.path.join("tests", "fuzz", "corpus", name)]
        command += [f"--gtest_output=json:{report}", "--gtest_color=no", f"--gtest_repeat={self.options.repeat}"]
        return command + ([f"--gtest_filter={pattern}"] if pattern else [])

    def execute(self, command, folder, outcome):
        """Returns (exit code or None for a time-out, {pid: name} left behind)."""
        log_path = os.path.join(folder, "log")
        with open(log_path, "wb") as log:
            try:
                process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                           env=dict(self.env, TMPDIR=folder), start_new_session=True)
            except OSError as error:
                outcome.output = str(error)
                return -1, {}
            with self.lock:
                self.running[process.pid] = folder
            try:
                code = process.wait(self.options.timeout * max(1, self.options.repeat))
                stuck = left_behind(process.pid, folder)
            except subprocess.TimeoutExpired:
                code, stuck = None, {}
            kill_all(process.pid, folder)
            process.wait()
            with self.lock:
                del self.running[process.pid]
        with open(log_path, encoding="utf-8", errors="replace") as log:
            outcome.output = log.read()
        return code, stuck

    def judge(self, path, report, code, stuck, outcome):
        if path.endswith("_test.sh") or path.endswith("_fuzz"):
            self.judge_exit_code(code, outcome)
        elif path.endswith("_test.py"):
            self.judge_pytest(report, code, outcome)
        else:
            self.judge_report(report, code, outcome)
        if code is None:
            outcome.problem = f"HANG: killed after {self.options.timeout} s"
        elif code < 0:
            outcome.problem = f"CRASH: signal {-code}"
        elif stuck:
            outcome.problem = "left processes behind: " + ", ".join(f"{name} ({pid})" for pid, name in stuck.items())
        if outcome.problem and outcome.failed == 0:
            outcome.passed, outcome.failed = 0, 1

    @staticmethod
    def judge_exit_code(code, outcome):
        if code == 0:
            outcome.passed = 1
        elif code == SKIPPED_SCRIPT:
            outcome.skipped = 1
        else:
            outcome.failed = 1
            outcome.problem = f"exit code {code}"

    @staticmethod
    def judge_report(report, code, outcome):
        try:
            with open(report, encoding="utf-8") as f:
                suites = json.load(f).get("testsuites", [])
        except (OSError, ValueError):
            outcome.problem = f"ended with exit code {code} before its report was written"
            return
        for test in (t for suite in suites for t in suite.get("testsuite", [])):
            if test.get("failures"):
                outcome.failed += 1
            elif test.get("result") == "SKIPPED":
                outcome.skipped += 1
            elif test.get("status") == "RUN":
                outcome.passed += 1
        if outcome.passed + outcome.failed + outcome.skipped == 0:
            outcome.problem = "no test ran"
        elif code != 0 and outcome.failed == 0:
            outcome.problem = f"exit code {code} although every test passed"

    @staticmethod
    def judge_pytest(report, code, outcome):
        try:
            tests = list(xml.etree.ElementTree.parse(report).getroot().iter("testcase"))
        except (OSError, xml.etree.ElementTree.ParseError):
            if "No module named pytest" in outcome.output:
                outcome.skipped = 1
            else:
                outcome.problem = f"ended with exit code {code} before its report was written"
            return
        for test in tests:
            if test.find("failure") is not None or test.find("error") is not None:
                outcome.failed += 1
            elif test.find("skipped") is not None:
                outcome.skipped += 1
            else:
                outcome.passed += 1
        if not tests:
            outcome.problem = "no test ran"
        elif code != 0 and outcome.failed == 0:
            outcome.problem = f"exit code {code} although every test passed"

    def stop(self):
        self.stopping = True
        with self.lock:
            for pgid, folder in self.running.items():
                kill_all(pgid, folder)


def print_outcome(outcome):
    count = f"{outcome.passed} ok" + (f", {outcome.skipped} skipped" if outcome.skipped else "")
    if outcome.failed:
        print(f"FAIL {outcome.name}: {outcome.failed} failed, {count}, {outcome.seconds:.1f} s", flush=True)
        print(outcome.output.rstrip("\n"))
        if outcome.problem:
            print(f"     {outcome.name}: {outcome.problem}")
        print(f"---- end of {outcome.name}", flush=True)
    else:
        print(f"ok   {outcome.name}: {count}, {outcome.seconds:.1f} s", flush=True)


def without_tsan_noise(paths, options):
    if options.san != "thread":
        return paths
    kept, dropped = [], []
    for path in paths:
        name = short_name(path, options.build)
        noisy = any(name == d or name.startswith(d + "/") or name.startswith(d + "_") for d in NOT_UNDER_TSAN)
        (dropped if noisy else kept).append(path)
    if dropped:
        print("SAN=thread: not run:", " ".join(short_name(p, options.build) for p in dropped), flush=True)
    return kept


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--san", default="")
    parser.add_argument("--filter", default="", help="folder, folder/name or folder/name:GTEST_PATTERN (as in T=)")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for each program")
    parser.add_argument("programs", nargs="*")
    return parser.parse_args()


def main():
    options = parse_options()
    # Where this runs in the background of a script SIGINT is ignored, and under nohup SIGHUP; tests that send these to
    # programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    runner = Runner(options)
    totals = Outcome("")
    paths = without_tsan_noise(options.programs, options)
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        try:
            for done in concurrent.futures.as_completed([pool.submit(runner.run, p) for p in paths]):
                outcome = done.result()
                print_outcome(outcome)
                totals.passed += outcome.passed
                totals.failed += outcome.failed
                totals.skipped += outcome.skipped
        except KeyboardInterrupt:
            runner.stop()
            totals.failed += 1
            print("interrupted")
    nothing = totals.passed + totals.failed == 0
    if nothing:
        print(f"no test ran{' for T=' + options.filter if options.filter else ''}")
    if totals.skipped:
        print(f"{totals.skipped} skipped")
    print(f"{totals.passed} passed, {totals.failed} failed")
    return 1 if totals.failed or nothing else 0


if __name__ == "__main__":
    sys.exit(main())
