"""Pictures of the results. ImportError where there is no matplotlib."""
from results import LANGUAGES

MODES = {"dist_sync": "BSP", "dist_ssp": "SSP, 3 rounds", "dist_async": "ASP"}
COLOURS = ("#1f77b4", "#d95f02", "#2a9d4b")


def name_of(mode):
    return MODES.get(mode.split(":")[0], mode)


def _pyplot():
    import matplotlib
    matplotlib.use("Agg")  # no display is needed
    from matplotlib import pyplot
    return pyplot


def _draw(axes, results, setting, label, colour, x):
    median = results.median(*setting)
    places = [getattr(epoch, x) for epoch in median]
    axes.plot(places, [epoch.test_error for epoch in median], "o-", markersize=3, linewidth=1.2, label=label, color=colour)
    lows, highs = zip(*results.spread(*setting))
    axes.fill_between(places, lows, highs, alpha=0.15, color=colour, linewidth=0)


def _shrink(path):
    """A fourth of the size: few colours, and nothing beside the picture. Pillow is there where matplotlib is."""
    from PIL import Image
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(64)
    small.save(path, optimize=True)


def _finish(figure, rows, path):
    for row, x in zip(rows, ("epochs", "seconds of training")):
        for axes in row:
            axes.set_xlabel(x)
            axes.set_ylabel("test error, %")
            axes.axhline(3, color="black", linewidth=0.6, linestyle=":")
            axes.grid(alpha=0.3)
            axes.set_xlim(left=0)
    rows[0][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    _shrink(path)


def draw_workers(results, modes, workers, path):
    """Test error by epoch (above) and by time (below), a column per number of workers."""
    pyplot = _pyplot()
    figure, grid = pyplot.subplots(2, len(workers), figsize=(3.6 * len(workers), 6), squeeze=False, sharey=True)
    for row, x in zip(grid, ("epoch", "seconds")):
        for axes, n in zip(row, workers):
            for mode, colour in zip(modes, COLOURS):
                _draw(axes, results, ("cpp", mode, n), name_of(mode), colour, x)
            axes.set_title(f"{n} worker{'s' if n > 1 else ''}", fontsize=10)
    _finish(figure, grid, path)
    pyplot.close(figure)


def draw_languages(results, languages, path):
    """The same job from several languages: by epoch, by time."""
    pyplot = _pyplot()
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3.4), sharey=True)
    for axes, x in ((left, "epoch"), (right, "seconds")):
        for language, colour in zip(languages, COLOURS):
            _draw(axes, results, (language, "dist_sync", 2), LANGUAGES[language], colour, x)
    _finish(figure, [[left], [right]], path)
    pyplot.close(figure)
