"""The application's exceptions.

The tree::

    AppException                 message, code, details
    └── LLMJsonParseError        LLM_JSON_PARSE_ERROR: a model's text could not be turned into the object asked for
        └── LLMJsonDecodeError   the same of `loads`, and a `json.JSONDecodeError`, too

    (each bounded context)
    AppException
    └── LLMOutputParseError      LLM_OUTPUT_PARSE_ERROR: the same failure in the context's own words

None of them knows about HTTP or exit codes: those belong to the entrypoints.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, NamedTuple, TypeAlias

from src.shared.domain.language import Language, Message, Phrase
from src.shared.domain.one_line import one_line, shorten

FEEDBACK_LIMIT = 1000
"""Most characters `AppException.feedback()` returns; it goes into a model's next prompt."""

_CLOSINGS = {
    root: Phrase("Answer with the corrected, complete JSON {root} only.", root=word)
    for root, word in (
        ("object", Phrase("object")),
        ("array", Phrase("array")),
        ("any", Phrase("object or array")),
    )
} | {
    "scalar": Phrase("Answer with the value alone."),
    "call": Phrase("Make the tool call again, with the corrected, complete arguments."),
}
"""How feedback ends, by what was asked for."""
_FEEDBACK_ERRORS = 8
_FEEDBACK_PART = 160


class Told(NamedTuple):
    """How `feedback()` tells of an error whose `message` holds what `details` lists as well.

    Attributes:
        headline: what kind of failure it is, without the problems.
        problems: the first of them in the language of the message, one for each of `details["validation_errors"]`;
            empty where they are told as they stand there.
        said: the headline, and each problem that has words of ours, in every language; None where there is only one.
        call_language: the one that the call asked for; None where each telling is in the one that is asked for then.

    .. versionadded:: 0.1.0
    """

    headline: str
    problems: tuple[str, ...] = ()
    said: tuple[Message, tuple[Message | str, ...]] | None = None
    call_language: Language | None = None

    def spoken(self) -> Told:
        """The same in the language of the call, or the one that is asked for now, if there is one."""
        if self.said is None:
            return self
        headline, problems = self.said
        told = tuple(one if isinstance(one, str) else one.text(self.call_language) for one in problems)
        return self._replace(headline=headline.text(self.call_language), problems=told)

    def under(self, name: str) -> Told:
        """The same with a name before the headline, such as that of the tool whose arguments are wrong."""
        said = self.said and (self.said[0].under(name), self.said[1])
        return self._replace(headline=f"{name}: {self.headline}", said=said)


class AppException(Exception):  # noqa: N818 - the name is the specification's, callers catch it
    """Base of all errors the application raises on purpose.

    Attributes:
        message: what was wrong, for people; in the language that the call or `LLM_OUTPUT_LANG` asks for, by default
            Chinese first with an English gloss in brackets.
        code: a constant name for programs, such as `LLM_JSON_PARSE_ERROR`.
        details: facts about the failure as plain values (JSON types and tuples); keys depend on the error. The same
            in every language, apart from what is wrong with each value where the call asks for a language.
        told: how `feedback()` tells of it; None where it begins with the message.

    .. versionadded:: 0.1.0
    """

    default_code: ClassVar[str] = "APP_ERROR"
    told: Told | None = None

    def __init__(self, message: str, details: dict[str, Any] | None = None, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.details: dict[str, Any] = dict(details or {})

    def __str__(self) -> str:  # noqa: D105 - says the message, which may have grown
        return self.message

    def feedback(self) -> str:
        """Say what was wrong as text for the model's next try, in under 1,000 characters.

        Holds what kind of failure it is, each problem once, where it is (line and column, or the JSON path of each
        field), and what was expected; never the raw output. A key, or what a validator quotes, may be the model's own
        text: each problem is one line, so that none of it can pass for a heading of the prompt. It is in the language
        of the call that failed, else in the one that is asked for when this is called.
        """
        told = (self.told or Told(self.message)).spoken()
        language = told.call_language
        lines = [one_line(told.headline, _FEEDBACK_PART * 2)]
        if position := self.details.get("position"):
            place = Phrase("at line {line}, column {column}", line=position["line"], column=position["column"])
            lines.append(place.text(language))
        errors = self.details.get("validation_errors", [])
        for error, text in zip(errors[:_FEEDBACK_ERRORS], _problems_of(self, told), strict=False):
            lines.append(one_line(f"- {json_path(error['loc'])}: {text}", _FEEDBACK_PART))
        closing = _CLOSINGS[self.details.get("root", "object")].text(language)
        if example := self.details.get("example"):
            written_as = Phrase("written as: {example}", example=one_line(example, _FEEDBACK_PART))
            closing = f"{closing}\n{written_as.text(language)}"
        kept = shorten("\n".join(lines), FEEDBACK_LIMIT - len(closing) - 32)
        dropped = self.details.get("validation_error_count", len(errors)) - _FEEDBACK_ERRORS
        more = f"\n… {Phrase('{count} more', count=dropped).text(language)}" if dropped > 0 else ""
        return f"{kept}{more}\n{closing}"


def error_of(failed: AppException | None) -> AppException:
    """The error of what has failed, which has one unless it was made by hand."""
    return failed or AppException(Phrase("failed, and nothing says why").text())


class LLMJsonParseError(AppException):
    """A model's text could not be turned into the object asked for.

    `details` always holds `stage` (the name of the stage that failed) and `raw_length` (characters), and as
    they apply: `json_error`, `position` ({line, column, offset}; line and column count from 1, offset from 0),
    `validation_errors` (list of {loc, type, msg}), `validation_error_count`, `normalizer`, `normalizer_error`,
    `data_summary`, `truncated`, `candidates`, `repairs`, `root` (`array`, `any`, `scalar` or `call`, where it
    was not an object that was looked for). `docs/reference/errors.md` describes each.

    .. versionadded:: 0.1.0
    """

    default_code = "LLM_JSON_PARSE_ERROR"


def problems_of(error: AppException) -> list[str]:
    """What is wrong in each place of `details["validation_errors"]`, in the language that is spoken now."""
    return _problems_of(error, (error.told or Told("")).spoken())


def _problems_of(error: AppException, told: Told) -> list[str]:
    return [*told.problems] or [problem["msg"] for problem in error.details.get("validation_errors", [])]


def json_path(loc: tuple[str | int, ...]) -> str:
    """Render an error location as a JSON path: `("rows", 0, "score")` becomes `$.rows[0].score`."""
    steps = ["$"]
    for step in loc:
        if isinstance(step, int):
            steps.append(f"[{step}]")
        else:
            steps.append(f".{step}" if step.isidentifier() else f"[{json.dumps(step, ensure_ascii=False)}]")
    return "".join(steps)


Place: TypeAlias = "tuple[Place, str | int] | None"
"""Where a value stands: the place of the container around it, and the key or index in it; None for the outermost."""


def steps_to(place: Place) -> tuple[str | int, ...]:
    """The keys and indexes on the way to a place."""
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return tuple(reversed(steps))
