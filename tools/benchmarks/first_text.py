"""What the first text of a process costs: `python -m tools.benchmarks.first_text [--runs 7] [--beside TREE]`.

Each text is read in processes of its own, in processor time, the median of several. Importing is measured behind
pydantic and structlog, which a program has anyway. The reader of damaged text is loaded with the first text that needs
it: `with it loaded` is what such a text costs where the reader was there before, mostly for expressions that it is
the first to need. With `--beside`, another tree of the project is measured in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
TEXTS = {
    "clean": '{"name": "x", "score": 1}',
    "clean, fence and prose": 'Sure:\n```json\n{"name": "x", "score": 1}\n```\nHope it helps.',
    "raw line end": '{"name": "x\ny", "score": 1}',
    "trailing comma": '{"name": "x", "score": 1,}',
    "single quotes": "{'name': 'x', 'score': 1}",
    "inner quotes": '{"name": "the "big" one", "score": 1}',
    "full-width signs": '{"name"： "x"， "score"： 1}',
    "bare keys": '{name: "x", score: 1}',
    "missing comma": '{"name": "x" "score": 1}',
    "damage, fence and prose": 'Sure:\n```json\n{"name": "x", "score": 1,}\n```\nHope it helps.',
}
RUNS = 7
_PROGRAM = """
import json, sys, time
import pydantic, structlog

def took(run):
    begun = time.process_time()
    run()
    return (time.process_time() - begun) * 1_000

def load():
    global parse_llm_json_output
    from src.shared.infrastructure.llm_json import parse_llm_json_output

class Answer(pydantic.BaseModel):
    name: str
    score: int

def read():
    assert parse_llm_json_output(sys.argv[1], Answer).score == 1

imported = took(load)
if sys.argv[2]:
    import src.shared.infrastructure.parsing.stages
print(json.dumps([imported, took(read), took(read)]))
"""


def measured(tree: Path, text: str, compiled: str) -> list[float]:
    """Milliseconds in new processes: importing the parser, reading a text, with the reader loaded, and again."""
    imported, first, _ = _run(tree, text, compiled, loaded="")
    _, loaded, again = _run(tree, text, compiled, loaded="loaded")
    return [imported, first, loaded, again]


def _run(tree: Path, text: str, compiled: str, *, loaded: str) -> list[float]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": compiled, "PYTHONPATH": str(tree)}
    command = [sys.executable, "-c", _PROGRAM, text, loaded]
    printed = subprocess.run(command, env=environment, cwd=tree, capture_output=True, check=True).stdout  # noqa: S603 - the program above
    return [float(part) for part in json.loads(printed)]


def main() -> None:
    """Print a line for each text and tree."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.first_text")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--beside", type=Path, help="another tree of the project")
    options = parser.parse_args()
    trees = [ROOT, *([options.beside.resolve()] if options.beside else [])]
    most = dict.fromkeys(trees, 0.0)
    with tempfile.TemporaryDirectory() as compiled:
        for name, text in TEXTS.items():
            found: dict[Path, list[list[float]]] = {tree: [] for tree in trees}
            for number in range(options.runs + 1):
                for tree in trees:
                    run = measured(tree, text, compiled)
                    found[tree] += [run] * (number > 0)  # the first one compiles the source files
            for tree in trees:
                imported, first, loaded, again = map(median, zip(*found[tree], strict=True))
                most[tree] = max(most[tree], first)
                beside = "" if tree is ROOT else f"  {tree.name}"
                parts = f"first {first:6.1f}  with the reader loaded {loaded:6.1f}  again {again:5.2f} ms"
                print(f"{name:24} import {imported:6.1f}  {parts}{beside}")
    for tree, milliseconds in most.items():
        print(f"{tree.name}: a first text takes at most {milliseconds:.1f} ms beyond the import")


if __name__ == "__main__":
    main()
