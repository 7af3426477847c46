"""An agent's output contract raises the error its owner names, also one that is not ours."""

from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.agents.agent_output import AgentOutput, plain_output


class Rating(BaseModel):
    score: int


class HostError(Exception):
    """As an application has it that was there before: `code` is the second parameter."""

    def __init__(
        self, message: str, code: str = "APP_ERROR", status_code: int = 400, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.status_code, self.details = message, code, status_code, details


OUTPUT = AgentOutput("rating", Rating, HostError)


def refusal_of(raw: str, finished: bool | None = None) -> HostError:  # noqa: FBT001 - as a case has it
    with pytest.raises(HostError) as caught:
        OUTPUT.parse(raw, finished=finished)
    return caught.value


def test_error_of_the_application_gets_message_and_details_at_their_places() -> None:
    error = refusal_of("no JSON")

    assert "不是合法 JSON" in error.message
    assert (error.code, error.status_code) == ("APP_ERROR", 400)
    assert error.details is not None
    assert error.details["stage"] == "extract"


def test_error_of_the_application_is_raised_from_the_parsers() -> None:
    cause = refusal_of("no JSON").__cause__

    assert isinstance(cause, LLMJsonParseError)
    assert "corrected" in cause.feedback()


def test_reading_with_the_evidence_raises_the_same_error() -> None:
    with pytest.raises(HostError):
        OUTPUT.read("no JSON")


def test_options_hold_for_every_text_and_every_way_of_reading() -> None:
    output = plain_output(Amount, "amounts", coerce=True, unwrap=True)
    text = '{"answer": {"amount": "1.2万"}}'

    assert output.parse(text) == output.read(text).value == Amount(amount=12_000)
    assert output.parse_with_trace(text, accept="chosen").value == Amount(amount=12_000)
    with pytest.raises(LLMJsonParseError, match="clean"):
        output.parse_with_trace(text, accept="clean")


def test_unknown_option_is_told_as_python_tells_it() -> None:
    with pytest.raises(TypeError, match=r"^plain_output\(\) got an unexpected keyword argument 'severl'$"):
        plain_output(Amount, severl="last")  # type: ignore[call-overload]


@pytest.mark.parametrize("name", ["normalizers", "context_label", "finished", "keep", "severl"])
def test_option_that_would_not_hold_is_refused_when_the_contract_is_made(name: str) -> None:
    with pytest.raises(TypeError, match=f"^options cannot hold '{name}'; they are: accept, coerce,"):
        AgentOutput("x", Amount, LLMJsonParseError, options={name: None})  # type: ignore[misc]


def test_plain_output_puts_each_option_in_its_place() -> None:
    output = plain_output(Amount, context_label="amounts", normalizers=[lambda data: {"amount": data["a"]}])

    assert (output.label, output.parse('{"a": 1}')) == ("amounts", Amount(amount=1))


class Amount(BaseModel):
    amount: int
