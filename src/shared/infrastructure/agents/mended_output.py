"""One answer that is put together of several texts: the good parts of the first, and what was asked for again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, Generic, Protocol, TypeVar, cast

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of, schema_name
from src.shared.domain.exceptions import LLMJsonParseError, problems_of
from src.shared.domain.grade import Grade, least_sure
from src.shared.domain.one_line import one_line
from src.shared.domain.partial import Partial, PartProblem
from src.shared.domain.ports.output import ParsedText, PartsWanted
from src.shared.domain.rules import Normalizer
from src.shared.domain.type_parts import Path, TypeParts
from src.shared.infrastructure.agents.parsed_text import parsed_text
from src.shared.infrastructure.llm_json import finish_draft, parse_llm_json_output, read_draft
from src.shared.infrastructure.parsing.parts import Draft, put
from src.shared.infrastructure.parsing.state import Target
from src.shared.infrastructure.parsing.target_type import target_type

T = TypeVar("T")

_TEXT_LIMIT = 300
"""Most characters that are shown of a part, and of what is wrong with it."""


class PartsType(SchemaType[dict[str, Any]]):
    """An object of some parts of a type, each under a name of its own."""

    def __init__(self, name: str, schema: Mapping[str, Any]) -> None:
        """`schema`: Pydantic's core schema of it."""
        self.name = name
        self._schema = schema

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the object."""
        return adapter_of(self).json_schema(by_alias=True)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How Pydantic validates it."""
        schema: Any = self._schema
        return cast("CoreSchema", schema)


class WholeOutput(Protocol[T]):
    """How a whole answer is read: an `AgentOutput`."""

    @property
    def label(self) -> str:
        """Who is asking."""
        ...

    @property
    def dto_type(self) -> AnswerType[T]:
        """The type of the answer."""
        ...

    @property
    def checked_type(self) -> AnswerType[T]:
        """The same with the rules behind it."""
        ...

    @property
    def normalizers(self) -> Sequence[Normalizer]:
        """Hooks that run before the type is asked."""
        ...

    def own_error(self) -> AbstractContextManager[None]:
        """Raises the parser's error as the context's own."""
        ...


class MendedOutput(Generic[T]):
    """The output contract of an agent for one answer; implements `OutputPort` and `MendingOutput` of a `Partial`."""

    def __init__(self, output: WholeOutput[T]) -> None:
        """`output`: how a whole answer is read."""
        self._output = output
        wanted = target_type(output.checked_type)
        self._target = Target(wanted, tuple(output.normalizers), keep="draft")
        self._parts = TypeParts(wanted.adapter.core_schema)
        self._draft: Draft | None = None
        self._last: ParsedText[Partial[T]] | None = None
        self._best: ParsedText[Partial[T]] | None = None
        self._wanted: PartsWanted | None = None

    @property
    def label(self) -> str:
        """Who is asking."""
        return self._output.label

    @property
    def dto_type(self) -> Any:  # noqa: ANN401 - any type of an answer
        """The type of a whole answer."""
        return self._output.dto_type

    @property
    def wanted(self) -> PartsWanted | None:
        """What the next text is read as; None: a whole answer."""
        return self._wanted

    def read(self, raw: str, *, finished: bool | None = None) -> ParsedText[Partial[T]]:
        """Read a whole answer, or the parts that are wanted of one.

        Raises:
            Exception: the agent's own error: the text cannot be read, or parts of the answer cannot be used yet.
        """
        with self._output.own_error():
            text, draft = self._mended(raw, finished) if self._wanted else self._whole(raw, finished)
            self._keep(text, draft)
            if draft.error:
                raise draft.error
        return text

    def kept(self, cut: str | None) -> ParsedText[Partial[T]] | None:
        """What there is of the answer where no other text comes."""
        if self._best is None and cut is not None:
            with suppress(LLMJsonParseError):
                return ParsedText(self._salvaged(cut), grade=Grade.CHOSEN)
        return self._best

    def _salvaged(self, cut: str) -> Partial[T]:
        output = self._output
        return parse_llm_json_output(
            cut,
            output.checked_type,
            normalizers=output.normalizers,
            context_label=output.label,
            finished=False,
            keep="good",
        )

    def _whole(self, raw: str, finished: bool | None) -> tuple[ParsedText[Partial[T]], Draft]:  # noqa: FBT001 - passed on
        parsed = read_draft(raw, self._target.ending(finished=finished), self.label)
        return self._text(parsed.value, parsed_text(parsed.value, parsed.decoded)), parsed.value

    def _mended(self, raw: str, finished: bool | None) -> tuple[ParsedText[Partial[T]], Draft]:  # noqa: FBT001 - passed on
        """The answer with the parts of another text in their places."""
        draft, before = cast("Draft", self._draft), cast("ParsedText[Partial[T]]", self._last)
        parts = cast("PartsWanted", self._wanted).dto_type
        target = Target(target_type(parts), finished=finished, keep="draft")
        found = read_draft(raw, target, self.label)
        given = [(path, found.value.data[name]) for name, (path, _) in _named(draft) if name in found.value.data]
        if found.value.error and not given:
            raise found.value.error
        data = draft.data
        for path, part in given:  # the whole answer is validated anew: a part may still be wrong
            data = put(data, path, part)
        state = finish_draft(data, self._target)
        more = parsed_text(found.value, found.decoded)
        grade = least_sure(one for one in (before.grade, more.grade) if one)
        text = ParsedText(None, before.repairs, before.stages, data, state.coercions, grade)
        return self._text(state.result, text), state.result

    @staticmethod
    def _text(draft: Draft, text: ParsedText[Any]) -> ParsedText[Partial[T]]:
        kept: Any = draft.kept
        return ParsedText(kept, text.repairs, text.stages, draft.data, text.coercions, text.grade)

    def _keep(self, text: ParsedText[Partial[T]], draft: Draft) -> None:
        """Remember what came of a text, and what to ask for next."""
        self._draft, self._last = draft, text
        self._wanted = self._asked(draft) if draft.wanted else None
        best = self._best.value.problems if self._best else None
        if draft.kept is not None and (best is None or len(draft.kept.problems) <= len(best)):
            self._best = text

    def _asked(self, draft: Draft) -> PartsWanted:
        fields = {}
        for name, (path, _) in _named(draft):
            schema: Any = self._parts.at(path)
            fields[name] = core_schema.typed_dict_field(schema, required=True)
        schema = self._parts.with_definitions(core_schema.typed_dict_schema(fields))
        named = [(name, problem) for name, (_, problem) in _named(draft)]
        parts = PartsType(f"{schema_name(self._output.dto_type)}_parts"[:64], schema)
        return PartsWanted(parts, lambda: "\n".join(_told(*one) for one in named))


def _named(draft: Draft) -> list[tuple[str, tuple[Path, PartProblem]]]:
    """The parts, each under a name that no data can choose."""
    return [(f"part_{number}", part) for number, part in enumerate(draft.wanted, 1)]


def _told(name: str, problem: PartProblem) -> str:
    """One part: where it stands, what is wrong, and how it was written; one line, whatever the model wrote."""
    wrong = "; ".join(problems_of(problem.error))
    line = f"- {name}: {one_line(problem.path, _TEXT_LIMIT)}: {one_line(wrong, _TEXT_LIMIT)}"
    return f"{line}: {one_line(problem.text, _TEXT_LIMIT)}" if problem.text else line
