"""The command: counts the tokens of types and replies in several forms, and writes the page.

python -m tools.benchmarks.tokens [--output FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from src.shared.domain.budget import tokens_of
from src.shared.domain.prompt import JSON_SCHEMA_REQUIREMENT
from tools.benchmarks import accuracy, tokenizers
from tools.benchmarks.forms import ROOT, Comparison, Row, comparisons
from tools.benchmarks.report import table
from tools.benchmarks.tokenizers import Count, Tokenizer

_LONG_ENOUGH = 200
"""Characters: in a shorter text one token more or less says little."""


def main(arguments: list[str] | None = None) -> int:
    """Count and write; return the exit code."""
    parser = argparse.ArgumentParser(prog="tokens", description="Tokens of types and replies in several forms.")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "explanation", help="folder of the page")
    output: Path = parser.parse_args(arguments).output
    used = tokenizers.present()
    for tokenizer in tokenizers.TOKENIZERS:
        if tokenizer not in used:
            print(f"absent: {tokenizer.name}, which comes with {' and '.join(tokenizer.packages)}")
    if not used:
        print("nothing to count with; `python3 -m tools.environment bench` installs the tokenizers", file=sys.stderr)
        return 1
    output.mkdir(parents=True, exist_ok=True)
    (output / "tokens.md").write_text(page(used, comparisons()), "utf-8")
    print(f"written: {output / 'tokens.md'}")
    return 0


def page(used: tuple[Tokenizer, ...], compared: tuple[Comparison, ...]) -> str:
    """Return the whole page as Markdown."""
    counts = [(tokenizer, tokenizer.load()) for tokenizer in used]
    head = Path(__file__).with_suffix(".md.template").read_text("utf-8")
    sections = (line for each in compared for line in _section(each, counts))
    return head + "\n".join((*_counted_with(counts), *sections, *_estimates(counts)))


def _estimates(counts: list[tuple[Tokenizer, Count]]) -> Iterator[str]:
    """How the estimate that budgets are held with stands to the tokenizers."""
    yield "## The estimate of a budget"
    yield ""
    texts = [text for text in accuracy.real_texts() if len(text) >= _LONG_ENOUGH]
    if not texts:
        yield "Not part of this run: the texts are kept beside the project, and were absent."
        yield ""
        return
    yield f"Where a provider does not count, the library estimates. Estimate by count, for {len(texts)} real outputs:"
    yield ""
    rows = [(each.name, *_spread([tokens_of(text) / count(text) for text in texts])) for each, count in counts]
    yield from table(("vocabulary", "least", "median", "most", "too few in"), rows)


def _spread(ratios: list[float]) -> tuple[str, str, str, str]:
    too_few = sum(ratio < 1 for ratio in ratios)
    return f"{min(ratios):.2f}", f"{median(ratios):.2f}", f"{max(ratios):.2f}", f"{too_few} of {len(ratios)}"


def _counted_with(counts: list[tuple[Tokenizer, Count]]) -> Iterator[str]:
    yield "## Counted with"
    yield ""
    yield from table(
        ("vocabulary", "used by", "package", "the requirement, tokens a prompt"),
        ((each.name, each.models, _packages(each), str(count(JSON_SCHEMA_REQUIREMENT))) for each, count in counts),
        align="---",
    )


def _packages(tokenizer: Tokenizer) -> str:
    return ", ".join(map(" ".join, zip(tokenizer.packages, tokenizer.versions(), strict=True)))


def _section(compared: Comparison, counts: list[tuple[Tokenizer, Count]]) -> Iterator[str]:
    yield f"## {compared.title}"
    yield ""
    if not compared.rows:
        print(f"skipped: {compared.title.lower()}, they are absent")
        yield "Not part of this run: the texts are kept beside the project, and were absent."
        yield ""
        return
    rows = (
        (tokenizer.name, name, *_cells(tokens))
        for tokenizer, count in counts
        for name, tokens in _rows(compared, count)
    )
    yield from table(("vocabulary", compared.what, *compared.forms), rows)


def _rows(compared: Comparison, count: Count) -> list[tuple[str, list[int]]]:
    """The rows of a vocabulary: contents of one kind are summed up."""
    rows = [(row.name, _tokens(row, count)) for row in compared.rows]
    if len(rows) <= 3:  # noqa: PLR2004 - as many are seen at once, and those are not of one kind
        return rows
    return [(f"all {len(rows)}", [sum(column) for column in zip(*(tokens for _, tokens in rows), strict=True)])]


def _tokens(row: Row, count: Count) -> list[int]:
    return [sum(map(count, texts)) for texts in row.texts]


def _cells(tokens: list[int]) -> Iterator[str]:
    *others, last = tokens
    for each in others:
        difference = f"{100 * each / last - 100:+.0f}".replace("-", "−")
        yield f"{each:,} ({difference} %)"
    yield f"{last:,}"


if __name__ == "__main__":
    sys.exit(main())
