"""Calls of tools as models write them: one renderer a dialect, each as the model's chat template has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel


class Weather(BaseModel):
    """Arguments of `get_weather`."""

    city: str
    days: int = 1


class Search(BaseModel):
    """Arguments of `search`."""

    query: str
    limit: int | None = None
    exact: bool = False
    tags: list[str] = []


class File(BaseModel):
    """Arguments of `write_file`."""

    path: str
    content: str


class Now(BaseModel):
    """Arguments of `now`: there are none."""


TOOLS: dict[str, type[BaseModel]] = {"get_weather": Weather, "search": Search, "write_file": File, "now": Now}


class Call(NamedTuple):
    """A call: the tool and its arguments."""

    name: str
    arguments: dict[str, Any]


PARIS = Call("get_weather", {"city": "Paris", "days": 3})
SEARCH = Call("search", {"query": '2024年 "营收" it\'s', "limit": 10, "exact": True, "tags": ["a", "b, c"]})
NOTE = Call("write_file", {"path": "C:\\new\\a.txt", "content": 'if (a > 1) { print("}]"); }\n\n# <b>3</b>'})
MARKS = Call("write_file", {"path": "a.md", "content": "a <think> b </tool_call> <|im_end|> [TOOL_CALLS] ```"})
NOW = Call("now", {})
ONE_CALL = (PARIS, SEARCH, NOTE, MARKS, NOW)
SEVERAL = ((PARIS, SEARCH), (NOW, NOTE, PARIS), (PARIS, PARIS), (NOW, PARIS))


class Dialect(NamedTuple):
    """How the models of a family write calls.

    Attributes:
        mark: what the first call begins with; a text cut behind it is refused, and never read as one without calls.
        write: the text of some calls.
        several: whether more than one call can be written.
        shows_end: whether the text says that there is no further call; where it does not, a cut between two calls
            cannot be seen.
    """

    mark: str
    write: Callable[[Sequence[Call]], str]
    several: bool = True
    shows_end: bool = False


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(call: Call, arguments: str = "arguments", name: str = "name") -> str:
    return f'{{"{name}": {_json(call.name)}, "{arguments}": {_json(call.arguments)}}}'


def _as_text(value: object) -> str:
    """As Jinja writes a value: strings as they are, collections as JSON, the rest as Python."""
    return value if isinstance(value, str) else _json(value) if isinstance(value, (list, dict)) else str(value)


def _hermes(calls: Sequence[Call]) -> str:
    return "\n".join(f"<tool_call>\n{_object(call)}\n</tool_call>" for call in calls)


def _qwen_coder(calls: Sequence[Call]) -> str:
    return "\n".join(_qwen_coder_call(call) for call in calls)


def _qwen_coder_call(call: Call) -> str:
    parameters = "".join(
        f"<parameter={key}>\n{_as_text(value)}\n</parameter>\n" for key, value in call.arguments.items()
    )
    return f"<tool_call>\n<function={call.name}>\n{parameters}</function>\n</tool_call>"


def _glm(calls: Sequence[Call]) -> str:
    return "\n".join(_glm_call(call) for call in calls)


def _glm_call(call: Call) -> str:
    pairs = "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{value if isinstance(value, str) else _json(value)}</arg_value>\n"
        for key, value in call.arguments.items()
    )
    return f"<tool_call>{call.name}\n{pairs}</tool_call>"


def _mistral(calls: Sequence[Call]) -> str:
    return f"[TOOL_CALLS][{', '.join(_object(call) for call in calls)}]</s>"


def _mistral_new(calls: Sequence[Call]) -> str:
    return "".join(f"[TOOL_CALLS]{call.name}[ARGS]{_json(call.arguments)}" for call in calls) + "</s>"


def _llama_tag(calls: Sequence[Call]) -> str:
    return f"<|python_tag|>{'; '.join(_object(call, 'parameters') for call in calls)}<|eom_id|>"


def _llama_function(calls: Sequence[Call]) -> str:
    return "".join(f"<function={call.name}>{_json(call.arguments)}</function>" for call in calls) + "<|eom_id|>"


def _python(call: Call) -> str:
    return f"{call.name}({', '.join(f'{key}={value!r}' for key, value in call.arguments.items())})"


def _llama_python(calls: Sequence[Call]) -> str:
    return f"[{', '.join(map(_python, calls))}]"


def _gemma(calls: Sequence[Call]) -> str:
    return "```tool_code\n" + "\n".join(map(_python, calls)) + "\n```"


def _lfm(calls: Sequence[Call]) -> str:
    return f"<|tool_call_start|>[{', '.join(map(_python, calls))}]<|tool_call_end|>"


def _deepseek(calls: Sequence[Call]) -> str:
    each = "\n".join(
        f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{call.name}\n```json\n{_json(call.arguments)}\n```<｜tool▁call▁end｜>"
        for call in calls
    )
    return f"<｜tool▁calls▁begin｜>{each}<｜tool▁calls▁end｜><｜end▁of▁sentence｜>"


def _deepseek_31(calls: Sequence[Call]) -> str:
    each = "".join(
        f"<｜tool▁call▁begin｜>{call.name}<｜tool▁sep｜>{_json(call.arguments)}<｜tool▁call▁end｜>" for call in calls
    )
    return f"<｜tool▁calls▁begin｜>{each}<｜tool▁calls▁end｜><｜end▁of▁sentence｜>"


def _deepseek_32(calls: Sequence[Call]) -> str:
    return f"<｜DSML｜function_calls>\n{''.join(map(_deepseek_32_call, calls))}</｜DSML｜function_calls>"


def _deepseek_32_call(call: Call) -> str:
    parameters = "".join(
        f'<｜DSML｜parameter name="{key}" string="{str(isinstance(value, str)).lower()}">'
        f"{value if isinstance(value, str) else _json(value)}</｜DSML｜parameter>\n"
        for key, value in call.arguments.items()
    )
    return f'<｜DSML｜invoke name="{call.name}">\n{parameters}</｜DSML｜invoke>\n'


def _kimi(calls: Sequence[Call]) -> str:
    each = "".join(
        f"<|tool_call_begin|>functions.{call.name}:{at}<|tool_call_argument_begin|>{_json(call.arguments)}<|tool_call_end|>"
        for at, call in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{each}<|tool_calls_section_end|>"


def _granite(calls: Sequence[Call]) -> str:
    return f"<|tool_call|>[{', '.join(_object(call) for call in calls)}]"


def _phi(calls: Sequence[Call]) -> str:
    return f"functools[{', '.join(_object(call) for call in calls)}]"


def _command(calls: Sequence[Call]) -> str:
    objects = ",\n".join(
        f'    {{"tool_call_id": "{at}", "tool_name": {_json(call.name)}, "parameters": {_json(call.arguments)}}}'
        for at, call in enumerate(calls)
    )
    return f"<|START_ACTION|>[\n{objects}\n]<|END_ACTION|>"


def _minimax(calls: Sequence[Call]) -> str:
    return "<tool_calls>\n" + "".join(f"{_object(call)}\n" for call in calls) + "</tool_calls>"


def _minimax_2(calls: Sequence[Call]) -> str:
    return f"<minimax:tool_call>\n{''.join(map(_minimax_2_call, calls))}</minimax:tool_call>"


def _minimax_2_call(call: Call) -> str:
    parameters = "".join(
        f'<parameter name="{key}">{value if isinstance(value, str) else _json(value)}</parameter>\n'
        for key, value in call.arguments.items()
    )
    return f'<invoke name="{call.name}">\n{parameters}</invoke>\n'


def _harmony(calls: Sequence[Call]) -> str:
    return "<|start|>assistant".join(
        f"<|channel|>commentary to=functions.{call.name} <|constrain|>json<|message|>{_json(call.arguments)}<|call|>"
        for call in calls
    )


def _plain(calls: Sequence[Call]) -> str:
    return "; ".join(_object(call, "parameters") for call in calls)


def _openai(calls: Sequence[Call]) -> str:
    return _json(
        [
            {
                "id": f"call_{at}",
                "type": "function",
                "function": {"name": call.name, "arguments": _json(call.arguments)},
            }
            for at, call in enumerate(calls)
        ]
    )


DIALECTS = {
    "Hermes, Qwen": Dialect("<tool_call>", _hermes),
    "Qwen3-Coder": Dialect("<tool_call>", _qwen_coder),
    "GLM 4.5": Dialect("<tool_call>", _glm),
    "Mistral": Dialect("[TOOL_CALLS]", _mistral, shows_end=True),
    "Mistral, tokenizer 11": Dialect("[TOOL_CALLS]", _mistral_new),
    "Llama 3, python tag": Dialect("<|python_tag|>", _llama_tag),
    "Llama 3, function tag": Dialect("<function=", _llama_function),
    "Llama, pythonic": Dialect("[", _llama_python, shows_end=True),
    "Gemma, tool code": Dialect("```tool_code\n", _gemma),
    "LFM2": Dialect("<|tool_call_start|>", _lfm, shows_end=True),
    "DeepSeek V3, R1": Dialect("<｜tool▁calls▁begin｜>", _deepseek, shows_end=True),
    "DeepSeek V3.1": Dialect("<｜tool▁calls▁begin｜>", _deepseek_31, shows_end=True),
    "DeepSeek V3.2": Dialect("<｜DSML｜function_calls>", _deepseek_32),
    "Kimi K2": Dialect("<|tool_calls_section_begin|>", _kimi, shows_end=True),
    "Granite": Dialect("<|tool_call|>", _granite, shows_end=True),
    "Phi-4 mini": Dialect("functools[", _phi, shows_end=True),
    "Command": Dialect("<|START_ACTION|>", _command, shows_end=True),
    "MiniMax M1": Dialect("<tool_calls>", _minimax),
    "MiniMax M2": Dialect("<minimax:tool_call>", _minimax_2),
    "harmony": Dialect("<|channel|>commentary to=functions.", _harmony),
    "no mark": Dialect("{", _plain),
    "no mark, OpenAI's list": Dialect("[{", _openai, shows_end=True),
}
