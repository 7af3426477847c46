"""The judge's output contract and parser."""

from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.modules.judge.domain.exceptions import LLMOutputParseError
from src.shared.infrastructure.agents.agent_output import AgentOutput

OUTPUT = AgentOutput(label="裁决", dto_type=VerdictResult, error_type=LLMOutputParseError)


def parse_verdict_result(raw: str, *, finished: bool | None = None) -> VerdictResult:
    """Read the judge's raw text as action, position and the plan around it.

    `finished`: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.
    Fails with the context's `LLMOutputParseError`, and with nothing else, when it cannot.
    """
    return OUTPUT.parse(raw, finished=finished)
