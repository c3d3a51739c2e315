"""The trainings that the curves are of: examples/mnist, and the same network in Python and Lua, as jobs of this machine."""
import functools
import glob
import hashlib
import json
import os
import resource
import subprocess
import time

import results

# Gradients of four blocks of each batch are rounded, so that their sums are exact: 1, 2 and 4 workers that wait for each
# other are then one curve. Batch, rate and its decay are the defaults of examples/mnist.
BLOCKS = 4
TIMEOUT = 600  # seconds of a job


def jobs(modes, workers, seeds, languages):
    """All runs, those of a random start together."""
    found = []
    for seed in seeds:
        found.append(results.Run("cpp", "local", 1, seed))
        found += [results.Run("cpp", mode, n, seed) for n in workers for mode in modes]
        found += [results.Run(language, "dist_sync", 2, seed) for language in languages if language != "cpp"]
    return found


class Runner:
    """Runs jobs whose results are not there yet. `folder`: of their results, `<run>.csv`; what else is known of them
    is in runs.json: which other work the machine had meanwhile."""

    def __init__(self, root, build, data, folder, epochs):
        self.root, self.build, self.data, self.folder, self.epochs = root, build, data, folder, epochs
        self.known_path = os.path.join(folder, "runs.json")
        os.makedirs(folder, exist_ok=True)

    def program(self, language):
        """Command line and variables of the program."""
        examples = os.path.join(self.root, "examples")
        library = {"PS_LIBRARY": os.path.join(self.build, "libps.so.1")}
        # One thread per worker, as in the other languages.
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        if language == "python":
            python = os.environ.get("PYTHON", "/usr/bin/python3")
            path = os.path.join(self.root, "src", "python")
            return [python, os.path.join(examples, "python", "train_mnist.py")], {**library, **threads, "PYTHONPATH": path}
        if language == "lua":
            path = os.path.join(self.root, "src", "lua", "?.lua") + ";;"
            return ["luajit", os.path.join(examples, "lua", "train_mnist.lua")], {**library, "LUA_PATH": path}
        return [os.path.join(self.build, "examples", "mnist", "mnist")], {}

    def path(self, run):
        return os.path.join(self.folder, f"{run.name}.csv")

    def is_there(self, run):
        """Whether there is a result, and it is of these programs and options."""
        return self.is_whole(run) and self.known().get(run.name, {}).get("of") == self.identity(run)

    def identity(self, run):
        """What tells runs of other programs, or with other options, apart."""
        words = [os.path.relpath(word, self.root) if os.path.isabs(word) else word
                 for word in self.command(run)[0] if word != self.path(run)]
        return hashlib.sha256("\0".join([self.digest(run.language), *words]).encode()).hexdigest()[:16]

    @functools.lru_cache(maxsize=None)
    def digest(self, language):
        """Of the files of a program: of its sources, and the library or, in C++, the program itself."""
        files = [self.program(language)[0][0]]
        if language != "cpp":
            endings = {"python": "py", "lua": "lua"}[language]
            files = [os.path.join(self.build, "libps.so.1")]
            for folder in (f"src/{language}", f"examples/{language}"):
                files += sorted(glob.glob(os.path.join(self.root, folder, "**", f"*.{endings}"), recursive=True))
        made = hashlib.sha256()
        for path in files:
            with open(path, "rb") as file:
                made.update(file.read())
        return made.hexdigest()

    def is_whole(self, run):
        try:
            return len(results.read_run(self.path(run))) == self.epochs
        except (OSError, ValueError, KeyError):
            return False

    def command(self, run):
        program, variables = self.program(run.language)
        options = ["--mode", run.mode, "--epochs", self.epochs, "--seed", run.seed, "--data", self.data, "--csv",
                   self.path(run)]
        if run.language != "python":  # there it is so anyhow
            options += ["--blocks", BLOCKS]
        job = [] if run.mode == "local" else [os.path.join(self.root, "tracker", "local.sh"), "--timeout", TIMEOUT, 1,
                                              run.workers]
        return [str(word) for word in job + program + options], variables

    def run(self, run):
        """Throws RuntimeError with the end of the output where the job fails."""
        command, variables = self.command(run)
        before = busy_seconds(), own_seconds(), time.monotonic()
        done = subprocess.run(command, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, timeout=TIMEOUT + 30)
        after = busy_seconds(), own_seconds(), time.monotonic()
        if done.returncode != 0 or not self.is_whole(run):
            end = "\n".join(done.stdout.splitlines()[-20:])
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{end}")
        busy, own, wall = (late - early for late, early in zip(after, before))
        self.note(run, {"wall_seconds": round(wall, 2), "other_work_cores": round(max(0.0, (busy - own) / wall), 3),
                        "of": self.identity(run)})
        return wall

    def note(self, run, what):
        known = self.known()
        known[run.name] = what
        with open(self.known_path + ".new", "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1, sort_keys=True)
        os.replace(self.known_path + ".new", self.known_path)

    def known(self):
        try:
            with open(self.known_path, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    def forget(self, runs):
        for run in runs:
            if os.path.exists(self.path(run)):
                os.remove(self.path(run))


def busy_seconds():
    """Processor time that the whole machine has spent, all processors together; 0 where it does not say."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    except (OSError, ValueError):
        return 0.0
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """The same of this program and of the jobs that have ended."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(who)
        total += used.ru_utime + used.ru_stime
    return total
