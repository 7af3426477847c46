"""The grade of each text as OpenTelemetry's event of an evaluation: `gen_ai.evaluation.result`.

Source: github.com/open-telemetry/semantic-conventions-genai, model/gen-ai/events.yaml (status: development).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Grade
from src.shared.domain.ports.events import Event, OutputParsed, ParseOutcome
from src.shared.infrastructure.events import otel_setting as names
from src.shared.infrastructure.events.otel import known, otel_api

if TYPE_CHECKING:
    from opentelemetry._logs import LoggerProvider

SCORES = {Grade.CLEAN: 1.0, Grade.WRAPPED: 0.8, Grade.LOSSLESS: 0.6, Grade.READ: 0.4, Grade.CHOSEN: 0.2}
"""The score of each grade; what was refused has 0."""
REFUSED = "refused"
"""The label of a text that was refused; others have the name of their grade."""


class OtelEvaluations:
    """Reports how sure each result is as the event `gen_ai.evaluation.result`, on the current span.

    The event has the name of the evaluation, a score from 0 (refused) to 1 (`clean`), the grade as its label, and as
    its explanation the names of the repairs, or of the stage that refused; a refusal has `error.type`. Nothing in it
    is a part of the text. Where the application has a provider of logs, the event is a record of a log, as the
    conventions have it; else an event of the span, which more tools show.

    Publish through `FanOut`, as with any adapter that runs other people's code.

    .. versionadded:: 0.1.0
    """

    def __init__(self, *, name: str = names.GRADE, logger_provider: LoggerProvider | None = None) -> None:
        """Take the API.

        Args:
            name: what the evaluation is called, as `gen_ai.evaluation.name`.
            logger_provider: where records of logs go; events of spans in their place if not given.

        Raises:
            OpenTelemetryMissingError: `opentelemetry-api` is not installed.
        """
        _, trace = otel_api()
        self._current_span, self._name = trace.get_current_span, name
        self._logger = logger_provider.get_logger(names.SCOPE) if logger_provider else None

    def publish(self, event: Event) -> None:
        """Report one parse; other events are ignored."""
        if isinstance(event, OutputParsed):
            self.report(event)

    def report(self, event: OutputParsed, *, response_id: str = "") -> None:
        """Report one parse, of the reply with this id.

        Args:
            event: the parse, as `parsed_event` makes it.
            response_id: the provider's id of the reply, which tells whose evaluation it is where the request's span is
                not the current one; empty if it is not known.
        """
        attributes = {names.GEN_AI_EVALUATION_NAME: self._name} | evaluation_of(event)
        attributes |= known({names.GEN_AI_RESPONSE_ID: response_id})
        if self._logger:
            from opentelemetry._logs import LogRecord, SeverityNumber  # noqa: PLC0415 - an extra

            info = SeverityNumber.INFO
            self._logger.emit(LogRecord(event_name=names.EVALUATION_EVENT, attributes=attributes, severity_number=info))
        elif (span := self._current_span()).is_recording():
            span.add_event(names.EVALUATION_EVENT, attributes)


def evaluation_of(event: OutputParsed) -> dict[str, Any]:
    """The score, the label, the explanation and the error of one parse, as the conventions call them.

    A text whose grade the reader did not tell has no score and no label.
    """
    is_refused = event.outcome is ParseOutcome.REFUSED and not event.grade
    score = SCORES[event.grade] if event.grade else 0.0
    kinds = ", ".join(sorted(event.kinds))
    why = f"refused by the stage {event.refusing_stage}" if event.refusing_stage else kinds and f"repaired: {kinds}"
    rest = {
        names.GEN_AI_EVALUATION_SCORE_LABEL: REFUSED if is_refused else event.grade and event.grade.value,
        names.GEN_AI_EVALUATION_EXPLANATION: why,
        names.ERROR_TYPE: is_refused and LLMJsonParseError.default_code,
        names.GEN_AI_RESPONSE_MODEL: event.model,
        names.CONTEXT_LABEL: event.context_label,
    }
    return known(rest) | ({names.GEN_AI_EVALUATION_SCORE_VALUE: score} if is_refused or event.grade else {})
