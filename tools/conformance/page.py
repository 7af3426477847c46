"""The page of results, written and read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tools.conformance.cases import Case
from tools.conformance.libraries import LIBRARIES
from tools.conformance.run import OUTCOMES, VERDICTS, Counts

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "conformance.md"
_TEMPLATE = Path(__file__).with_name("conformance.md.template")


def page(cases: list[Case], results: list[Counts]) -> str:
    """The page of some results, in the order of `LIBRARIES`."""
    numbers = {f"of_{verdict}": sum(case.verdict == verdict for case in cases) for verdict in VERDICTS}
    tables = {
        verdict: _table(("library", *OUTCOMES), [(one.name, *map(str, one.numbers[at])) for one in results])
        for at, verdict in enumerate(VERDICTS)
    }
    asked = [(one.name, one.version, LIBRARIES[one.name].call) for one in results]
    libraries = _table(("library", "version", "call"), asked)
    template = _TEMPLATE.read_text(encoding="utf-8")
    return template.format(cases=len(cases), libraries=libraries, **numbers, **tables)


def results_of(text: str) -> list[Counts]:
    """The results that a page shows."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")
    ]
    cells = [row for row in rows if row[0] not in ("library", "---")]
    names = [row[0] for row in cells[: len(cells) // (len(VERDICTS) + 1)]]
    by_name = {name: [row[1:] for row in cells if row[0] == name] for name in names}
    return [
        Counts(name, found[-1][0], tuple(tuple(map(int, numbers)) for numbers in found[:-1]))
        for name, found in by_name.items()
    ]


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
