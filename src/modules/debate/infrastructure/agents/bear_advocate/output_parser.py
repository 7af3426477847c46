"""The bear advocate's output contract and parser."""

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument
from src.modules.debate.domain.exceptions import LLMOutputParseError
from src.modules.debate.infrastructure.agents.argument_normalizers import argument_normalizers
from src.shared.infrastructure.agents.agent_output import AgentOutput

OUTPUT = AgentOutput(
    label="空头辩护人",
    dto_type=BearArgument,
    error_type=LLMOutputParseError,
    normalizers=argument_normalizers("acknowledged_strengths", "risk_triggers"),
)


def parse_bear_argument(raw: str, *, finished: bool | None = None) -> BearArgument:
    """Read the bear advocate's raw text as thesis, arguments, acknowledged strengths and triggers.

    `finished`: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.
    Fails with the context's `LLMOutputParseError`, and with nothing else, when it cannot.
    """
    return OUTPUT.parse(raw, finished=finished)
