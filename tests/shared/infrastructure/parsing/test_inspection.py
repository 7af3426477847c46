"""What an inspection shows of a text: one view of what is reasoning, whether and how the text was read."""

import pytest
from pydantic import BaseModel

from src.shared.domain import work
from src.shared.domain.reading.reading import Value
from src.shared.domain.reading.scanner import ValueScanner
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.inspection import inspect

VALUE = '{"a": 1}'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"<think>maybe [2]</think>{VALUE}", VALUE),
        (f"<think>maybe [2]</think>\n```json\n{VALUE}\n```", f"```json\n{VALUE}\n```"),
        (f"<think>maybe [2]</think>\nHere:\n{VALUE}", f"Here:\n{VALUE}"),
        (f"maybe [2]</think>{VALUE}", VALUE),
        (f"```thinking\n[2]\n```\n{VALUE}", VALUE),
        ("<think>maybe [2]</think>no object", "no object"),
        ("no object <think>maybe [2]", "no object"),
        ("maybe [2]</think>no object<think>more", "no object"),
        ("```thinking\n[2]\n```\nno object<think>more", "no object"),
        ("maybe [2]</think>", ""),
        ("<|channel|>analysis<|message|>maybe [2]", ""),
    ],
)
def test_text_is_without_its_reasoning_whether_it_is_read_or_refused(text: str, left: str) -> None:
    found = inspect(text)
    assert (found.text.strip(), len(found.text)) == (left, len(text))
    assert [tuple(span) for span in found.readable(0, len(text))] == [(text.find(VALUE), text.find(VALUE) + 8)] * (
        VALUE in left
    )


def test_nothing_is_left_of_a_text_whose_reasoning_was_not_looked_at_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(work, "WORK_FLOOR", 20_000)
    assert inspect("maybe [2]" + "<think>a</think>" * 200 + "</think>").text.isspace()


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        (f"<think>a</think>{VALUE}<think>b</think>", [(0, 16), (24, 40)]),
        (f"<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>b</think>{VALUE}", [(0, 74)]),
        (f"```thinking\na <think>b</think>\n```\n{VALUE}", [(0, 34)]),
        (VALUE, []),
    ],
)
def test_reasoning_is_told_in_order_and_no_part_of_it_twice(text: str, reasoning: list[tuple[int, int]]) -> None:
    assert list(inspect(text).reasoning) == reasoning


def test_what_the_refusing_stage_looked_at_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[int] = []
    before = ValueScanner._damaged  # noqa: SLF001 - counted

    def counted(self: ValueScanner, start: int) -> Value:
        places.append(start)
        return before(self, start)

    monkeypatch.setattr(ValueScanner, "_damaged", counted)
    found = inspect('maybe {"a": [„ </think> no object <think> more')

    assert found.error is not None
    assert found.error.details["stage"] == "think"
    assert places == [6]


def test_inspection_says_what_was_repaired_and_coerced() -> None:
    class Row(BaseModel):
        amount: float

    found = inspect('{"amount": "1.2万",}', Row, coerce=True)
    assert [repair.kind for repair in found.repairs] == [RepairKind.TRAILING_COMMA]
    assert [(one.path, one.before, one.after) for one in found.coercions] == [("$.amount", "1.2万", 12_000.0)]
    found = inspect('{"amount": 1200}', Row, coerce=True)
    assert (found.repairs, found.coercions, found.error) == ((), (), None)
