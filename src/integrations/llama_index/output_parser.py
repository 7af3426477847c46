"""The parser as one of LlamaIndex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from llama_index.core.base.llms.types import ChatResponse, CompletionResponse, ToolCallBlock
from llama_index.core.output_parsers import PydanticOutputParser
from llama_index.core.output_parsers.base import OutputParserException

from src.shared.domain.answer_errors import only_tools_error
from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.json_prompt import with_json_requirement
from src.shared.domain.normalizer import Normalizer
from src.shared.infrastructure.finish_fields import field_of, finished_by
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.parsing.state import Several
from src.shared.infrastructure.parsing.target_type import target_type

T = TypeVar("T")
Response = ChatResponse | CompletionResponse


class RefusedOutputError(OutputParserException):
    """LlamaIndex's exception for a text that was refused. Its cause is the `LLMJsonParseError`.

    Its message is what to tell the model for its next try. It is no `ValueError`: LlamaIndex's synthesizers turn those
    into an empty response.

    Attributes:
        llm_output: the text.

    .. versionadded:: 0.1.0
    """

    def __init__(self, feedback: str, llm_output: str = "") -> None:
        super().__init__(feedback, llm_output)
        self.llm_output = llm_output

    def __str__(self) -> str:
        """What to tell the model."""
        return str(self.args[0])


class UnifiedOutputParser(PydanticOutputParser[Any], Generic[T]):
    """Reads a typed object from a model's text, or refuses it with `RefusedOutputError`.

    Args:
        dto_type: any type the parser takes. LlamaIndex's programs need a model.
        normalizers: as for `parse_llm_json_output`.
        context_label: as for `parse_llm_json_output`.
        several: as for `parse_llm_json_output`.
        coerce: as for `parse_llm_json_output`.

    Raises:
        TypeError: `dto_type` is no type, or its JSON is neither an object nor an array, or it cannot be coerced.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        dto_type: AnswerType[T],
        *,
        normalizers: Sequence[Normalizer] | None = None,
        context_label: str = "",
        several: Several = "refuse",
        coerce: bool = False,
    ) -> None:
        target_type(dto_type, coerce=coerce)  # what is no type is told here, not at the first answer
        given: Any = dto_type
        super().__init__(output_cls=given)
        self._normalizers = normalizers
        self._context_label = context_label
        self._coerce = coerce
        self.several = several

    def parse(self, text: str) -> T:
        """Read the object in a text of which nobody knows how it ended: the text itself has to show its end.

        Raises:
            RefusedOutputError: it is refused.
        """
        return self.read(text)

    def parse_response(self, response: Response) -> T:
        """Read the object in a response; one that its finish reason says was cut off is refused.

        Raises:
            RefusedOutputError: it is refused.
        """
        return self.read(text_of(response), finished=finished_of(response), tools=tools_of(response))

    def read(self, text: str, *, finished: bool | None = None, tools: Sequence[str] = ()) -> T:
        """Read the object in a text.

        Args:
            text: the whole of it.
            finished: as for `parse_llm_json_output`.
            tools: the names of the tools that were called.

        Raises:
            RefusedOutputError: it is refused.
        """
        try:
            value: T = parse_llm_json_output(
                text,
                self.output_cls,
                normalizers=self._normalizers,
                context_label=self._context_label,
                finished=finished,
                several=self.several,
                coerce=self._coerce,
            )
        except LLMJsonParseError as error:
            told = error if text.strip() or not tools else only_tools_error(tools, error)
            raise RefusedOutputError(told.feedback(), text) from told
        return value

    def stream(self) -> LLMJsonStream[T]:
        """Begin an answer that comes in pieces."""
        return LLMJsonStream(self.output_cls, self._context_label, self._normalizers)

    def get_format_string(self, escape_json: bool = True) -> str:  # noqa: FBT001, FBT002 - LlamaIndex's signature
        """The JSON requirement and the description of the type.

        Args:
            escape_json: whether braces are doubled, for `str.format`. LlamaIndex's own templates need none doubled.
        """
        text = with_json_requirement("", self.output_cls)
        return text.replace("{", "{{").replace("}", "}}") if escape_json else text

    def format(self, query: str) -> str:
        """Append the JSON requirement and the description of the type, unless the query has them."""
        return with_json_requirement(query, self.output_cls)


def text_of(response: Response) -> str:
    """The text of a response, without reasoning that the provider returns apart."""
    return response.text if isinstance(response, CompletionResponse) else response.message.content or ""


def tools_of(response: Response) -> list[str]:
    """The names of the tools that a response calls."""
    blocks = response.message.blocks if isinstance(response, ChatResponse) else ()
    return [block.tool_name for block in blocks if isinstance(block, ToolCallBlock)]


def finished_of(response: Response) -> bool | None:
    """What is known of the end, from what the provider sent, as LlamaIndex keeps it."""
    raw = response.raw
    first = [choices[0] for name in ("choices", "candidates") if (choices := field_of(raw, name))]
    return finished_by(response.additional_kwargs, raw, field_of(raw, "delta"), *first)
