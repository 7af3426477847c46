"""Events for texts that come from elsewhere: one for each text the parser reads or refuses."""

from dataclasses import dataclass

import pytest

from src.modules.judge.domain.exceptions import LLMOutputParseError
from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT
from src.shared.application.reading import ObservedOutput
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import OutputParsed, ParseOutcome
from src.shared.domain.ports.output import ParsedText
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import MemoryEvents
from tests.shared.reading import Score


def observed() -> tuple[ObservedOutput[Score], MemoryEvents]:
    events = MemoryEvents()
    return ObservedOutput(plain_output(Score, "评分"), events), events


@pytest.mark.parametrize(
    ("raw", "outcome"), [('{"score": 1}', ParseOutcome.CLEAN), ("{'score': 1,}", ParseOutcome.REPAIRED)]
)
def test_text_that_is_read_is_one_event(raw: str, outcome: ParseOutcome) -> None:
    output, events = observed()
    assert output.read(raw) == output.output.read(raw)
    told = [(e.context_label, e.outcome, e.raw_length, e.model) for e in events.of(OutputParsed)]
    assert told == [("评分", outcome, len(raw), "")]


def test_text_that_is_refused_is_one_event() -> None:
    output, events = observed()
    with pytest.raises(AppException, match="no JSON object"):
        output.read("没有")
    assert [(e.outcome, e.stages) for e in events.of(OutputParsed)] == [(ParseOutcome.REFUSED, ("extract",))]


def test_what_is_known_of_the_end_is_passed_on() -> None:
    output, events = observed()
    assert output.read('{"score": 1', finished=True).value == Score(score=1)
    with pytest.raises(AppException, match="cut off"):
        output.read('{"score": 1}', finished=False)
    assert [e.outcome for e in events.of(OutputParsed)] == [ParseOutcome.REPAIRED, ParseOutcome.REFUSED]


def test_error_is_the_parsers() -> None:
    with pytest.raises(LLMOutputParseError, match="no JSON object in the text"):
        ObservedOutput(OUTPUT, MemoryEvents()).read("没有")


def test_label_and_type_are_the_parsers() -> None:
    output = ObservedOutput(OUTPUT, MemoryEvents())
    assert (output.label, output.dto_type) == (OUTPUT.label, OUTPUT.dto_type)


@dataclass
class Buggy:
    """A parser with a bug."""

    label: str = "x"
    dto_type: type[Score] = Score

    def read(self, raw: str, *, finished: bool | None = None) -> ParsedText[Score]:
        del finished
        raise ZeroDivisionError(raw)


def test_bug_of_a_parser_is_no_refusal() -> None:
    events = MemoryEvents()
    with pytest.raises(ZeroDivisionError):
        ObservedOutput(Buggy(), events).read("x")
    assert events.events == []
