"""The repair agent's log: one line for every repair, accepted or refused, with what was different."""

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from src.shared.domain.caller import Caller
from src.shared.domain.ports.events import RepairAttempted
from src.shared.domain.repair_errors import Difference, DifferenceKind
from src.shared.infrastructure.events.library_log import EXCERPT_VARIABLE
from src.shared.infrastructure.events.log import LogEvents

DIFFERENCE = Difference(DifferenceKind.VALUE_CHANGED, "$.余额", 7, "6222-0001", "6222-0002")


def log_of(event: RepairAttempted) -> EventDict:
    with capture_logs() as logs:
        LogEvents().publish(event)
    (log,) = logs
    return log


def test_accepted_repair_is_a_note_with_label_sizes_and_damage() -> None:
    caller = Caller("裁决", "p-1", 3)
    event = RepairAttempted(True, 20, 18, ("a value is expected here",), model="m", caller=caller)  # noqa: FBT003 - the event's first fact
    assert log_of(event) == {
        "event": "llm_json_repair_agent",
        "log_level": "info",
        "context_label": "裁决",
        "prompt_id": "p-1",
        "attempt": 3,
        "said": "[repairJSON] ✅ 修复成功，JSON 可解析",
        "accepted": True,
        "code": "",
        "before_chars": 20,
        "after_chars": 18,
        "damage": ["a value is expected here"],
        "difference": None,
        "model": "m",
    }


def test_refused_repair_is_a_warning_with_the_difference() -> None:
    log = log_of(RepairAttempted(accepted=False, before_chars=20, code="REPAIR_VALUE_CHANGED", difference=DIFFERENCE))
    assert (log["log_level"], log["code"], log["difference"]) == ("warning", "REPAIR_VALUE_CHANGED", DIFFERENCE.facts())


@pytest.mark.parametrize("kind", DifferenceKind)
def test_repair_of_another_shape_is_told_in_the_specifications_words(kind: DifferenceKind) -> None:
    difference = Difference(kind, "$.a", 7, "x", "y")
    said = log_of(RepairAttempted(accepted=False, before_chars=20, difference=difference))["said"]
    shape = "[parseEnvelope] ⚠️ 警告: 修复后的结构与原始不一致"
    assert said == ("" if kind is DifferenceKind.VALUE_CHANGED else shape)


def test_refusal_without_an_answer_says_nothing_of_its_shape() -> None:
    assert log_of(RepairAttempted(accepted=False, before_chars=20))["said"] == ""


def test_excerpt_of_zero_keeps_both_texts_out_of_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EXCERPT_VARIABLE, "0")
    log = log_of(RepairAttempted(accepted=False, before_chars=20, difference=DIFFERENCE))
    assert [part for part in ("余额", "6222") if part in str(log)] == []


def test_lone_surrogate_can_be_written_to_a_log() -> None:
    difference = Difference(DifferenceKind.VALUE_CHANGED, "$.a", 7, "\ud800", "x")
    log = log_of(RepairAttempted(accepted=False, before_chars=20, difference=difference))
    assert log["difference"]["found"] == "\\ud800"
