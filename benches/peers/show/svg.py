"""Drawing: shapes as text, with two decimals, so that the same results give the same bytes."""

import math
from xml.sax.saxutils import escape

# Each colour is readable on white and on near black; parts without a colour follow the reader's scheme.
STYLE = """
  .text { fill: #59636e; font: 12px system-ui, -apple-system, "Segoe UI", sans-serif }
  .text.strong { fill: #1f2328; font-weight: 600 }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .axis { stroke: #818b98; stroke-width: 1 }
  .promptc { --c: #0969da } .jinja2 { --c: #bc4c00 } .cat, .floor { --c: #6e7781 } .peer { --c: #8250df }
  .line { stroke: var(--c); stroke-width: 2; fill: none }
  .mark { fill: var(--c); stroke: none }
  .open { fill: none; stroke: var(--c); stroke-width: 2 }
  .text.label { fill: var(--c); font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .text { fill: #9198a1 } .text.strong { fill: #f0f6fc } .grid { stroke: #2f3742 } .axis { stroke: #656c76 }
    .promptc { --c: #4493f8 } .jinja2 { --c: #f0883e } .cat, .floor { --c: #9198a1 } .peer { --c: #ab7df8 }
  }
"""


def text(x, y, words, anchor="start", classes="text", more=""):
    return f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" class="{classes}"{more}>{escape(words)}</text>'


def line(x1, y1, x2, y2, classes):
    return f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" class="{classes}"/>'


def path(points, classes):
    return f'<polyline points="{" ".join(f"{x:.2f},{y:.2f}" for x, y in points)}" class="line {classes}"/>'


def mark(shape, x, y, classes, filled=True):
    """A disc, square or triangle, so that series differ by more than colour."""
    kind = f"{'mark' if filled else 'open'} {classes}"
    if shape == "disc":
        return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="4.5" class="{kind}"/>'
    if shape == "square":
        return f'<rect x="{x - 4:.2f}" y="{y - 4:.2f}" width="8" height="8" class="{kind}"/>'
    return f'<path d="M{x:.2f} {y - 5.5:.2f} l5.2 9.5 h-10.4 z" class="{kind}"/>'


def document(width, height, title, described, shapes):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
    return (f'{head} aria-labelledby="t d">\n<title id="t">{escape(title)}</title>\n<desc id="d">{escape(described)}</desc>\n'
            f"<style>{STYLE}</style>\n" + "\n".join(shapes) + "\n</svg>\n")


class Log:
    """A logarithmic axis from the decade at or below `low` to `high`, over pixels."""

    def __init__(self, low, high, start, end):
        self.low, self.high = math.log10(low), math.log10(high)
        self.start, self.end = start, end

    def at(self, value):
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def decades(self):
        first, last = math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9)
        return [10.0**power for power in range(first, last + 1)]
