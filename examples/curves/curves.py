#!/usr/bin/env python3
"""usage: curves.py [options]   (make curves)

Trains the network of examples/mnist with 1, 2 and 4 workers that wait for each other, for a bound, or not at all, in
C++, and with 2 workers in Python and Lua; draws the test errors by epoch and by time, and says how long it took to come
to 3 %. Results of runs of the same programs and options are kept, so that it goes on where it was interrupted.

exit code: 0 done; 1 a run failed, or training by workers is not that of the single process, or the languages differ; 2
wrong usage; 3 there is no matplotlib"""
import argparse
import os
import sys
from typing import NamedTuple, Tuple

import jobs
import report
import results

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Plan(NamedTuple):
    epochs: int
    seeds: Tuple[int, ...]
    workers: Tuple[int, ...]
    modes: Tuple[str, ...]
    languages: Tuple[str, ...]
    data: str  # as the page says it


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[1].split("\n\nexit", maxsplit=1)[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build folder")
    parser.add_argument("--data", help="folder with the files of MNIST [BUILD/data/mnist]")
    parser.add_argument("--runs", help="folder for the results of runs [BUILD/curves]")
    parser.add_argument("--out", default=HERE, help="folder for page, pictures and medians")
    parser.add_argument("--languages", default="cpp,python,lua", help="those of %(default)s that are compared")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--fresh", action="store_true", help="results that are there are not kept")
    parser.add_argument("--quick", action="store_true", help="one epoch, one random start, 2 workers: a test")
    options = parser.parse_args(arguments)
    options.build = os.path.abspath(options.build)
    options.data = os.path.abspath(options.data or os.path.join(options.build, "data", "mnist"))
    options.runs = os.path.abspath(options.runs or os.path.join(options.build, "curves"))
    languages = tuple(options.languages.split(","))
    if options.epochs < 1 or languages[0] != "cpp" or not set(languages) <= set(results.LANGUAGES):
        parser.error("--languages begins with cpp, and --epochs is above 0")
    options.plan = Plan(1 if options.quick else options.epochs, (1,) if options.quick else (1, 2, 3),
                        (2,) if options.quick else (1, 2, 4), ("dist_sync", "dist_ssp:3", "dist_async"), languages,
                        "MNIST" if os.path.basename(options.data) == "mnist" else options.data)
    return options


def collect(options):
    """Runs what is missing. All results, and what else is known of the runs."""
    plan = options.plan
    runner = jobs.Runner(ROOT, options.build, options.data, options.runs, plan.epochs)
    runs = jobs.jobs(plan.modes, plan.workers, plan.seeds, plan.languages)
    if options.fresh:
        runner.forget(runs)
    missing = [run for run in runs if not runner.is_there(run)]
    print(f"curves: {len(missing)} runs, {len(runs) - len(missing)} are there ({options.runs})", flush=True)
    for number, run in enumerate(missing, 1):
        print(f"curves: {number}/{len(missing)} {run.name}", end="", flush=True)
        print(f": {runner.run(run):.1f} s", flush=True)
    known = runner.known()
    return (results.Results({run: results.read_run(runner.path(run)) for run in runs}),
            {run.name: known[run.name] for run in runs if run.name in known})


def draw(found, options):
    import plot
    plan = options.plan
    plot.draw_workers(found, plan.modes, plan.workers, os.path.join(options.out, "workers.png"))
    if len(plan.languages) > 1:
        plot.draw_languages(found, plan.languages, os.path.join(options.out, "languages.png"))


def main(arguments):
    options = parse(arguments)
    try:
        os.makedirs(options.out, exist_ok=True)
        found, known = collect(options)
        found.write_medians(os.path.join(options.out, "curves.csv"))
        page, exact, alike = report.page(found, options.plan, known)
        with open(os.path.join(options.out, "README.md"), "w", encoding="utf-8") as file:
            file.write(page)
        print(page)
        draw(found, options)
    except ImportError:
        print("curves.py: matplotlib is needed to draw and is not there; install it (Debian: apt-get install "
              "python3-matplotlib) and use that python3", file=sys.stderr)
        return 3
    except (OSError, RuntimeError, ValueError) as error:
        print(f"curves.py: {error}", file=sys.stderr)
        return 1
    if not alike:
        print("curves.py: the languages differ by more than random starts do", file=sys.stderr)
    if not exact:
        print("curves.py: BSP is not what the single process computes", file=sys.stderr)
    return 0 if exact and alike else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
