"""A conformance set for readers of language models' JSON.

python -m tools.conformance cases                          make `cases.jsonl` of the tables and corpora
python -m tools.conformance run [--library NAME ...] [--python PATH] [--write]
                                                           ask libraries, print what comes of it, or write the page
python -m tools.conformance run --command "PROGRAM ARGUMENTS" --name NAME
                                                           ask a program of your own

A library that is not installed in the environment of `--python` is left out; with `--write` the page keeps what it
said of it.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from tools.attack.quiet import quiet
from tools.attack.tables import table
from tools.conformance.cases import CASES, generate, load, written
from tools.conformance.libraries import LIBRARIES
from tools.conformance.page import PAGE, page, results_of
from tools.conformance.run import OUTCOMES, SECONDS, VERDICTS, Counts, command_of, count

_BENCH = Path(__file__).parents[2] / ".cache" / "bench" / "bin" / "python"


def main(arguments: list[str] | None = None) -> int:
    """Make the cases, or ask; return the exit code."""
    given = _parser().parse_args(arguments)
    if given.what == "cases":
        cases = generate()
        CASES.write_text(written(cases), encoding="utf-8")
        print(f"{len(cases)} cases")
        return 0
    cases = load()
    results = []
    if given.command:
        results = [count(given.name, shlex.split(given.command), cases, given.seconds)]
    for name in () if given.command else given.library or LIBRARIES:
        python = sys.executable if name == "llm-output" else given.python
        try:
            results.append(count(name, command_of(name, python), cases, given.seconds))
        except RuntimeError as error:
            print(f"left out: {error}", file=sys.stderr)
    print(shown(results))
    if given.write:
        former = {one.name: one for one in (results_of(PAGE.read_text("utf-8")) if PAGE.exists() else ())}
        all_of = former | {one.name: one for one in results}
        PAGE.write_text(page(cases, [all_of[name] for name in LIBRARIES if name in all_of]), encoding="utf-8")
    return 0


def shown(results: list[Counts]) -> str:
    """The results as a terminal shows them."""
    header = ("library", *(f"{verdict}: {outcome}" for verdict in VERDICTS for outcome in OUTCOMES))
    return table(header, [(one.name, *(number for row in one.numbers for number in row)) for one in results])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("cases", help="make the cases")
    run = what.add_parser("run", help="ask libraries")
    run.add_argument("--library", action="append", choices=LIBRARIES, help="one of them; by default all")
    run.add_argument(
        "--python",
        default=str(_BENCH if _BENCH.exists() else sys.executable),
        help="the interpreter that has the others; by default of make bench",
    )
    run.add_argument("--seconds", type=float, default=SECONDS, help="the limit for one text")
    run.add_argument("--command", help="a program to ask in place of the libraries")
    run.add_argument("--name", default="yours", help="what it is called")
    run.add_argument("--write", action="store_true", help="write the page")
    return parser


if __name__ == "__main__":
    quiet()
    sys.exit(main())
