"""The conflict resolver's output contract and parser."""

from src.modules.debate.domain.dtos.resolution_result import ResolutionResult
from src.modules.debate.domain.exceptions import LLMOutputParseError
from src.shared.infrastructure.agents.agent_output import AgentOutput

OUTPUT = AgentOutput(label="冲突消解", dto_type=ResolutionResult, error_type=LLMOutputParseError)


def parse_resolution_result(raw: str, *, finished: bool | None = None) -> ResolutionResult:
    """Read the resolver's raw text as direction, both cases, risks and disagreements.

    `finished`: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.
    Fails with the context's `LLMOutputParseError`, and with nothing else, when it cannot.
    """
    return OUTPUT.parse(raw, finished=finished)
