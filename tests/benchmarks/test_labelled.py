"""Texts whose reading is known are judged by what comes of them."""

from pathlib import Path

import pytest

from tests.tables.types import TYPES
from tools.benchmarks import labelled
from tools.benchmarks.labelled import CORPORA, REAL_FILTER, Labelled, Verdict, main, only_object, read


@pytest.mark.parametrize(
    ("one", "verdict"),
    [
        (Labelled("value", '{"a": 1,}', ({"a": 2}, {"a": 1})), Verdict.RIGHT),
        (Labelled("a float", '{"a": 1.0}', ({"a": 1},)), Verdict.WRONG),
        (Labelled("typed", '{"score": "5"}', ({"score": 5, "note": ""},), TYPES["Score"]), Verdict.RIGHT),
        (Labelled("refused rightly", "no", ()), Verdict.RIGHT),
        (Labelled("refused", "no", ({},)), Verdict.REFUSED),
        (Labelled("read though it is to be refused", "{}", ()), Verdict.WRONG),
    ],
)
def test_text_is_judged(one: Labelled, verdict: Verdict) -> None:
    assert read(one).verdict is verdict


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('so: {"a": [1]}!', {"a": [1]}),
        ('{"a": 1} or {"a": 2}', None),
        ('[{"a": 1}]', None),
        ('{"a": 1, "a": 2}', None),
        ('{"a": 1,}', None),
        ("none", None),
    ],
)
def test_label_of_the_pool_is_one_object_without_any_damage(text: str, value: object) -> None:
    assert only_object(text) == value


def test_command_says_its_filter_and_names_what_is_not_right(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [Labelled("lost", "no", ({},)), Labelled("invented", "{}", ())]
    monkeypatch.setitem(CORPORA, "made", lambda: iter(texts))
    assert main(["--only", "made"]) == 1
    printed = capsys.readouterr().out
    assert REAL_FILTER in printed
    assert "made, wrong: invented" in printed
    assert "made, refused: lost" in printed


def test_corpus_of_the_project_itself_is_right_or_refused() -> None:
    found = labelled.judged(labelled.own_readings())
    assert (found[Verdict.WRONG], len(found[Verdict.RIGHT]) > 50) == ([], True)


def test_file_that_is_not_there_has_no_rows(tmp_path: Path) -> None:
    assert list(labelled.rows_of(tmp_path / "none.jsonl")) == []
