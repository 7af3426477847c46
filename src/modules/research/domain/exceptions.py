"""The research context's exceptions, each an `AppException`."""

from __future__ import annotations

from collections.abc import Sequence

from src.modules.research.domain.dtos.expert_result import ResearchReport
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Phrase


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
        message = Phrase(
            "the dossier does not have {sections}; add what is missing",
            sections=Phrase.joined("{one}, {other}", sections),
        )
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
        reasons = (Phrase("{name}: {reason}", name=name, reason=reason) for name, reason in failed.items())
        message = Phrase(
            "only {count} experts answered, {least} are needed. {reasons}",
            count=len(answered),
            least=least,
            reasons=Phrase.joined("{one}; {other}", reasons),
        )
        super().__init__(message.text(), {"answered": answered, "failed": failed, "least": least})
        self.report = report
