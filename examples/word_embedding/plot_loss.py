#!/usr/bin/env python3
"""usage: plot_loss.py LOSS.csv PLOT.png [LOSS.csv ...]

Draws the loss over time that word_embedding writes (--loss-csv), of one run or of several. Exit code: 0 done; 1 the
file can not be read or written; 2 wrong usage; 3 there is no matplotlib."""
import csv
import os
import sys


def read(path):
    """{"train_loss": ([epochs], [losses]), "held_out_loss": ...} of a file."""
    curves = {"train_loss": ([], []), "held_out_loss": ([], [])}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for name, (epochs, losses) in curves.items():
                if row[name]:
                    epochs.append(float(row["epochs"]))
                    losses.append(float(row[name]))
    return curves


def draw(runs, target):
    import matplotlib
    matplotlib.use("Agg")  # no display is needed
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for name, curves in runs:
        prefix = f"{name}: " if len(runs) > 1 else ""
        (line,) = axes.plot(*curves["train_loss"], linewidth=1, label=prefix + "trained on")
        axes.plot(*curves["held_out_loss"], "o--", color=line.get_color(), label=prefix + "held out")
    axes.set_xlabel("times over the text")
    axes.set_ylabel("loss per pair of words (nats)")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(target, dpi=100)


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    try:
        runs = [(os.path.splitext(os.path.basename(path))[0], read(path)) for path in arguments[:1] + arguments[2:]]
        draw(runs, arguments[1])
    except ImportError:
        print("plot_loss.py: matplotlib is needed to draw and is not there; install it (Debian: apt-get install "
              "python3-matplotlib) and use that python3", file=sys.stderr)
        return 3
    except (KeyError, ValueError) as error:
        print(f"plot_loss.py: no file of word_embedding --loss-csv: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"plot_loss.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
