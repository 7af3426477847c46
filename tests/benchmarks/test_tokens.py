"""The command writes the page of token counts, with whatever tokenizers and texts are there."""

import inspect
import re
from pathlib import Path

import pytest

from src.modules.workbench.domain import response_formats
from tests.modules.all_contracts import CONTRACTS
from tools.benchmarks import accuracy, tokenizers
from tools.benchmarks.forms import comparisons
from tools.benchmarks.tokenizers import TOKENIZERS, Tokenizer
from tools.benchmarks.tokens import main

CHARACTERS = Tokenizer("characters", "nobody", ("pydantic",), lambda: len)
KNOWN = {
    "o200k_base": ("お誕生日おめでとう", 8),
    "DeepSeek V4": ("Hello! 毕老师！1 + 1 = 2 ĠÑĤÐ²ÑĬÑĢ", 26),
}
"""Published encodings: a text and the number of its tokens."""


def written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the command, which counts characters and finds no corpus; return the page."""
    monkeypatch.setattr(tokenizers, "present", lambda: (CHARACTERS,))
    monkeypatch.setattr(accuracy, "CORPUS", folder)
    assert main(["--output", str(folder)]) == 0
    return (folder / "tokens.md").read_text("utf-8")


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page of such a run."""
    return written(tmp_path, monkeypatch)


def test_page_sums_up_every_type_and_every_recorded_agent(page: str) -> None:
    formats = re.findall(r"^class (\w+)\(BaseModel\)", inspect.getsource(response_formats), re.MULTILINE)
    types, replies = comparisons()[:2]
    assert {*(contract.dto.__name__ for contract in CONTRACTS), *formats} == {row.name for row in types.rows}
    assert {contract.agent for contract in CONTRACTS} == {row.name for row in replies.rows}
    assert all(f"\n| characters | all {len(each.rows)} | " in page for each in (types, replies))


def test_page_compares_with_the_last_form_of_a_row(page: str) -> None:
    (printed,) = [
        line for line in page.splitlines() if line.startswith("| characters | left out of both, as printed | ")
    ]
    json_cell, markdown_cell = (cell.strip() for cell in printed.split("|")[3:5])
    less = round(100 * (1 - int(json_cell.split()[0]) / int(markdown_cell)))
    assert json_cell.endswith(f"(−{less} %)")


def test_absent_texts_and_tokenizers_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = written(tmp_path, monkeypatch)
    printed = capsys.readouterr().out
    assert "skipped: real replies, they are absent" in printed
    assert "## Real replies\n\nNot part of this run" in page
    assert [
        each.name for each in TOKENIZERS if f"absent: {each.name}, which comes with {each.packages[0]}" in printed
    ] == [each.name for each in TOKENIZERS]


def test_without_any_tokenizer_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tokenizers, "present", lambda: ())
    assert main(["--output", str(tmp_path / "new")]) == 1
    assert not (tmp_path / "new").exists()
    assert "tools.environment bench" in capsys.readouterr().err


def test_every_form_of_a_content_holds_its_texts() -> None:
    for compared in comparisons():
        assert all(len(row.texts) == len(compared.forms) and all(map(all, row.texts)) for row in compared.rows)


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda tokenizer: tokenizer.name)
def test_tokenizer_counts_what_was_published(tokenizer: Tokenizer) -> None:
    if not tokenizer.versions():
        pytest.skip(
            f"{tokenizer.packages[0]} is absent; `python3 -m tools.environment bench` installs it apart from the checks"
        )
    text, tokens = KNOWN[tokenizer.name]
    assert tokenizer.load()(text) == tokens
