"""Results of runs: read, brought to medians over random starts, compared."""
import csv
import math
import statistics
from typing import NamedTuple

LANGUAGES = {"cpp": "C++", "python": "Python", "lua": "Lua"}


class Run(NamedTuple):
    language: str
    mode: str  # local, dist_sync, dist_ssp:<bound>, dist_async
    workers: int
    seed: int

    @property
    def name(self):
        return f"{self.language}-{self.mode.replace(':', '')}-{self.workers}-seed{self.seed}"


class Epoch(NamedTuple):
    epoch: int
    seconds: float  # of training since its begin
    test_error: float  # percent
    loss: float


def read_run(path):
    """The epochs of a run. ValueError, KeyError: the file is none of a training."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [Epoch(int(row["epoch"]), float(row["seconds"]), 100 * float(row["test_error"]), float(row["loss"]))
                for row in csv.DictReader(file)]
    for number, row in enumerate(rows, 1):
        if row.epoch != number or not 0 <= row.test_error <= 100 or not row.loss >= 0 or row.seconds < 0:
            raise ValueError(f"{path}: epoch {number} is {row}")
    return rows


class Results:
    """What is known of all runs: {Run: [Epoch, ...]}."""

    def __init__(self, runs):
        self.runs = runs

    def of(self, language, mode, workers):
        """The runs of a setting, by random start."""
        return [epochs for run, epochs in sorted(self.runs.items())
                if (run.language, run.mode, run.workers) == (language, mode, workers)]

    def is_of(self, names, *setting):
        """Whether one of the runs of these names is of a setting."""
        return any(run.name in names for run in self.runs if run[:3] == setting)

    def settings(self):
        return sorted({(run.language, run.mode, run.workers) for run in self.runs})

    def median(self, language, mode, workers):
        """The medians of a setting, epoch by epoch."""
        return [Epoch(at[0].epoch, *(statistics.median(column) for column in list(zip(*at))[1:]))
                for at in zip(*self.of(language, mode, workers))]

    def spread(self, language, mode, workers):
        """[(lowest, highest)] of the test errors, epoch by epoch."""
        return [(min(e.test_error for e in at), max(e.test_error for e in at))
                for at in zip(*self.of(language, mode, workers))]

    def seconds_to(self, error, language, mode, workers):
        """Median, over random starts, of the time until the first epoch that ended with this test error or less;
        None: it is not reached, as by half of them."""
        median = statistics.median(next((e.seconds for e in epochs if e.test_error <= error), math.inf)
                                   for epochs in self.of(language, mode, workers))
        return median if median < math.inf else None

    def off_single_process(self, workers):
        """The largest differences (test error of 1, loss) of dist_sync with these workers from the single process,
        over all epochs and random starts."""
        pairs = [(a, b) for one, many in zip(self.of("cpp", "local", 1), self.of("cpp", "dist_sync", workers))
                 for a, b in zip(one, many)]
        return (max(abs(a.test_error - b.test_error) for a, b in pairs) / 100, max(abs(a.loss - b.loss) for a, b in pairs))

    def language_difference(self, epoch, languages):
        """(largest difference of a language from C++ with the same random start, noise: from the lowest to the highest
        of C++'s random starts), of the test errors after an epoch."""
        errors = [[epochs[epoch - 1].test_error for epochs in self.of(language, "dist_sync", 2)]
                  for language in languages]
        difference = max((abs(one - cpp) for mine in errors[1:] for one, cpp in zip(mine, errors[0])), default=0.0)
        low, high = self.spread("cpp", "dist_sync", 2)[epoch - 1]
        return difference, high - low

    def write_medians(self, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["language", "mode", "workers", "starts", "epoch", "seconds", "test_error", "lowest_error",
                             "highest_error", "loss"])
            for setting in self.settings():
                for e, (low, high) in zip(self.median(*setting), self.spread(*setting)):
                    writer.writerow([*setting, len(self.of(*setting)), e.epoch, f"{e.seconds:.3f}", f"{e.test_error:.2f}",
                                     f"{low:.2f}", f"{high:.2f}", f"{e.loss:.6f}"])
