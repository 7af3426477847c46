"""Batches that have ended, made by hand, to be reported on."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from src.entrypoints.reports.batch.summary import About, Start
from src.modules.reparsing.domain.comparison import Comparison
from src.modules.reparsing.domain.outcome import RowOutcome
from src.modules.reparsing.domain.record import Record
from src.modules.reparsing.domain.tally import Tally

Answer: TypeAlias = tuple[Record, RowOutcome, float]
"""What came of a text, and the seconds that took."""
HOSTILE = (
    "</title></style><script>alert(1)</script><img src=x onerror=alert(1)>&\"'\u202e\x1b[31m\n\r\u2028\ud800{{7*7}}"
)
"""What an input may hold anywhere."""

MADE = datetime(2026, 11, 23, 10, 30, tzinfo=UTC)


def about(**changes: Any) -> About:  # noqa: ANN401 - of any field
    """A run of two inputs with two workers."""
    given: dict[str, Any] = {
        "inputs": [{"name": "answers.jsonl", "size": 7_097_150}, {"name": "logs/2026.jsonl.gz", "size": 512}],
        "options": {"agent": "verdict", "text-field": "text", "format": "jsonl", "language": "both"},
        "version": "0.1.0",
        "made": MADE,
        "workers": 2,
        "start": Start(3_000, 2.5),
    }
    return About(**(given | changes))


def tallied(*answers: Answer) -> Tally:
    """The tally of a run, as the parts of a run give it."""
    tally, whole = Tally(), Tally()
    for answer in answers:
        tally.count(*answer)
    whole.add(tally)
    return whole


def record(number: int, **fields: Any) -> Record:  # noqa: ANN401 - of any field
    """The record of a row."""
    return Record(**({"place": f"answers.jsonl:{number}", "id": f"id-{number}", "text": "x" * number} | fields))


def parsed(number: int, *kinds: str, seconds: float = 0.001, **fields: Any) -> Answer:  # noqa: ANN401 - as above
    """A text that was read, repaired where kinds are named."""
    row = {"data": {}, "repairs": [{"kind": kind} for kind in kinds], "grade": "clean", "left_out": []}
    return record(number, **fields), RowOutcome(row), seconds


def refused(
    number: int,
    stage: str,
    reason: str,
    *,
    message: str = "",
    truncated: bool = False,
    **fields: Any,  # noqa: ANN401 - as above
) -> Answer:
    """A text that was not read."""
    row = {"stage": stage, "message": message or f"原因 ({reason})", "feedback": "feedback", "truncated": truncated}
    return record(number, **fields), RowOutcome(row, reason), 0.002


def varied() -> Tally:
    """A run of 400 texts with everything in it but a comparison: agents, models, three days of hours with a gap."""
    answers: list[Answer] = []
    begun = datetime(2026, 11, 20, 22, tzinfo=UTC)
    for number in range(1, 401):
        hours = number % 50 + (20 if number % 50 > 25 else 0)
        hour = (begun + timedelta(hours=hours)).strftime("%Y-%m-%dT%H")
        fields: dict[str, Any] = {
            "agent": ("verdict", "bull_advocate", "risk")[number % 3],
            "model": f"model-{number % 5}",
            "hour": hour,
        }
        if number % 10 == 0:
            answers.append(refused(number, *REASONS[number // 10 % len(REASONS)], **fields))
        elif number % 7 == 0:
            answers.append(parsed(number, *KINDS[: number % 3 + 1], seconds=number / 100, **fields))
        else:
            answers.append(parsed(number, **fields))
    return tallied(*answers, refused(401, "repair", "the text is cut off here", truncated=True))


KINDS = ("trailing_comma", "control_character", "full_width_punctuation")
REASONS = (
    ("extract", "no JSON object in the text"),
    ("extract", "several different objects, none marked as the answer"),
    ("root", "the root is array"),
    ("validate", "$.score: float_parsing"),
    ("validate", "$.rows.name: missing"),
    ("think", "a reasoning block is never closed; nothing inside it is an answer"),
    ("repair", "the text can be read in two ways here"),
    ("input", "there is no field 'text'; the row has"),
    ("worker", "it took longer than 60 seconds"),
    ("output", "the value was read and cannot be written as JSON"),
    ("empty", "empty"),
    ("normalize", "normalizer percent"),
)


def comparison() -> Comparison:
    """An old parser beside the new one, with an example of each class that has some."""
    classes = Counter({"equal": 801, "only_new": 165, "different": 8, "neither": 2, "only_old": 1})
    by_agent = {
        "verdict": Counter({"equal": 800, "only_new": 5}),
        "risk": classes - Counter({"equal": 800, "only_new": 5}),
    }
    examples = {
        "different": example(
            "different",
            7,
            '{"price": "1,000", "rows": [{"name": "a"}, {"name": "b"}], "note": true}',
            paths=["$.price", "$.rows[1].name", "$.note: only new"],
            old='{"price": 1, "rows": [{"name": "a"}, {"name": "b "}]}',
            new='{"price": 1000, "rows": [{"name": "a"}, {"name": "b"}], "note": true, "text": "mid … end", '
            '"price": 2}',
            values=[
                {"path": "$.price", "old": "1", "new": "1000"},
                {"path": "$.note: only new", "old": "", "new": "true"},
            ],
        ),
        "only_new": example(
            "only_new",
            9,
            '{"price": 1 "b": 2}',
            old_error="JSONDecodeError: Expecting ',' delimiter",
            new='{"price": 1, "b": 2}',
        ),
        "only_old": example("only_old", 11, '{"a": 1} {"a": 2}', old='{"a": 1}'),
        "neither": example(
            "neither",
            12,
            "I cannot do that.",
            old_error="TimeoutError",
            new_error="不是合法 JSON：未找到 JSON 对象 (not valid JSON: no JSON object in the text)",
        ),
    }
    return Comparison(
        classes=classes,
        by_agent=by_agent,
        paths=Counter({"$.price": 6, "$.rows[*].name": 3}),
        examples={name: [one] for name, one in examples.items()},
    )


def example(agreement: str, number: int, text: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - of any field
    """A text that two parsers read."""
    row = {"place": f"answers.jsonl:{number}", "id": f"id-{number}", "agreement": agreement, "paths": []}
    shown = {"old_error": "", "values": [], "new_error": "", "text": text, "old": "", "new": ""}
    return row | shown | more
