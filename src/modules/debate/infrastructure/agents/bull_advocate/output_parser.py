"""The bull advocate's output contract and parser."""

from src.modules.debate.domain.dtos.bull_bear_argument import BullArgument
from src.modules.debate.domain.exceptions import LLMOutputParseError
from src.modules.debate.infrastructure.agents.argument_normalizers import argument_normalizers
from src.shared.infrastructure.agents.agent_output import AgentOutput

OUTPUT = AgentOutput(
    label="多头辩护人",
    dto_type=BullArgument,
    error_type=LLMOutputParseError,
    normalizers=argument_normalizers("acknowledged_risks", "price_catalysts"),
)


def parse_bull_argument(raw: str, *, finished: bool | None = None) -> BullArgument:
    """Read the bull advocate's raw text as thesis, arguments, acknowledged risks and catalysts.

    `finished`: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.
    Fails with the context's `LLMOutputParseError`, and with nothing else, when it cannot.
    """
    return OUTPUT.parse(raw, finished=finished)
