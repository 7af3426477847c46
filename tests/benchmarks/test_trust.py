"""The numbers on how far results can be trusted, and on what asking only for parts saves, hold what the pages say."""

from pathlib import Path

import pytest

from tools.benchmarks import trust
from tools.benchmarks.labelled import Labelled, attacked, own_outputs
from tools.benchmarks.parts import main as print_parts
from tools.benchmarks.parts import saved
from tools.benchmarks.trust import SURE, graded, main, percent, upper_bound


def test_no_sure_result_of_the_own_corpus_is_wrong_and_each_grade_is_as_its_edits_say() -> None:
    found = graded(own_outputs())
    assert (found.broken, found.different, found.results["clean"] > 20) == (False, {}, True)


def test_each_grade_of_a_damaged_text_is_as_its_edits_say() -> None:
    assert graded(attacked(1, 200, (3,))).otherwise == []


def test_results_are_counted_by_grade() -> None:
    texts = [Labelled("a", '{"a": 1}', ({"a": 1},)), Labelled("b", '{"a": 1,}', ({"a": 2},)), Labelled("c", "{", ())]
    found = graded(texts)
    assert (found.results, found.refused) == ({"clean": 1, "lossless": 1, SURE: 2, "all": 2}, 1)
    assert (found.different, found.broken) == ({"lossless": 1, SURE: 1, "all": 1}, True)


@pytest.mark.parametrize(
    ("different", "results", "bound"),
    [
        (0, 229, 1 - 0.05 ** (1 / 229)),
        (0, 1, 0.95),
        (1, 10, 0.39416),
        (5, 100, 0.10225),
        (3, 3, 1.0),
        (0, 0, 1.0),
        (0, 30_000, 9.985e-05),
    ],
)
def test_bound_is_that_of_clopper_and_pearson(different: int, results: int, bound: float) -> None:
    assert upper_bound(different, results) == pytest.approx(bound, rel=1e-4)


@pytest.mark.parametrize(
    ("share", "shown"), [(0.0130, "1.30%"), (0.013001, "1.31%"), (1.0, "100.00%"), (1e-6, "0.01%"), (0.0, "0.00%")]
)
def test_bound_is_rounded_up(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_command_prints_a_row_for_each_corpus(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "CORPORA", {"own": own_outputs})
    assert main(["--count", "20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[2:6]] == [
        *("own", "real outputs and pool", "attack, one damage", "attack, two damages"),
    ]


def test_asking_for_one_of_twenty_saves_more_than_half() -> None:
    requests, whole, parts = saved(20, 1)
    assert (requests, parts <= whole / 2) == (2, True)


def test_page_says_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    print_parts()
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| 20 | 1 "))
    page = (Path(__file__).parents[2] / "docs/how-to/keep-the-good-parts.md").read_text(encoding="utf-8")
    whole, parts = row.split(" | ")[3:5]
    assert f"{parts} tokens in place of {whole}" in " ".join(page.split())
