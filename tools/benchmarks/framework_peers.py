"""How frameworks read an object from a text: in their own way, and with this project's parser in its place."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict

from tools.benchmarks.peers import PEERS, Calls, Peer, Reader


class Anything(BaseModel):
    """Any object: the recorded outputs have no types."""

    model_config = ConfigDict(extra="allow")


def _langchain_pydantic() -> Reader:
    parsers = importlib.import_module("langchain_core.output_parsers")
    read = parsers.PydanticOutputParser(pydantic_object=Anything).parse
    return Calls(read, read)


def _langchain_with_ours() -> Reader:
    read = importlib.import_module("llm_output.langchain").UnifiedOutputParser(Anything).parse
    return Calls(read, read)


def _llama_index() -> Reader:
    read = importlib.import_module("llama_index.core.output_parsers").PydanticOutputParser(Anything).parse
    return Calls(read, read)


def _llama_index_with_ours() -> Reader:
    read = importlib.import_module("llm_output.llama_index").UnifiedOutputParser(Anything).parse
    return Calls(read, read)


def _pydantic_ai() -> Reader:
    return _agent(importlib.import_module("pydantic_ai").PromptedOutput(Anything))


def _pydantic_ai_with_ours() -> Reader:
    return _agent(importlib.import_module("llm_output.pydantic_ai").unified_output(Anything))


def _agent(output_type: Any) -> Reader:  # noqa: ANN401 - pydantic-ai's generics
    """An agent of a model that says the text, with reasoning in tags taken out as pydantic-ai's own models do."""
    library = importlib.import_module("pydantic_ai")
    messages = importlib.import_module("pydantic_ai.messages")
    split = importlib.import_module("pydantic_ai._thinking_part").split_content_into_text_and_thinking
    function_model = importlib.import_module("pydantic_ai.models.function").FunctionModel

    def read(text: str) -> Any:  # noqa: ANN401 - what the agent's output is
        def say(*_: object) -> Any:  # noqa: ANN401 - pydantic-ai's response
            return messages.ModelResponse(parts=split(text, ("<think>", "</think>")))

        return library.Agent(function_model(say), output_type=output_type, retries=0).run_sync("").output

    return Calls(read, read)


def _instructor() -> Reader:
    return _client(importlib.import_module("instructor").from_openai)


def _instructor_with_ours() -> Reader:
    return _client(importlib.import_module("llm_output.instructor").from_openai)


def _client(from_openai: Callable[..., Any]) -> Reader:
    """An instructor client of a model that says the text; nobody tells why it stopped."""
    chat = importlib.import_module("openai.types.chat.chat_completion")
    message = importlib.import_module("openai.types.chat").ChatCompletionMessage
    said: list[str] = []

    def create(**_: object) -> Any:  # noqa: ANN401 - openai's completion
        reply = message.construct(role="assistant", content=said[0])
        choice = chat.Choice.construct(index=0, finish_reason=None, message=reply)
        return chat.ChatCompletion.construct(id="1", choices=[choice], created=0, model="m", object="chat.completion")

    logging.getLogger("instructor").setLevel(logging.CRITICAL)
    openai = importlib.import_module("openai").OpenAI(api_key="none", base_url="http://127.0.0.1:1")
    openai.chat.completions.create = create
    client = from_openai(openai, mode=importlib.import_module("instructor").Mode.MD_JSON)

    def read(text: str) -> Any:  # noqa: ANN401 - an object
        said[:] = [text]
        asked = [{"role": "user", "content": "Answer."}]
        return client.chat.completions.create(model="m", messages=asked, response_model=Anything, max_retries=0)

    return Calls(read, read)


def _peer(name: str) -> Callable[[], Reader]:
    return next(peer.load for peer in PEERS if peer.name == name)


FRAMEWORKS: tuple[Peer, ...] = (
    Peer(
        "LangChain, JsonOutputParser", "langchain-core", "framework", _peer("langchain"), "`JsonOutputParser().parse`"
    ),
    Peer(
        "LangChain, PydanticOutputParser",
        "langchain-core",
        "framework",
        _langchain_pydantic,
        "`PydanticOutputParser(...).parse`",
    ),
    Peer(
        "LangChain with ours",
        "langchain-core",
        "ours",
        _langchain_with_ours,
        "`UnifiedOutputParser(...).parse` of `llm_output.langchain`",
    ),
    Peer(
        "LlamaIndex, PydanticOutputParser",
        "llama-index-core",
        "framework",
        _llama_index,
        "`PydanticOutputParser(...).parse`",
    ),
    Peer(
        "LlamaIndex with ours",
        "llama-index-core",
        "ours",
        _llama_index_with_ours,
        "`UnifiedOutputParser(...).parse` of `llm_output.llama_index`",
    ),
    Peer(
        "pydantic-ai, PromptedOutput",
        "pydantic-ai-slim",
        "framework",
        _pydantic_ai,
        "an agent with `PromptedOutput(...)` and no retries",
    ),
    Peer(
        "pydantic-ai with ours",
        "pydantic-ai-slim",
        "ours",
        _pydantic_ai_with_ours,
        "an agent with `unified_output(...)` of `llm_output.pydantic_ai` and no retries",
    ),
    Peer(
        "instructor, MD_JSON",
        "instructor",
        "framework",
        _instructor,
        "`instructor.from_openai(client, mode=Mode.MD_JSON)` and no retries",
    ),
    Peer(
        "instructor with ours",
        "instructor",
        "ours",
        _instructor_with_ours,
        "`from_openai(client, mode=Mode.MD_JSON)` of `llm_output.instructor` and no retries",
    ),
)
