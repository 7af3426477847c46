"""The parser as a dependency of FastAPI: an endpoint whose request body is what a model wrote.

::

    review_of = ModelOutput(Review)


    @app.post("/reviews", openapi_extra=review_of.openapi_extra)
    async def create(review: Annotated[Review, Depends(review_of)]) -> ...: ...
"""
# Without postponed annotations: FastAPI looks up those of a callable object in no module.

from http import HTTPStatus
from typing import Any, Generic, TypeVar, Unpack

from pydantic import BaseModel, ValidationError

from src.shared.domain.answer_type import AnswerType, adapter_of
from src.shared.domain.exceptions import LLMJsonParseError, problems_of
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.language import Phrase
from src.shared.domain.options import Finished, TypedOptions, takes
from src.shared.domain.read_as import told_scalar
from src.shared.infrastructure.extras import needs_package
from src.shared.infrastructure.llm_json import parse_llm_json_output

with needs_package("fastapi"):
    from fastapi import HTTPException, Request
    from fastapi.concurrency import run_in_threadpool
    from fastapi.exceptions import RequestValidationError

T = TypeVar("T")

__all__ = ["MAX_BYTES", "ModelOutput"]

MAX_BYTES = 1_048_576
"""Most bytes of a body, if the dependency says nothing else."""
LARGE = 4_096
"""Characters from which a text is read in a thread, so that the event loop can go on."""
_JSON = "application/json"
_TOO_LARGE = Phrase("the body is too large")
_NOT_UTF8 = Phrase("the body is no UTF-8")


class _Body(BaseModel):
    """A body of JSON: the text, and why the model stopped."""

    text: str
    finish_reason: str | None = None


class ModelOutput(Generic[T]):
    """A dependency that reads the request's body as what a model wrote, and gives the typed object.

    The body is the text itself (`text/plain`, UTF-8), or `{"text": ..., "finish_reason": ...}` as `application/json`.
    What is refused raises FastAPI's `RequestValidationError`, which it answers with 422 and a list of problems in its
    own form; the cause is the `LLMJsonParseError`. A body that is too large is answered with 413.

    Attributes:
        openapi_extra: what the decorator of the endpoint takes, so that the documentation shows the body.

    .. versionadded:: 0.1.0
    """

    @takes(TypedOptions)
    def __init__(self, dto_type: AnswerType[T], *, max_bytes: int = MAX_BYTES, **options: Unpack[TypedOptions]) -> None:
        """Make the dependency.

        Args:
            dto_type: any type the parser takes.
            max_bytes: most bytes of a body; no more are read.
            options: those of `TypedOptions`; `finished` is of a text without a finish reason.

        Raises:
            TypeError, pydantic.errors.PydanticUserError: as for `parse_llm_json_output`.
        """
        adapter_of(told_scalar(dto_type, options))
        self._dto_type = dto_type
        self._max_bytes = max_bytes
        self._options = options
        self.openapi_extra = _documentation(max_bytes)

    async def __call__(self, request: Request) -> T:
        """Read the body; FastAPI calls this.

        Raises:
            RequestValidationError: the body, or the text in it, is refused.
            HTTPException: the body is too large.
        """
        text = await self._body(request)
        finished = self._options.get("finished")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() == _JSON:
            body = _json_body(text)
            text = body.text
            if body.finish_reason is not None:
                finished = finish_reason_of(body.finish_reason).finished
        if len(text) < LARGE:
            return self._parse(text, finished)
        return await run_in_threadpool(self._parse, text, finished)

    async def _body(self, request: Request) -> str:
        """The body as text, read no further than its bound."""
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > self._max_bytes:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _TOO_LARGE.text())
        try:
            return body.decode()
        except UnicodeDecodeError as error:
            problem = {"type": "not_utf8", "loc": ("body",), "msg": _NOT_UTF8.text()}
            raise RequestValidationError([problem]) from error

    def _parse(self, text: str, finished: Finished) -> T:
        try:
            options: TypedOptions = {**self._options, "finished": finished}
            value: T = parse_llm_json_output(text, self._dto_type, **options)
        except LLMJsonParseError as error:
            raise RequestValidationError(_problems(error)) from error
        return value


def _json_body(text: str) -> _Body:
    try:
        return _Body.model_validate_json(text)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in found]) from error


def _problems(error: LLMJsonParseError) -> list[dict[str, Any]]:
    """The problems of a text in FastAPI's form: one of the whole, and one for each field that is wrong."""
    details = error.details
    context = {key: details[key] for key in ("stage", "position", "truncated") if key in details}
    whole = {"type": "llm_json_parse_error", "loc": ("body",), "msg": error.message}
    fields = zip(details.get("validation_errors", ()), problems_of(error), strict=False)
    return [
        {**whole, "ctx": {**context, "feedback": error.feedback()}},
        *({"type": one["type"], "loc": ("body", *one["loc"]), "msg": said} for one, said in fields),
    ]


def _documentation(max_bytes: int) -> dict[str, Any]:
    """How the endpoint is shown in the documentation."""
    text = {"type": "string", "description": f"What a model wrote, as it wrote it; at most {max_bytes:,} bytes."}
    body = {"text/plain": {"schema": text}, _JSON: {"schema": _Body.model_json_schema()}}
    problem = {"type": "object", "required": ["type", "loc", "msg"], "properties": {"msg": {"type": "string"}}}
    problems = {"type": "object", "properties": {"detail": {"type": "array", "items": problem}}}
    refused = {"description": "The text is refused", "content": {_JSON: {"schema": problems}}}
    too_large = {"description": "The body is too large"}
    return {"requestBody": {"required": True, "content": body}, "responses": {"422": refused, "413": too_large}}
