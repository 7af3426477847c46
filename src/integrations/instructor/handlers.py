"""instructor's handlers of four modes, with the parser in place of their own reading."""

from __future__ import annotations

from typing import Any

from instructor import Mode, Provider
from instructor.v2.core.decorators import register_mode_handler
from instructor.v2.core.errors import ConfigurationError
from instructor.v2.providers.openai import handlers as built_in

from src.integrations.instructor.reading import Asked, options_of_call, read
from src.integrations.instructor.streamed import Streamed, shown, shown_async

MODES = (Mode.TOOLS, Mode.JSON, Mode.MD_JSON, Mode.JSON_SCHEMA)
"""The modes whose answers are read by the parser."""
BESIDE = Provider.UNKNOWN
"""Where they are registered: no built-in handler has this provider."""


class _ReadByTheParser(built_in.OpenAIHandlerBase):
    def parse_response(
        self,
        response: Any,  # noqa: ANN401 - a ChatCompletion or a stream of its chunks
        response_model: type[Any],
        validation_context: dict[str, Any] | None = None,
        strict: bool | None = None,  # noqa: FBT001 - as instructor has it
        stream: bool = False,  # noqa: FBT001, FBT002 - as instructor has it
        is_async: bool = False,  # noqa: FBT001, FBT002 - as instructor has it
    ) -> Any:  # noqa: ANN401 - an object of the type asked for, or an iterator of objects
        asked = Asked(response_model, validation_context, strict)
        if self._should_parse_streaming(response_model, stream):
            streamed = Streamed(asked, options_of_call.get(), in_calls=self.mode is Mode.TOOLS)
            return shown_async(response, streamed) if is_async else shown(response, streamed)
        if stream:
            problem = "a stream is read by create_partial or create_iterable, not by create(stream=True)"
            raise ConfigurationError(problem)
        return read(response, asked)

    def handle_reask(self, kwargs: dict[str, Any], response: Any, exception: Exception) -> dict[str, Any]:  # noqa: ANN401 - as above
        """Ask again as the mode does, also where the response has no choice: the built-in handlers take the first."""
        answered = response if getattr(response, "choices", None) else None
        asked: dict[str, Any] = super().handle_reask(kwargs, answered, exception)
        return asked


@register_mode_handler(BESIDE, Mode.TOOLS)
class _Tools(_ReadByTheParser, built_in.OpenAIToolsHandler):
    pass


@register_mode_handler(BESIDE, Mode.JSON)
class _Json(_ReadByTheParser, built_in.OpenAIJSONHandler):
    pass


@register_mode_handler(BESIDE, Mode.MD_JSON)
class _MarkdownJson(_ReadByTheParser, built_in.OpenAIMDJSONHandler):
    pass


@register_mode_handler(BESIDE, Mode.JSON_SCHEMA)
class _JsonSchema(_ReadByTheParser, built_in.OpenAIJSONSchemaHandler):
    pass
