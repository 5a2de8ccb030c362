"""The curves of the page."""

import math
import statistics

from . import svg

SERIES = {"promptc": "disc", "jinja2": "square", "cat": "triangle"}
median = statistics.median


def duration(ms):
    return f"{ms / 1000:g} s" if ms >= 1000 else f"{ms:g} ms"


def size(count):
    for unit, name in ((1e6, "MB"), (1e3, "KB")):
        if count >= unit:
            return f"{count / unit:g} {name}"
    return f"{count:g} B"


def count(value):
    return f"{value:,.0f}"


def memory(mib):
    return f"{mib:g} MiB"


def decades(values):
    """The decades around the values."""
    return 10.0 ** math.floor(math.log10(min(values))), 10.0 ** math.ceil(math.log10(max(values)))


class Panel:
    """A plot with two logarithmic axes at a place of the picture."""

    LEFT, TOP, WIDTH, HEIGHT = 62, 56, 300, 220

    def __init__(self, left, xs, ys, words):
        self.left, (self.x_words, self.y_words, self.title, self.x_title) = left, words
        self.x = svg.Log(min(xs), max(xs), left + self.LEFT + 12, left + self.LEFT + self.WIDTH - 62)
        low, high = decades(ys)
        self.y = svg.Log(low, high, self.TOP + self.HEIGHT, self.TOP)

    def frame(self):
        left, right, bottom = self.left + self.LEFT, self.left + self.LEFT + self.WIDTH - 50, self.TOP + self.HEIGHT
        out = [svg.text(self.left + 8, 32, self.title, classes="text strong")]
        for value in self.y.decades():
            y = self.y.at(value)
            out += [svg.line(left, y, right, y, "grid"), svg.text(left - 7, y + 4, self.y_words(value), "end")]
        for value in self.x.decades():
            x = self.x.at(value)
            out += [svg.line(x, bottom, x, bottom + 5, "axis"), svg.text(x, bottom + 19, self.x_words(value), "middle")]
        out += [svg.line(left, bottom, right, bottom, "axis"), svg.text((left + right) / 2, bottom + 40, self.x_title, "middle")]
        return out

    def series(self, name, points, label_y):
        places = [(self.x.at(x), self.y.at(y)) for x, y in points]
        out = [svg.path(places, name)]
        out += [svg.mark(SERIES[name], x, y, name) for x, y in places]
        return [*out, svg.text(places[-1][0] + 10, label_y, name, classes=f"text label {name}")]

    def draw(self, series):
        ends = spaced({name: self.y.at(points[-1][1]) + 4 for name, points in series.items()})
        return self.frame() + [shape for name, points in series.items() for shape in self.series(name, points, ends[name])]


def spaced(places, apart=15):
    """The places of labels, moved down where two would touch."""
    out, last = {}, -1e9
    for name in sorted(places, key=places.get):
        last = out[name] = max(places[name], last + apart)
    return out


def growth(results, curve, x_of, x_words, x_title, what):
    points = results["growth"][curve]
    xs = [point[x_of] for point in points]

    def of(field, scale):
        return {name: [(point[x_of], median(point["rows"][name][field]) / scale) for point in points] for name in SERIES}

    time, peak = of("wall_ms", 1), of("peak_kib", 1024)
    rounded = [10.0 ** round(math.log10(x)) if x_of == "bytes" else x for x in xs]
    shapes = []
    for left, series, y_words, title in ((0, time, duration, "Time of a whole process"), (368, peak, memory, "Peak memory")):
        values = [y for points in series.values() for _, y in points]
        panel = Panel(left, [*xs, *rounded], values, (x_words, y_words, title, x_title))
        shapes += panel.draw(series)
    described = f"Two plots with logarithmic axes, for promptc, jinja2 in Python and cat, against {what}. The figures are in the table below."
    return svg.document(736, 330, f"Time and peak memory against {what}", described, shapes)


def peers(results):
    """A row for each peer: the whole process as a disc with its range, the warm call as a ring."""
    fresh, warm = results["task"]["fresh"], results["task"]["warm_ms"]
    order = sorted(fresh, key=lambda name: (name.startswith("`"), median(fresh[name]["wall_ms"])))
    top, step, left, right = 66, 26, 130, 690
    bottom = top + step * len(order)
    values = [value for row in fresh.values() for value in row["wall_ms"]] + [value for row in warm.values() for value in row]
    x = svg.Log(*decades(values), left, right)
    out = [svg.text(8, 28, "The task as a fresh process, and as a call in one process", classes="text strong")]
    for value in x.decades():
        out += [svg.line(x.at(value), top - 12, x.at(value), bottom - 6, "grid"), svg.text(x.at(value), bottom + 12, duration(value), "middle")]
    out += [svg.mark("disc", 14, 44, "cat"), svg.text(24, 48, "fresh process: median, range of all runs"),
            svg.mark("disc", 294, 44, "cat", filled=False), svg.text(304, 48, "warm call: median")]
    for number, name in enumerate(order):
        y = top + step * number + 6
        kind = "promptc" if name == "promptc" else "floor" if name.startswith("`") else "peer"
        samples = fresh[name]["wall_ms"]
        out.append(svg.text(left - 12, y + 4, name.strip("`"), "end", "text strong" if name == "promptc" else "text"))
        out += [svg.line(x.at(min(samples)), y, x.at(max(samples)), y, f"line {kind}"), svg.mark("disc", x.at(median(samples)), y, kind)]
        call = warm.get("promptc, plan kept" if name == "promptc" else name)
        if call:
            out.append(svg.mark("disc", x.at(median(call)), y, kind, filled=False))
    described = "For each peer the time of a fresh process and of a warm call, on a logarithmic axis. The figures are in the tables below."
    return svg.document(720, bottom + 24, "Time of the task by peer", described, out)


def all_of(results):
    """Each picture by its file name."""
    return {
        "benchmarks-peers.svg": peers(results),
        "benchmarks-size.svg": growth(results, "size", "bytes", size, "size of ten files", "size of sources"),
        "benchmarks-layers.svg": growth(results, "layers", "at", count, "layers, each a file of 240 bytes", "number of layers"),
        "benchmarks-skills.svg": growth(results, "skills", "at", count, "skills, each a file of 1.5 KB", "number of skills"),
    }
