"""Draws the rules of the workflow: which rule reads what another one makes.

    snakemake all --rulegraph dot | python docs/rules.py docs/rules.svg

Needs no graphviz. Rules of one depth stand in one row. Left out: arrows that follow from others; the one from
`report` (what is chosen) back to `predict`, for the test set; and the copies for people.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from html import escape
from itertools import pairwise
from pathlib import Path

from zarpipe.study.stages import STAGES as RULES

_COLOURS = ("#7b5ea7", "#b5651d", "#2e7d4f", "#1f6f9f", "#b03a48", "#6b6b1f", "#4a4a4a", "#8a6d3b")
# Stage -> colour and rules; the others are the report's.
STAGES = {stage: (colour, rules) for colour, (stage, rules) in zip(_COLOURS, RULES.items(), strict=True)}
_LEFT_OUT = ("all", "study", "learning_curves", "bundles")
_CHARACTER, _HEIGHT, _GAP, _ROW, _MARGIN = 7.2, 28, 16, 64, 12
_SWEEPS = 12

# Rule -> rules whose files it reads.
Graph = dict[str, set[str]]
# Node of a row: a rule, or the point where an arrow passes through that row.
Node = str | tuple[str, str, int]


def read_rulegraph(text: str) -> Graph:
    """Read what `snakemake --rulegraph` prints."""
    rules = dict(re.findall(r'^\s*(\d+)\[\s*label\s*=\s*"([^"\\]+)', text, re.MULTILINE))
    kept = (rule for rule in rules.values() if rule not in _LEFT_OUT and not rule.startswith("show_"))
    graph: Graph = {rule: set() for rule in kept}
    if not graph:
        raise SystemExit("found no rule; expected what `snakemake all --rulegraph dot` prints")
    for source, target in re.findall(r"^\s*(\d+)\s*->\s*(\d+)", text, re.MULTILINE):
        one, other = rules[source], rules[target]
        if one in graph and other in graph and one != other and _stage_number(one) <= _stage_number(other):
            graph[other].add(one)
    return graph


def without_shortcuts(graph: Graph) -> Graph:
    """Leave out every arrow that a way over other rules replaces."""
    above = {rule: _above(graph, rule) for rule in graph}
    return {
        rule: {source for source in read if not any(source in above[other] for other in read)}
        for rule, read in graph.items()
    }


def drawing(graph: Graph) -> str:
    """Return the picture as SVG."""
    kept = without_shortcuts(graph)
    rows, arrows = _rows(kept)
    _order(rows, arrows)
    middle, width = _middles(rows, arrows)
    height = len(rows) * _ROW + 2 * _MARGIN
    parts = [_line(points) for points in _ways(kept, middle)]
    parts += [_box(rule, *middle[rule]) for rule in sorted(kept)]
    parts += _legend(height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height + 24}" '
        f'width="{width:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12">\n'
        "<title>The rules of zarpipe</title>\n"
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#888"/></marker></defs>\n'
        f'<rect width="{width:.0f}" height="{height + 24}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _stage(rule: str) -> str:
    return next((stage for stage, (_, rules) in STAGES.items() if rule in rules), "report")


def _stage_number(rule: str) -> int:
    return list(STAGES).index(_stage(rule))


def _above(graph: Graph, rule: str) -> set[str]:
    """Return all rules that a rule builds on, at any depth."""
    found: set[str] = set()
    waiting = list(graph[rule])
    while waiting:
        source = waiting.pop()
        if source not in found:
            found.add(source)
            waiting.extend(graph[source])
    return found


def _rows(graph: Graph) -> tuple[list[list[Node]], dict[Node, list[Node]]]:
    """Return the nodes of each row, and the nodes of the row above that lead to each node."""
    depth = _depths(graph)
    rows: list[list[Node]] = [[] for _ in range(max(depth.values()) + 1)]
    arrows: dict[Node, list[Node]] = {}
    for rule in sorted(graph):
        rows[depth[rule]].append(rule)
        for source in sorted(graph[rule]):
            way = _way(source, rule, depth)
            for before, after in pairwise(way):
                arrows.setdefault(after, []).append(before)
            for row, node in enumerate(way[1:-1], depth[source] + 1):
                rows[row].append(node)
    return rows, arrows


def _depths(graph: Graph) -> dict[str, int]:
    """Return the row of each rule; those of the report that read nothing stand just above what reads them."""
    depth: dict[str, int] = {}
    for rule in sorted(graph, key=lambda rule: (len(_above(graph, rule)), rule)):
        depth[rule] = 1 + max((depth[source] for source in graph[rule]), default=-1)
    for rule in graph:
        readers = [depth[other] for other in graph if rule in graph[other]]
        if not graph[rule] and _stage(rule) == "report" and readers:
            depth[rule] = min(readers) - 1
    return depth


def _way(source: str, rule: str, depth: Mapping[str, int]) -> list[Node]:
    return [source, *((source, rule, row) for row in range(depth[source] + 1, depth[rule])), rule]


def _order(rows: list[list[Node]], arrows: Mapping[Node, list[Node]]) -> None:
    """Sort each row by the middle of what it is joined to, so that few arrows cross."""
    below: dict[Node, list[Node]] = {}
    for node, sources in arrows.items():
        for source in sources:
            below.setdefault(source, []).append(node)
    for sweep in range(_SWEEPS):
        joined = arrows if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else reversed(rows):
            at = {node: number / len(nodes) for nodes in rows for number, node in enumerate(nodes)}
            row.sort(key=lambda node: _mean((at[other] for other in joined.get(node, ())), at[node]))


def _mean(values: Iterable[float], otherwise: float) -> float:
    found = list(values)
    return sum(found) / len(found) if found else otherwise


def _middles(
    rows: list[list[Node]], arrows: Mapping[Node, list[Node]]
) -> tuple[dict[Node, tuple[float, float]], float]:
    """Return the middle of each node, and the width of the picture."""
    legend = sum(_legend_width(stage) for stage in STAGES)
    width = max(legend, *(sum(_width(node) + _GAP for node in row) for row in rows)) + 2 * _MARGIN
    middle: dict[Node, tuple[float, float]] = {}
    for number, row in enumerate(rows):
        wanted = [
            _mean((middle[above][0] for above in arrows.get(node, ()) if above in middle), width / 2)
            for node in row
        ]
        for node, x in zip(row, _spread(row, wanted, width), strict=True):
            middle[node] = (x, _MARGIN + number * _ROW + _HEIGHT / 2)
    return middle, width


def _spread(row: list[Node], wanted: list[float], width: float) -> list[float]:
    """Return the middles of a row's nodes: near those wanted, in order, none over another."""
    halves = [(_width(node) + _GAP) / 2 for node in row]
    placed: list[float] = []
    left = float(_MARGIN)
    for half, x in zip(halves, wanted, strict=True):
        placed.append(max(x, left + half))
        left = placed[-1] + half
    right = width - _MARGIN
    for number in reversed(range(len(row))):
        placed[number] = min(placed[number], right - halves[number])
        right = placed[number] - halves[number]
    return placed


def _width(node: Node) -> float:
    return len(node) * _CHARACTER + 16 if isinstance(node, str) else 6


def _ways(graph: Graph, middle: Mapping[Node, tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """Return the points of each arrow."""
    passed: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for node in sorted((node for node in middle if isinstance(node, tuple)), key=lambda node: node[2]):
        passed.setdefault((node[0], node[1]), []).append(middle[node])
    ways = []
    for rule in sorted(graph):
        for source in sorted(graph[rule]):
            (x, y), (to_x, to_y) = middle[source], middle[rule]
            ends = (x, y + _HEIGHT / 2), (to_x, to_y - _HEIGHT / 2)
            ways.append([ends[0], *passed.get((source, rule), []), ends[1]])
    return ways


def _line(points: list[tuple[float, float]]) -> str:
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (x, y), (to_x, to_y) in pairwise(points):
        bend = (to_y - y) / 2
        path += f" C{x:.1f},{y + bend:.1f} {to_x:.1f},{to_y - bend:.1f} {to_x:.1f},{to_y:.1f}"
    return f'<path d="{path}" fill="none" stroke="#888" stroke-width="1.2" marker-end="url(#head)"/>'


def _box(rule: str, x: float, y: float) -> str:
    colour, width = STAGES[_stage(rule)][0], _width(rule)
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - _HEIGHT / 2:.1f}" width="{width:.1f}" height="{_HEIGHT}" '
        f'rx="6" fill="{colour}"/>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="#fff">{escape(rule)}</text>'
    )


def _legend(height: float) -> list[str]:
    parts, x = [], float(_MARGIN)
    for stage, (colour, _) in STAGES.items():
        parts.append(
            f'<rect x="{x:.0f}" y="{height}" width="12" height="12" rx="3" fill="{colour}"/>'
            f'<text x="{x + 17:.0f}" y="{height + 11}" fill="#333">{stage}</text>'
        )
        x += _legend_width(stage)
    return parts


def _legend_width(stage: str) -> float:
    return 17 + len(stage) * _CHARACTER + _GAP


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawing(read_rulegraph(sys.stdin.read())), encoding="utf-8")
