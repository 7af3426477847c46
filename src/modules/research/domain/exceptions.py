"""The research context's exceptions, each an `AppException`."""

from __future__ import annotations

from collections.abc import Sequence

from src.modules.research.domain.dtos.expert_result import ResearchReport
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message


class LLMOutputParseError(AppException):
    """A research agent's text could not be turned into its result.

    `message` and `details` are those of the parser's `LLMJsonParseError`, which is the `__cause__`.
    """

    default_code = "LLM_OUTPUT_PARSE_ERROR"


class MissingDataError(AppException):
    """An expert has nothing to work with; `details` holds `sections`, the names of what is missing."""

    default_code = "RESEARCH_DATA_MISSING"

    @classmethod
    def of(cls, sections: Sequence[str]) -> MissingDataError:
        """The error for these sections."""
        zh = f"资料中缺少 {'、'.join(sections)}，请在档案中补充"
        en = f"the dossier does not have {', '.join(sections)}; add what is missing"
        message = Message.glossed(zh, en, "the dossier has no such section; add it")
        return cls(message.text(), {"sections": list(sections)})


class TooFewExpertsError(AppException):
    """Not enough experts answered to go on.

    Attributes:
        report: what came of each expert, so that no answer is lost.

    `details` holds `answered` (names), `failed` (name → reason) and `least` (how many it takes).
    """

    default_code = "RESEARCH_TOO_FEW_EXPERTS"

    def __init__(self, report: ResearchReport, least: int) -> None:
        answered, failed = list(report.results), report.failures
        reasons = "；".join(f"{name}：{reason}" for name, reason in failed.items())
        zh = f"只有 {len(answered)} 位专家给出结论，至少需要 {least} 位"
        en = f"only {len(answered)} experts answered, {least} are needed"
        listed = "; ".join(f"{name}: {reason}" for name, reason in failed.items())
        message = Message(f"{zh}。{reasons}", f"{en}. {listed}", f"{zh} ({en})。{reasons}")
        super().__init__(message.text(), {"answered": answered, "failed": failed, "least": least})
        self.report = report
