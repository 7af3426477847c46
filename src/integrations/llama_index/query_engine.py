"""Typed answers of LlamaIndex's query engines, and what their retries go by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.bridge.pydantic import BaseModel
from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.response_synthesizers.refine import StructuredRefineResponse
from llama_index.core.types import BasePydanticProgram

from src.integrations.llama_index.output_parser import RefusedOutputError, UnifiedOutputParser
from src.integrations.llama_index.program import UnifiedProgram


class _AnswerProgram(BasePydanticProgram[StructuredRefineResponse]):
    """A program whose object, as JSON, is the answer of a query engine."""

    def __init__(self, program: UnifiedProgram[Any]) -> None:
        self._program = program

    @property
    def output_cls(self) -> type[StructuredRefineResponse]:
        return StructuredRefineResponse

    def __call__(self, **values: object) -> StructuredRefineResponse:
        return _answer(self._program(None, **values))

    async def acall(self, **values: object) -> StructuredRefineResponse:
        return _answer(await self._program.acall(None, **values))


def _answer(value: BaseModel) -> StructuredRefineResponse:
    """The text that the synthesizer shows the model if there is more context, and makes the object of at the end."""
    text = value.model_dump_json(by_alias=True, round_trip=True)
    if type(value).model_validate_json(text) != value:
        message = f"a {type(value).__name__} is not the same after JSON; LlamaIndex's synthesizers need it to be"
        raise RuntimeError(message)
    return StructuredRefineResponse(answer=text, query_satisfied=True)


def typed_answers(
    parser: UnifiedOutputParser[Any], llm: LLM
) -> Callable[[BasePromptTemplate], BasePydanticProgram[Any]]:
    """The `program_factory` of a synthesizer whose answers are typed objects.

    To be given to `get_response_synthesizer`, with `output_cls` and `structured_answer_filtering=True`. The response of
    the query engine is then a `PydanticResponse`. What is refused raises `RefusedOutputError`; a type whose objects are
    not the same after a turn through JSON, which synthesizers take them through, raises `RuntimeError`.

    .. versionadded:: 0.1.0
    """
    return lambda prompt: _AnswerProgram(UnifiedProgram(parser, parser.output_cls, prompt, llm))


class UnifiedEvaluator(BaseEvaluator):
    """Says whether a response can be read, and if not, what to tell the model: for LlamaIndex's `RetryQueryEngine`.

    .. versionadded:: 0.1.0
    """

    def __init__(self, parser: UnifiedOutputParser[Any]) -> None:
        self._parser = parser

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_options: object,
    ) -> EvaluationResult:
        """Read the response. If it is refused, it does not pass, and the feedback is the parser's."""
        result = EvaluationResult(query=query, response=response, contexts=contexts, passing=True, score=1.0)
        try:
            self._parser.parse(response or "")
        except RefusedOutputError as error:
            return result.model_copy(update={"passing": False, "score": 0.0, "feedback": str(error)})
        return result

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_options: object,
    ) -> EvaluationResult:
        """As `evaluate`."""
        return self.evaluate(query, response, contexts)

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        """There are none."""
