"""Two versions of the parser on the same texts: what is read now that was not, and the other way round, by reason.

python -m attack.compare OLD [FILE ...]

OLD is a checkout of this repository at another commit (`git worktree add ../old COMMIT`). A file has a JSON object with
`id` and `text` on each line, and may be packed (.gz). Exit code 1 if a value differs; whether a refusal is right is for
the reader to judge.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import logging
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "../shared/corpus"
FILES = ("real_outputs.jsonl", "pool_30k.jsonl.gz")
_SHOWN = 8
"""Ids printed for each kind of difference."""


def main(arguments: list[str] | None = None) -> int:
    """Compare two trees, or, as a process of its own, read the files with one of them."""
    parser = argparse.ArgumentParser(prog="python -m attack.compare")
    parser.add_argument("old", type=Path, nargs="?", help="the other checkout")
    parser.add_argument("files", type=Path, nargs="*", help="texts; without any, the corpus beside the project")
    parser.add_argument("--read", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.read:
        _print_outcomes([options.old, *options.files])
        return 0
    files = options.files or [CORPUS / name for name in FILES]
    if options.old is None or not all(file.is_file() for file in files):
        parser.error("name a checkout, and files that are there")
    return compare(options.old, files)


def compare(old: Path, files: list[Path]) -> int:
    """Read the files with both trees and print the differences; the exit code."""
    before, now = outcomes(old, files), outcomes(ROOT, files)
    differences: dict[str, list[str]] = defaultdict(list)
    for name, outcome in now.items():
        differences[_difference(before[name], outcome)].append(name)
    for kind, names in sorted(differences.items(), key=lambda pair: -len(pair[1])):
        shown = "" if kind.startswith("same") else ": " + " ".join(names[:_SHOWN]) + (" …" if names[_SHOWN:] else "")
        print(f"{len(names):7}  {kind}{shown}")
    return int("another value" in differences)


def outcomes(tree: Path, files: list[Path]) -> dict[str, str]:
    """What the parser of a tree makes of each text: `value …` or `refused: …`."""
    command = [sys.executable, str(Path(__file__).resolve()), "--read", *(str(file.resolve()) for file in files)]
    environment = {**os.environ, "PYTHONPATH": str(tree.resolve())}
    done = subprocess.run(command, env=environment, cwd=tree, check=True, capture_output=True, text=True)  # noqa: S603 - this file
    return dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)


def _difference(before: str, now: str) -> str:
    if before == now:
        return "same value" if now.startswith("value") else "same refusal"
    if before.startswith("value") and now.startswith("value"):
        return "another value"
    if now.startswith("value"):
        return f"read now, was {before}"
    return f"{now} (was read)" if before.startswith("value") else "refused for another reason"


def _print_outcomes(files: list[Path]) -> None:
    from src.shared.domain.exceptions import LLMJsonParseError  # noqa: PLC0415 - the tree's own, not this one's
    from src.shared.infrastructure.llm_json import decode_llm_json  # noqa: PLC0415 - as above

    logging.disable()
    _silence_structlog()
    for name, text in _texts(files):
        try:
            value = json.dumps(decode_llm_json(text).data)
        except LLMJsonParseError as error:
            outcome = f"refused: {error.details.get('json_error')}"
        else:
            outcome = f"value {hashlib.sha256(value.encode()).hexdigest()[:16]}"
        sys.stdout.write(f"{name}\t{outcome}\n")


def _silence_structlog() -> None:
    import structlog  # noqa: PLC0415 - only where texts are read

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def _texts(files: list[Path]) -> Iterator[tuple[str, str]]:
    for file in files:
        opened = gzip.open if file.suffix == ".gz" else open
        with opened(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield row["id"], row["text"]


if __name__ == "__main__":
    sys.exit(main())
