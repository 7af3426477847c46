"""How often the characters of a text are passed: a clean one once, a refused one many times."""

import logging

import pytest

from tests.thorough import THOROUGH_ONLY
from tools.benchmarks.passes import TEXTS, calls, main, passes

pytestmark = THOROUGH_ONLY


def test_clean_text_is_passed_once_by_the_decoder_alone() -> None:
    assert passes(TEXTS["clean"]) == {"decoder": len(TEXTS["clean"])}


def test_wrapping_takes_passes_beside_the_decoders_and_a_refusal_far_more() -> None:
    fenced, refused = passes(TEXTS["fenced"]), passes(TEXTS["refused"])

    assert 0 < fenced["expressions"] < len(TEXTS["fenced"]) < refused["expressions"]
    assert fenced["decoder"] < len(TEXTS["fenced"]) < refused["decoder"]


def test_the_same_text_takes_the_same_passes_and_calls_again() -> None:
    assert [passes(TEXTS["damaged"]), calls(TEXTS["damaged"])] == [passes(TEXTS["damaged"]), calls(TEXTS["damaged"])]
    assert 0 < calls(TEXTS["clean"]).total() < calls(TEXTS["damaged"])[True]


def test_each_text_has_a_row(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "disable", int)

    main()

    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line.split("|")[1].strip() for line in lines[2:]] == [*TEXTS]
