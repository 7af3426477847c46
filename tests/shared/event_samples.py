"""Events for the tests of those who take them."""

from src.shared.domain.caller import Caller, Purpose
from src.shared.domain.grade import Grade
from src.shared.domain.ports.events import CallEnded, OutputParsed, ParseOutcome, RepairAsked, RepairAttempted
from src.shared.domain.ports.llm import FinishReason, TokenUsage

CLEAN = OutputParsed("裁决", ParseOutcome.CLEAN, "m-1")
REPAIRED = OutputParsed("裁决", ParseOutcome.REPAIRED, "m-1", repairs={"trailing_comma": 1})
MODEL_REPAIRED = OutputParsed("裁决", ParseOutcome.MODEL_REPAIRED, "m-1", by_repair_agent=True)
REFUSED = OutputParsed(
    "裁决", ParseOutcome.REFUSED, "m-1", stages=("repair",), repairs={"single_quote": 1}, raw_length=9
)
WHOLE = OutputParsed(
    context_label="多头辩护人",
    outcome=ParseOutcome.REPAIRED,
    model="m-2",
    prompt_id="p-1",
    attempt=2,
    stages=("fence", "repair"),
    repairs={"trailing_comma": 1, "single_quote": 2},
    raw_length=120,
    grade=Grade.LOSSLESS,
)
"""An event with every fact there is."""
ASKED = RepairAsked(Caller("裁决", "p-1", 2, Purpose.REPAIR), 9, ("a value is expected here", "single_quote"))
ANSWERED = CallEnded(
    Caller("多头辩护人", "p-1", 2), "m", "m-2", FinishReason.STOP, TokenUsage(30, 20, 5, cached_tokens=8), 1.5
)
"""A request with every fact there is."""


def clean(label: str = "裁决", model: str = "m1", **facts: object) -> OutputParsed:
    return OutputParsed(label, ParseOutcome.CLEAN, model, raw_length=10, **facts)  # type: ignore[arg-type]


def refused(label: str = "裁决", model: str = "m1", *, length: int = 10, prompt_id: str = "") -> OutputParsed:
    return OutputParsed(label, ParseOutcome.REFUSED, model, prompt_id, stages=("extract",), raw_length=length)


def asked(label: str = "裁决", *, length: int = 10, prompt_id: str = "") -> RepairAsked:
    return RepairAsked(Caller(label, prompt_id), length, ("comma expected",))


def attempted(label: str = "裁决", *, length: int = 10, code: str = "") -> RepairAttempted:
    return RepairAttempted(not code, length, code=code, caller=Caller(label))


def read_by_agent(label: str = "裁决", outcome: ParseOutcome = ParseOutcome.MODEL_REPAIRED) -> OutputParsed:
    repairs = {"trailing_comma": 1}
    return OutputParsed(label, outcome, "m2", attempt=2, repairs=repairs, raw_length=9, by_repair_agent=True)
