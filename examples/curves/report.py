"""What the results say, as a page of Markdown."""
import os
import platform
import statistics
import time

from plot import name_of
from results import LANGUAGES

TARGET = 3.0  # percent
QUIET = 0.2  # cores that other work may use meanwhile
EXACT = 1e-5  # what training by workers that wait may differ from the single process by


def machine():
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model)
    except OSError:
        pass
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{cores()} cores of {model}, {memory:.0f} GiB, Linux {platform.release().split('-')[0]}"


def cores():
    return len(os.sched_getaffinity(0))


def seconds(value, is_disturbed=False):
    return "not reached" if value is None else f"{value:.1f} s" + ("*" if is_disturbed else "")


def disturbed(known):
    """Names of the runs during which the machine had so much other work that their time says little."""
    return {name for name, what in known.items() if what["other_work_cores"] > QUIET}


def table(head, rows):
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def time_to_target(results, modes, workers, noisy):
    def is_noisy(*setting):
        return results.is_of(noisy, *setting)

    rows = []
    for mode in modes:
        times = [results.seconds_to(TARGET, "cpp", mode, n) for n in workers]
        last = [f"{results.median('cpp', mode, n)[-1].test_error:.2f} %" for n in workers]
        rows.append([name_of(mode)] + [f"{seconds(t, is_noisy('cpp', mode, n))}; {e}"
                                       for n, t, e in zip(workers, times, last)])
    alone = results.seconds_to(TARGET, "cpp", "local", 1)
    head = [f"until {TARGET:.0f} %; error at the end"] + [f"{n} worker{'s' if n > 1 else ''}" for n in workers]
    lines = table(head, rows)
    lines += ["", f"One process without a cluster (`local`): {seconds(alone, is_noisy('cpp', 'local', 1))}; "
                  f"{results.median('cpp', 'local', 1)[-1].test_error:.2f} %."]
    if max(workers) > cores():
        lines += ["", f"This machine has {cores()} cores, which scheduler and server use as well: beyond {cores()} workers there "
                      "is no gain in time to be seen here, only what more workers do to the errors by epoch."]
    return lines


def exactness(results, workers):
    """The lines, and whether all is as exact as it should be."""
    rows, exact = [], True
    for n in workers:
        error, loss = results.off_single_process(n)
        exact = exact and error <= EXACT and loss <= EXACT
        rows.append([str(n), f"{error:.1e}", f"{loss:.1e}"])
    lines = ["BSP against the single process, largest difference over all epochs and random starts "
             f"(allowed: {EXACT:.0e}):", ""]
    return lines + table(["workers", "test error, of 1", "loss"], rows), exact


def languages_compared(results, languages, epochs, noisy):
    """The lines, and whether the languages differ by no more than random starts at the end. Of one random start nobody
    knows."""
    rows = []
    for epoch in range(1, epochs + 1):
        difference, noise = results.language_difference(epoch, languages)
        medians = [f"{results.median(language, 'dist_sync', 2)[epoch - 1].test_error:.2f}" for language in languages]
        rows.append([str(epoch), *medians, f"{difference:.2f}", f"{noise:.2f}"])
    times = ", ".join(LANGUAGES[language] + " " + seconds(results.median(language, "dist_sync", 2)[-1].seconds,
                                                           results.is_of(noisy, language, "dist_sync", 2))
                      for language in languages)
    difference, noise = results.language_difference(epochs, languages)
    head = ["epoch", *(LANGUAGES[language] for language in languages), "largest difference", "noise"]
    lines = ["The same job (BSP, 2 workers), test error in percent, medians. Difference: of a language from C++ with the "
             "same random start. Noise: how far C++'s own random starts are "
             "apart, highest less lowest.", "", *table(head, rows), "",
             f"After {epochs} epochs the languages differ by {difference:.2f}, random starts by {noise:.2f}. "
             f"Seconds of training: {times}."]
    return lines, difference <= noise or len(results.of("cpp", "dist_sync", 2)) == 1


def of_machine(known):
    others = [what["other_work_cores"] for what in known.values()]
    if not others:
        return []
    return [f"Other work on the machine meanwhile: {statistics.median(others):.2f} cores in the median run, at most "
            f"{max(others):.2f}." + (f" Times with a * are of runs with over {QUIET} cores of it, and say little."
                                     if disturbed(known) else "")]


def page(results, plan, known):
    """(the page, whether all that it promises holds)."""
    seeds = len(plan.seeds)
    exact_lines, exact = exactness(results, plan.workers)
    lines = ["# Curves", "", "Made by `make curves`: a network of 784 inputs, 128 rectified units and 10 classes learns to read "
             f"the digits of {plan.data}, in batches of 100 examples of all workers together (sgd, momentum 0.9, rate 0.1, "
             f"times 0.7 after each epoch). Medians of {seeds} random start{'s' if seeds > 1 else ''}, shaded from the lowest to "
             "the highest. Seconds are of training, without tests. 1 server. The medians are in `curves.csv`.", "",
             f"{machine()}; {time.strftime('%Y-%m-%d')}. " + " ".join(of_machine(known)), "",
             "![test error by epoch and by time, 1, 2 and 4 workers](workers.png)", "",
             *time_to_target(results, plan.modes, plan.workers, disturbed(known)), "", *exact_lines]
    alike = True
    if len(plan.languages) > 1:
        language_lines, alike = languages_compared(results, plan.languages, plan.epochs, disturbed(known))
        lines += ["", "![the same job in several languages](languages.png)", "", *language_lines]
    return "\n".join(lines) + "\n", exact, alike
