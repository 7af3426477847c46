"""What reads calls out of a model's text in Python besides this project, each given the notation it was made for.

SGLang's parsers are those of its server, one for each family of models. openai-harmony and mistral-common read the
notations of their makers, from tokens; LangChain's parser of JSON is what its agents read a model's text with.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from pydantic import BaseModel

from src.shared.infrastructure.tool_calls import read_tool_calls

Calls: TypeAlias = list[tuple[str, Any]]
Tools: TypeAlias = Mapping[str, type[BaseModel]]


class Peer(NamedTuple):
    """A reader of calls.

    Attributes:
        name: of the table.
        package: that has to be installed; empty for this project.
        asked: what it calls a notation or a family of models, for those that it reads; None if it reads all.
        read: the calls of a text, with the tools and what it calls the notation.
    """

    name: str
    package: str
    asked: Mapping[str, str] | None
    read: Callable[[str, Tools, str], Calls]


def _ours(text: str, tools: Tools, _: str) -> Calls:
    found = read_tool_calls(text, tools)
    return [(call.name, call.arguments.model_dump(exclude_unset=True)) for call in found]


@cache
def _sglang() -> Any:  # noqa: ANN401 - a module of another library
    return importlib.import_module("sglang.srt.function_call.function_call_parser"), importlib.import_module(
        "sglang.srt.entrypoints.openai.protocol"
    )


def _read_sglang(text: str, tools: Tools, notation: str) -> Calls:
    parsers, protocol = _sglang()
    functions = [
        protocol.Tool(type="function", function=protocol.Function(name=name, parameters=one.model_json_schema()))
        for name, one in tools.items()
    ]
    _, found = parsers.FunctionCallParser(functions, notation).parse_non_stream(text)
    return [(call.name, json.loads(call.parameters or "{}")) for call in found]


@cache
def _harmony() -> Any:  # noqa: ANN401 - as above
    library = importlib.import_module("openai_harmony")
    return library, library.load_harmony_encoding("HarmonyGptOss")


def _read_harmony(text: str, _: Tools, __: str) -> Calls:
    library, encoding = _harmony()
    tokens = encoding.encode(text, allowed_special="all")
    messages = encoding.parse_messages_from_completion_tokens(tokens, library.Role.ASSISTANT)
    return [
        (message.recipient.removeprefix("functions."), json.loads(message.content[0].text))
        for message in messages
        if message.recipient
    ]


@cache
def _mistral() -> Any:  # noqa: ANN401 - as above
    tools = importlib.import_module("mistral_common.experimental.tools")
    made = importlib.import_module("mistral_common.tokens.tokenizers.mistral").MistralTokenizer
    return tools, made.v3(is_tekken=True).instruct_tokenizer.tokenizer


def _read_mistral(text: str, _: Tools, __: str) -> Calls:
    tools, tokenizer = _mistral()
    mark = tokenizer.get_special_token("[TOOL_CALLS]")
    tokens: list[int] = []
    for number, part in enumerate(text.removesuffix("</s>").split("[TOOL_CALLS]")):
        tokens += [*([mark] if number else []), *tokenizer.encode(part, bos=False, eos=False)]
    _, found = tools._split_content_and_tool_calls(tokens, mark)  # noqa: SLF001 - it has no other name
    decoded = tools._decode_tool_calls(found, tokenizer)  # noqa: SLF001 - as above
    return [(call.function.name, json.loads(call.function.arguments)) for call in decoded]


def _read_langchain(text: str, _: Tools, __: str) -> Calls:
    data = importlib.import_module("langchain_core.output_parsers").JsonOutputParser().parse(text)
    objects = data if isinstance(data, list) else [data]
    names, arguments = ("name", "tool", "action"), ("arguments", "parameters", "args", "action_input")
    return [
        (
            next((one[key] for key in names if key in one), ""),
            next((one[key] for key in arguments if key in one), {}),
        )
        for one in objects
        if isinstance(one, dict)
    ]


_OF_SGLANG = {
    "Hermes": "hermes",
    "Qwen3-Coder": "qwen3_coder",
    "GLM": "glm45",
    "Mistral, tokenizer 11": "mistral",
    "Llama, python tag": "llama3",
    "Llama, pythonic": "pythonic",
    "Python's form": "pythonic",
    "LFM2": "lfm2",
    "DeepSeek V3": "deepseekv3",
    "DeepSeek V3.1": "deepseekv31",
    "DSML": "deepseekv32",
    "DSML, tool calls": "deepseekv4",
    "DSML, blank": "deepseekv41",
    "Kimi K2": "kimi_k2",
    "Kimi K3": "kimi_k3",
    "ATEM": "muse",
    "Gemma 4": "gemma4",
    "MiniMax M2": "minimax-m2",
    "harmony": "gpt-oss",
    "MiniCPM5": "minicpm5",
    "Step 3": "step3",
    "Command": "cohere_command4",
    "Apertus": "apertus2509",
    "gemma4": "gemma4",
    "glm47": "glm47",
    "kimi_k3": "kimi_k3",
    "qwen3": "qwen3_coder",
    "muse_glimmer": "muse",
    "deepseek_v4": "deepseekv4",
    "deepseek_v41": "deepseekv41",
    "kimi_k2": "kimi_k2",
    "lfm2": "lfm2",
    "deepseek3": "deepseekv31",
    "nemotron3nano": "qwen3_coder",
    "olmo3": "pythonic",
}
_OF_JSON = ("Hermes", "plain object", "ReAct", "Llama, python tag")
PEERS = (
    Peer("ours", "", None, _ours),
    Peer("SGLang's parsers", "sglang", _OF_SGLANG, _read_sglang),
    Peer("openai-harmony", "openai-harmony", {"harmony": ""}, _read_harmony),
    Peer("mistral-common", "mistral-common", {"Mistral": ""}, _read_mistral),
    Peer("LangChain, JsonOutputParser", "langchain-core", dict.fromkeys(_OF_JSON, ""), _read_langchain),
)
