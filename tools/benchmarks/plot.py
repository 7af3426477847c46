"""The plot: a small panel for each condition, time against size, both logarithmic, a line for each library."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from tools.benchmarks.conditions import conditions
from tools.benchmarks.documents import label
from tools.benchmarks.losses import is_right
from tools.benchmarks.peers import Peer
from tools.benchmarks.timing import Times

_COLUMNS = 4
_PANEL = (250, 170)
_GAP = (54, 52)
_TOP = 84
_COLOURS = (
    "#d62728",
    "#ff9896",
    "#111111",
    "#1f77b4",
    "#2ca02c",
    "#98df8a",
    "#9467bd",
    "#8c564b",
    "#e377c2",
    "#bcbd22",
    "#17becf",
)
_STYLE = (
    "text{font:11px sans-serif;fill:#222}.t{font-weight:bold}.s{font-size:9px;fill:#555}"
    ".g{stroke:#ddd}.f{fill:none;stroke:#999}"
)
_TITLE = "Milliseconds against size of the text, both logarithmic; dot: right, ring and dashes: not right"


class _Axes:
    """Maps sizes and seconds to a panel's points."""

    def __init__(self, times: Times) -> None:
        self.sizes = sorted({size for size, _, _ in times})
        seconds = [cell.seconds for cell in times.values() if cell.seconds]
        self._low = math.floor(math.log10(min(seconds)))
        self._high = math.ceil(math.log10(max(seconds)))
        self._first, self._last = math.log10(self.sizes[0]), math.log10(self.sizes[-1])

    def x(self, size: int) -> float:
        span = self._last - self._first or 1.0
        return 10 + (_PANEL[0] - 20) * (math.log10(size) - self._first) / span

    def y(self, seconds: float) -> float:
        return _PANEL[1] * (self._high - math.log10(seconds)) / (self._high - self._low)

    def decades(self) -> range:
        return range(self._low, self._high + 1)


def plot(times: Times, peers: tuple[Peer, ...]) -> str:
    """Return the plot as SVG."""
    axes = _Axes(times)
    names = [condition.name for condition in conditions()]
    rows = math.ceil(len(names) / _COLUMNS)
    width = _COLUMNS * (_PANEL[0] + _GAP[0]) + 20
    height = _TOP + rows * (_PANEL[1] + _GAP[1])
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f'<style>{_STYLE}</style><rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="20" y="20" class="t">{_TITLE}</text>',
        *_legend(peers),
    ]
    for number, name in enumerate(names):
        column, row = number % _COLUMNS, number // _COLUMNS
        left, top = _GAP[0] + column * (_PANEL[0] + _GAP[0]), _TOP + row * (_PANEL[1] + _GAP[1])
        lines.append(f'<g transform="translate({left},{top})">')
        lines.extend((*_frame(axes, name), *_curves(axes, times, peers, name)))
        lines.append("</g>")
    return "\n".join((*lines, "</svg>\n"))


def _legend(peers: tuple[Peer, ...]) -> Iterator[str]:
    for number, peer in enumerate(peers):
        x, y = 20 + number % 6 * 190, 38 + number // 6 * 16
        stroke = f'stroke="{_COLOURS[number]}" stroke-width="{_weight(peer)}"'
        yield f'<line x1="{x}" x2="{x + 22}" y1="{y}" y2="{y}" {stroke}/>'
        yield f'<text x="{x + 28}" y="{y + 4}">{escape(peer.name)}</text>'


def _weight(peer: Peer) -> float:
    return 2.6 if peer.family in ("ours", "limit") else 1.3


def _frame(axes: _Axes, name: str) -> Iterator[str]:
    yield f'<text x="0" y="-6" class="t">{escape(name)}</text>'
    for decade in axes.decades():
        y = axes.y(10.0**decade)
        yield f'<line class="g" x1="0" x2="{_PANEL[0]}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="s" x="-5" y="{y + 3:.1f}" text-anchor="end">{10.0 ** (decade + 3):g}</text>'
    for size in axes.sizes:
        yield f'<text class="s" x="{axes.x(size):.1f}" y="{_PANEL[1] + 13}" text-anchor="middle">{label(size)}</text>'
    yield f'<rect class="f" width="{_PANEL[0]}" height="{_PANEL[1]}"/>'


def _curves(axes: _Axes, times: Times, peers: tuple[Peer, ...], name: str) -> Iterator[str]:
    for peer, colour in zip(peers, _COLOURS, strict=False):
        cells = [(size, times[size, name, peer.name]) for size in axes.sizes]
        points = [
            (axes.x(size), axes.y(cell.seconds), peer.family == "limit" or is_right(cell, name))
            for size, cell in cells
            if cell.seconds
        ]
        dashes = "" if all(right for *_, right in points) else ' stroke-dasharray="3 3"'
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
        yield f'<polyline fill="none" stroke="{colour}" stroke-width="{_weight(peer)}" points="{path}"{dashes}/>'
        for x, y, right in points:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" stroke="{colour}" fill="{colour if right else "#fff"}"/>'
