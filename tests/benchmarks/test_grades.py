"""The numbers on how sure results are, and on what asking only for parts saves, hold what the pages say of them."""

from pathlib import Path

import pytest

from benchmarks import grades
from benchmarks.grades import attacked_texts, graded, main, own_texts, real_texts
from benchmarks.parts import main as print_parts
from benchmarks.parts import saved


def test_no_sure_result_of_the_own_corpus_is_wrong_and_each_grade_is_as_its_edits_say() -> None:
    found = graded(own_texts())
    assert (found.broken, found.wrong, found.grades["clean"] > 20) == (False, {}, True)


def test_each_grade_of_a_damaged_text_is_as_its_edits_say() -> None:
    assert graded(attacked_texts(200, 3)).otherwise == []


def test_without_the_real_outputs_there_are_none(tmp_path: Path) -> None:
    assert list(real_texts(tmp_path / "none.jsonl")) == []


def test_command_prints_a_row_for_each_corpus(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grades, "recorded_texts", own_texts)
    assert main(["--count", "20"]) == 0
    assert [line.split(" | ")[0] for line in capsys.readouterr().out.split("\n")[2:] if line] == [
        *("| own corpus", "| recorded readings", "| real outputs", "| attack"),
    ]


def test_asking_for_one_of_twenty_saves_more_than_half() -> None:
    requests, whole, parts = saved(20, 1)
    assert (requests, parts <= whole / 2) == (2, True)


def test_page_says_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    print_parts()
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| 20 | 1 "))
    page = (Path(__file__).parents[2] / "docs/how-to/keep-the-good-parts.md").read_text(encoding="utf-8")
    whole, parts = row.split(" | ")[3:5]
    assert f"{parts} tokens where asking for all again takes {whole}" in " ".join(page.split())
