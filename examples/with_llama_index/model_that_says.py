"""A model of LlamaIndex that says what it was told to, one reply a question."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.llms import CustomLLM


class ModelThatSays(CustomLLM):
    """In place of any LLM of LlamaIndex.

    Attributes:
        replies: what it says, in order.
        raw: what a provider would have sent beside the text, such as a finish reason.
    """

    replies: list[str]
    raw: dict[str, Any] = {}  # noqa: RUF012 - a field of a model, copied for each object

    @property
    def metadata(self) -> LLMMetadata:
        """That it is no chat model."""
        return LLMMetadata()

    def complete(self, *_prompt: object, **_options: object) -> CompletionResponse:
        """The next reply."""
        return CompletionResponse(text=self.replies.pop(0), raw=self.raw)

    def stream_complete(self, *_prompt: object, **_options: object) -> CompletionResponseGen:
        """The next reply, one word after the other."""
        return (CompletionResponse(text="", delta=f"{word} ", raw=self.raw) for word in self.replies.pop(0).split(" "))
