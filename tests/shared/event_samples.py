"""Events for the tests of those who take them."""

from src.shared.domain.ports.events import OutputParsed, ParseOutcome
from src.shared.domain.ports.llm import TokenUsage
from src.shared.domain.repair import RepairKind

CLEAN = OutputParsed("裁决", ParseOutcome.CLEAN, "m-1")
REPAIRED = OutputParsed("裁决", ParseOutcome.REPAIRED, "m-1", repair_kinds=(RepairKind.TRAILING_COMMA,))
MODEL_REPAIRED = OutputParsed("裁决", ParseOutcome.MODEL_REPAIRED, "m-1")
REFUSED = OutputParsed(
    "裁决", ParseOutcome.REFUSED, "m-1", stages=("repair",), repair_kinds=(RepairKind.SINGLE_QUOTE,), raw_length=9
)
WHOLE = OutputParsed(
    context_label="多头辩护人",
    outcome=ParseOutcome.REPAIRED,
    model="m-2",
    prompt_id="p-1",
    attempt=2,
    stages=("fence", "repair"),
    repair_kinds=(RepairKind.TRAILING_COMMA, RepairKind.SINGLE_QUOTE, RepairKind.SINGLE_QUOTE),
    raw_length=120,
    usage=TokenUsage(30, 20, 5),
    latency=1.5,
)
"""An event with every fact there is."""
