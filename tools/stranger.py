"""Five questions of a stranger, each answered by one file that a search finds: `python -m tools.stranger`."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Question(NamedTuple):
    """What a stranger asks, what they search for, and in which files."""

    text: str
    pattern: str
    files: str


QUESTIONS = (
    Question("Where does a full-width comma become a comma?", "^COMMAS = ", "src/**/*.py"),
    Question("Where is the option `unwrap` said?", r"^    unwrap: Annotated\[", "src/**/*.py"),
    Question("What happens when the disk of the store is full?", "its disk is full", "docs/**/*.md"),
    Question("Where is the prompt of the valuation agent?", r"\*\*估值建模师\*\*", "src/**/prompts/*.md"),
    Question("How do I add a notation of tool calls?", "^## Add a notation of tool calls", ".github/*.md"),
)


def answers(question: Question) -> list[Path]:
    """The files in which the search finds something."""
    found = re.compile(question.pattern, re.MULTILINE)
    return [path for path in sorted(ROOT.glob(question.files)) if found.search(path.read_text(encoding="utf-8"))]


def main() -> int:
    """Print each question with its file; 1 where a search finds none, or more than one."""
    argparse.ArgumentParser(prog="python -m tools.stranger", description=__doc__).parse_args()
    is_clear = True
    for question in QUESTIONS:
        files = [path.relative_to(ROOT).as_posix() for path in answers(question)]
        is_clear &= len(files) == 1
        print(f"{question.text}\n    {', '.join(files) or 'no file'}")
    return 0 if is_clear else 1


if __name__ == "__main__":
    sys.exit(main())
