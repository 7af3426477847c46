"""The notations in which models write the call of a tool: a row each, and nothing else anywhere says how one looks.

A mark is written as it stands in a text, but for these signs: `{name}`, `{id}`, `{key}` stand for
what is there; `~` for white space that may be missing; `…` for a few words of a header. `｜` and `▁` also stand
for `|` and `_`, as which servers print them, and for bars that are doubled, a fence of backticks for one of tildes, and
a blank for any white space. `：`, `‘` and `¶` stand for the colon of a label, a quote before a name and the end of its
line, with what Markdown puts there; `{element}`, `{label}`, `{input}` and `{attributes}` for what `marks.py` says.
A tag whose attribute is in braces may have others, other quotes or none, line ends, and a slash at its end.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from src.shared.domain.expression import expression


class Grammar(Enum):
    """How the name and the arguments of a call stand behind its marks."""

    CALL_OBJECTS = "an object with name and arguments, or a list of them"
    JSON = "an object of arguments behind the name"
    PYTHON = "as Python writes a call"
    TAGS = "a tag for each parameter"
    PAIRS = "a tag for the key of each parameter and one for its value"
    FIELDS = "`key:value`, with quotes of its own"
    FLAGS = "`--key value`"


class Notation(NamedTuple):
    """How some models write calls.

    Attributes:
        name: of the notation.
        models: that were taught it, or write it.
        grammar: how the arguments stand.
        example: a call of the tool `f` with the text `x` as argument `n`.
        wraps: marks around one call or several: the opening one and the closing one, `""` if there is none.
        calls: marks that hold the name of the tool; the most specific first.
        ends: marks that end a call.
        parameter: the marks around the value of a parameter.
        quotes: marks around a text.
        leaks: other marks that are an error where no call is around them.
        is_padded: whether the template puts a line break before and after a value.
        is_json_first: whether a value is JSON wherever it can be read as such.
        is_certain: whether its opening mark can only begin calls: a block of reasoning that is not closed ends there.
        is_section: whether its opening mark has to be closed unless the model stopped by itself.
        needs_a_tool: whether its mark, which prose has, too, counts only with the name of a tool that there is.
        may_be_bare: whether it is read without any marks.
    """

    name: str
    models: str
    grammar: Grammar
    example: str
    wraps: tuple[tuple[str, str], ...] = ()
    calls: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    parameter: tuple[str, str] = ("", "")
    quotes: str = ""
    leaks: tuple[str, ...] = ()
    is_padded: bool = False
    is_json_first: bool = False
    is_certain: bool = False
    is_section: bool = False
    needs_a_tool: bool = False
    may_be_bare: bool = False

    def written(self, name: str, key: str, value: str) -> str:
        """The example with another tool, parameter and text."""
        given = {"f": name, "n": key, "x": value}
        return _EXAMPLES.sub(lambda found: given[found.group()], self.example)


_EXAMPLES = expression(r"(?<!\\)\b[fnx]\b")


def _tag(opened: str) -> tuple[tuple[str, str]]:
    """The marks of a tag and of its end."""
    return ((opened, f"</{opened[1:]}"),)


_TOOL_CALL = _tag("<tool_call>")
_INVOKE = ('<invoke name="{name}">',)
_PARAMETER = ('<parameter name="{key}">', "</parameter>")
_DEEPSEEK = (("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),)
_LABELS = (
    *("Action", "ACTION", "action", "Tool", "TOOL", "tool", "Tool Name", "Tool name", "Function", "function", "name"),
    *("行动", "动作", "操作", "工具", "工具名称", "工具名", "函数", "函数名", "调用工具", "调用函数"),
)
"""In front of the name of a tool."""
_DSML = Notation(
    "DSML", "DeepSeek V3.2", Grammar.TAGS,
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="n" string="true">x'
    "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    wraps=_tag("<｜DSML｜function_calls>"), calls=('<｜DSML｜~invoke name="{name}">',), ends=("</｜DSML｜~invoke>",),
    parameter=('<｜DSML｜~parameter name="{key}">', "</｜DSML｜~parameter>"), is_certain=True,
)  # fmt: skip

NOTATIONS = (
    Notation("Hermes", "Hermes 2 to 4, Qwen 2.5 and 3, Granite 4, Ernie 4.5, Exaone 4", Grammar.CALL_OBJECTS,
        '<tool_call>\n{"name": "f", "arguments": {"n": "x"}}\n</tool_call>', wraps=_TOOL_CALL),
    Notation("Qwen3-Coder", "Qwen3-Coder, Qwen 3.5, Nemotron 3, Step 3.5", Grammar.TAGS,
        "<tool_call>\n<function=f>\n<parameter=n>\nx\n</parameter>\n</function>\n</tool_call>", wraps=_TOOL_CALL,
        calls=("<function={name}>",), ends=("</function>",), parameter=("<parameter={key}>", "</parameter>"),
        is_padded=True),
    Notation("GLM", "GLM 4.5 to 5", Grammar.PAIRS,
        "<tool_call>f\n<arg_key>n</arg_key>\n<arg_value>x</arg_value>\n</tool_call>", wraps=_TOOL_CALL,
        calls=("{name}",), parameter=("<arg_key>{key}</arg_key>~<arg_value>", "</arg_value>")),
    Notation("LongCat", "LongCat Flash", Grammar.PAIRS,
        "<longcat_tool_call>f\n<longcat_arg_key>n</longcat_arg_key>\n<longcat_arg_value>x</longcat_arg_value>\n"
        "</longcat_tool_call>",
        wraps=_tag("<longcat_tool_call>"), calls=("{name}",),
        parameter=("<longcat_arg_key>{key}</longcat_arg_key>~<longcat_arg_value>", "</longcat_arg_value>")),
    Notation("Mistral", "Mistral 7B v0.3, Mixtral, Mistral Nemo", Grammar.CALL_OBJECTS,
        '[TOOL_CALLS][{"name": "f", "arguments": {"n": "x"}}]</s>', wraps=(("[TOOL_CALLS]", ""),)),
    Notation("Mistral, tokenizer 11", "Mistral Small 3.2, Magistral, Devstral, Ministral 3", Grammar.JSON,
        '[TOOL_CALLS]f[ARGS]{"n": "x"}</s>', wraps=(("[TOOL_CALLS]", ""),),
        calls=("{name}[CALL_ID]{id}[ARGS]", "{name}[ARGS]", "{name}")),
    Notation("Llama, python tag", "Llama 3.1 and 3.2", Grammar.CALL_OBJECTS,
        '<|python_tag|>{"name": "f", "parameters": {"n": "x"}}<|eom_id|>', wraps=(("<|python_tag|>", ""),)),
    Notation("Llama, function tag", "Llama 3.1, Functionary 3.1", Grammar.JSON, '<function=f>{"n": "x"}</function>',
        calls=("<function={name}>",), ends=("</function>",)),
    Notation("Llama, pythonic", "Llama 4, Llama 3.2 1B and 3B", Grammar.PYTHON,
        '<|python_start|>[f(n="x")]<|python_end|>', wraps=(("<|python_start|>", "<|python_end|>"),)),
    Notation("Python's form", "ToolACE, Llama 3.2, OLMo 3, without marks", Grammar.PYTHON, '[f(n="x")]',
        may_be_bare=True),
    Notation("tool code", "Gemma 2 and 3, Gemini", Grammar.PYTHON, '```tool_code\nprint(default_api.f(n="x"))\n```',
        wraps=(("```tool_code\n", ""), ("```tool_calls\n", ""), ("```tool_call\n", ""))),
    Notation("LFM2", "LFM2, LFM2.5", Grammar.PYTHON, '<|tool_call_start|>[f(n="x")]<|tool_call_end|>',
        wraps=(("<|tool_call_start|>", "<|tool_call_end|>"),)),
    Notation("DeepSeek V3", "DeepSeek V3, R1", Grammar.JSON,
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n"
        '```json\n{"n": "x"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        wraps=_DEEPSEEK, calls=("<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n",), ends=("<｜tool▁call▁end｜>",),
        is_certain=True, is_section=True),
    Notation("DeepSeek V3.1", "DeepSeek V3.1, V3.1 Terminus", Grammar.JSON,
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"n": "x"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        wraps=_DEEPSEEK, calls=("<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>",), ends=("<｜tool▁call▁end｜>",),
        is_certain=True, is_section=True),
    _DSML,
    _DSML._replace(name="DSML, tool calls", models="DeepSeek V4",
        example='<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="n" string="true">x'
        "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
        wraps=_tag("<｜DSML｜tool_calls>")),
    _DSML._replace(name="DSML, blank", models="DeepSeek V4.1",
        example='<｜DSML｜ calls><｜DSML｜ invoke name="f"><｜DSML｜ parameter name="n" string="true">x'
        "</｜DSML｜ parameter></｜DSML｜ invoke></｜DSML｜ calls>",
        wraps=_tag("<｜DSML｜~calls>")),
    Notation("Kimi K2", "Kimi K2, K2 Thinking, K2.5", Grammar.JSON,
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
        '{"n": "x"}<|tool_call_end|><|tool_calls_section_end|>',
        wraps=(("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),),
        calls=("<|tool_call_begin|>~{id}~<|tool_call_argument_begin|>",), ends=("<|tool_call_end|>",), is_certain=True,
        is_section=True),
    Notation("Kimi K3", "Kimi K3", Grammar.TAGS,
        '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="n" type="string"<|sep|>x'
        "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
        wraps=(("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),),
        calls=('<|open|>call tool="{name}"…<|sep|>~<|open|>json…<|sep|>', '<|open|>call tool="{name}"…<|sep|>'),
        ends=("<|close|>call<|sep|>", "<|close|>json<|sep|>~<|close|>call<|sep|>"),
        parameter=('<|open|>argument key="{key}"<|sep|>', "<|close|>argument<|sep|>"), is_certain=True),
    Notation("ATEM", "Muse", Grammar.TAGS,
        '<|start|>assistant to=f<|message|><atem:function_calls>\n<atem:invoke name="f">\n'
        '<atem:parameter name="n">x</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',
        wraps=_tag("<atem:function_calls>"), calls=('<atem:invoke name="{name}">',), ends=("</atem:invoke>",),
        parameter=('<atem:parameter name="{key}">', "</atem:parameter>"), is_json_first=True, is_certain=True),
    Notation("Gemma 4", "Gemma 4", Grammar.FIELDS, '<|tool_call>call:f{n:<|"|>x<|"|>}<tool_call|>',
        wraps=(("<|tool_call>", "<tool_call|>"),), calls=("call:{name}",), quotes='<|"|>', may_be_bare=True),
    Notation("FunctionGemma", "FunctionGemma", Grammar.FIELDS,
        "<start_function_call>call:f{n:<escape>x<escape>}<end_function_call>",
        wraps=(("<start_function_call>", "<end_function_call>"),), calls=("call:{name}",), quotes="<escape>",
        may_be_bare=True),
    Notation("Granite 3", "Granite 3.0 to 3.3", Grammar.CALL_OBJECTS,
        '<|tool_call|>[{"name": "f", "arguments": {"n": "x"}}]', wraps=(("<|tool_call|>", ""),)),
    Notation("Granite 20B", "Granite 20B function calling", Grammar.CALL_OBJECTS,
        '<function_call>{"name": "f", "arguments": {"n": "x"}}', wraps=_tag("<function_call>")),
    Notation("Phi-4 mini", "Phi-4 mini", Grammar.CALL_OBJECTS, 'functools[{"name": "f", "arguments": {"n": "x"}}]',
        wraps=(("functools", ""),)),
    Notation("Phi-4 mini, tag", "Phi-4 mini", Grammar.CALL_OBJECTS,
        '<|tool_call|>[{"name": "f", "arguments": {"n": "x"}}]<|/tool_call|>',
        wraps=(("<|tool_call|>", "<|/tool_call|>"),)),
    Notation("Command", "Command R7B, Command A", Grammar.CALL_OBJECTS,
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {"n": "x"}}]<|END_ACTION|>',
        wraps=(("<|START_ACTION|>", "<|END_ACTION|>"),)),
    Notation("MiniMax M1", "MiniMax M1, Hunyuan A13B, Jamba", Grammar.CALL_OBJECTS,
        '<tool_calls>\n{"name": "f", "arguments": {"n": "x"}}\n</tool_calls>', wraps=_tag("<tool_calls>")),
    Notation("MiniMax M2", "MiniMax M2 to M2.5", Grammar.TAGS,
        '<minimax:tool_call>\n<invoke name="f">\n<parameter name="n">x</parameter>\n</invoke>\n</minimax:tool_call>',
        wraps=_tag("<minimax:tool_call>"), calls=_INVOKE, ends=("</invoke>",), parameter=_PARAMETER),
    Notation("MiniMax M3", "MiniMax M3", Grammar.TAGS,
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">]<]minimax[>[<n>x]<]minimax[>[</n>'
        "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
        wraps=(("]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>"),),
        calls=(']<]minimax[>[<invoke name="{name}">',), ends=("]<]minimax[>[</invoke>",),
        parameter=("]<]minimax[>[<{key}>", "]<]minimax[>[</{key}>"), is_certain=True),
    Notation("MiniMax, flags", "MiniMax M2", Grammar.FLAGS,
        '[TOOL_CALL]\n{tool => "f", args => {\n  --n "x"\n}}\n[/TOOL_CALL]', wraps=(("[TOOL_CALL]", "[/TOOL_CALL]"),),
        calls=('{~tool~=>~"{name}"~,~args~=>',)),
    Notation("function calls", "OLMo 3", Grammar.PYTHON, '<function_calls>f(n="x")</function_calls>',
        wraps=_tag("<function_calls>")),
    Notation("function calls, invoke", "Claude's form, as many models copy it", Grammar.TAGS,
        '<function_calls>\n<invoke name="f">\n<parameter name="n">x</parameter>\n</invoke>\n</function_calls>',
        wraps=_tag("<function_calls>"), calls=_INVOKE, ends=("</invoke>",), parameter=_PARAMETER),
    Notation("InternLM", "InternLM 2.5 and 3", Grammar.CALL_OBJECTS,
        '<|action_start|><|plugin|>{"name": "f", "parameters": {"n": "x"}}<|action_end|>',
        wraps=(("<|action_start|>~<|plugin|>", "<|action_end|>"),)),
    Notation("Seed", "Seed-OSS", Grammar.TAGS,
        "<seed:tool_call>\n<function=f>\n<parameter=n>x</parameter>\n</function>\n</seed:tool_call>",
        wraps=_tag("<seed:tool_call>"), calls=("<function={name}>",), ends=("</function>",),
        parameter=("<parameter={key}>", "</parameter>"), is_padded=True),
    Notation("harmony", "gpt-oss", Grammar.JSON,
        '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"n": "x"}<|call|>',
        calls=("<|start|>…to={name}…<|message|>", "<|channel|>…to={name}…<|message|>")),
    Notation("harmony without its tokens", "gpt-oss", Grammar.JSON, 'commentary to=functions.f json{"n": "x"}',
        calls=(
            *("assistantcommentary to=functions.{name} json~", "commentary to=functions.{name} json~"),
            *("commentary to=functions.{name}~", "to=functions.{name} json~", "to=functions.{name}~"),
        ),
        leaks=("to=functions.",), needs_a_tool=True),
    Notation("Grok", "Grok 3 to 4.1", Grammar.TAGS,
        '<xai:function_call name="f"><parameter name="n">x</parameter></xai:function_call>',
        calls=('<xai:function_call name="{name}">',), ends=("</xai:function_call>",), parameter=_PARAMETER,
        is_certain=True),
    Notation("a tag with the name", "any model", Grammar.TAGS,
        '<tool_call name="f"><parameter name="n">x</parameter></tool_call>',
        calls=('<tool_call name="{name}">', '<function_call name="{name}">', '<tool_use name="{name}">'),
        ends=("</tool_call>", "</function_call>", "</tool_use>"), parameter=_PARAMETER),
    Notation("MiniCPM5", "MiniCPM5", Grammar.TAGS, '<function name="f"><param name="n">x</param></function>',
        calls=('<function name="{name}">',), ends=("</function>",), parameter=('<param name="{key}">', "</param>")),
    Notation("Step 3", "Step 3", Grammar.TAGS,
        '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="f">'
        '<steptml:parameter name="n">x</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
        wraps=(
            ("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"),
            ("<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_end｜>"),
        ),
        calls=('<steptml:invoke name="{name}">',), ends=("</steptml:invoke>",),
        parameter=('<steptml:parameter name="{key}">', "</steptml:parameter>"), is_certain=True),
    Notation("Apertus", "Apertus", Grammar.CALL_OBJECTS, '<|tools_prefix|>[{"f": {"n": "x"}}]<|tools_suffix|>',
        wraps=(("<|tools_prefix|>", "<|tools_suffix|>"),)),
    Notation("Functionary", "Functionary 3.2", Grammar.JSON, '>>>f\n{"n": "x"}', calls=(">>>{name}\n",),
        needs_a_tool=True),
    Notation("ReAct", "any model that is asked for it", Grammar.JSON, 'Action: f\nAction Input: {"n": "x"}',
        calls=(*(f"{label}：‘{{name}}¶{{input}}：" for label in _LABELS), "Action：{name} Action Input："),
        needs_a_tool=True),
    Notation("Qwen-Agent", "Qwen 1.5 and 2, in Qwen-Agent", Grammar.JSON, '✿FUNCTION✿: f\n✿ARGS✿: {"n": "x"}',
        calls=("✿FUNCTION✿：‘{name}¶✿ARGS✿：",), needs_a_tool=True),
    Notation("a line with the name", "GLM-4-0414, GLM-4 9B", Grammar.JSON, 'f\n{"n": "x"}',
        calls=("{name}\n", "{name}:{index}"), needs_a_tool=True),
    Notation("tags of the tool's name", "agents in editors, any model", Grammar.TAGS, "<f>\n<n>x</n>\n</f>",
        calls=("<{name}>", "<{name}~/>", "<{name}{attributes}>", '<{element}{others} {label}="{name}"{others}~>'),
        needs_a_tool=True, is_padded=True),
    Notation("tags around name and arguments", "any model", Grammar.JSON,
        '<tool_calls><tool_call><tool_name>f</tool_name><parameters>{"n": "x"}</parameters></tool_call></tool_calls>',
        calls=tuple(
            f"{before}<{{element}}>~{{name}}~</{{element}}>~<{{input}}{end}"
            for before in ("", "<invoke>~") for end in (">", "~/>")
        ),
        needs_a_tool=True),
    Notation("Gemini's object", "Gemini, Gemma", Grammar.CALL_OBJECTS,
        '{"functionCall": {"name": "f", "args": {"n": "x"}}}', may_be_bare=True),
    Notation("plain object", "any model", Grammar.CALL_OBJECTS, '{"name": "f", "parameters": {"n": "x"}}',
        may_be_bare=True),
    Notation("OpenAI's list", "any model", Grammar.CALL_OBJECTS,
        '[{"id": "call_0", "type": "function", "function": {"name": "f", "arguments": "{\\"n\\": \\"x\\"}"}}]',
        may_be_bare=True),
    Notation("Nemotron", "Llama Nemotron, Nemotron Nano 2", Grammar.CALL_OBJECTS,
        '<TOOLCALL>[{"name": "f", "arguments": {"n": "x"}}]</TOOLCALL>', wraps=_tag("<TOOLCALL>")),
    Notation("Solar", "Solar Open", Grammar.JSON,
        '<|tool_calls|><|tool_call:begin|>a1<|tool_call:name|>f<|tool_call:args|>{"n": "x"}<|tool_call:end|><|calls|>',
        wraps=(("<|tool_calls|>", "<|calls|>"),),
        calls=("<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>",), ends=("<|tool_call:end|>",),
        is_certain=True),
    Notation("MCP tag", "MiroThinker, agents in editors", Grammar.JSON,
        "<use_mcp_tool>\n<server_name>s</server_name>\n<tool_name>f</tool_name>\n"
        '<arguments>\n{"n": "x"}\n</arguments>\n</use_mcp_tool>',
        wraps=_tag("<use_mcp_tool>"), calls=("<server_name>…</server_name>~<tool_name>{name}</tool_name>~<arguments>",),
        ends=("</arguments>",)),
)  # fmt: skip
"""A new one is a row behind the others."""

IN_HEADERS = ("<|constrain|>", "<|channel|>")
"""Marks that may stand in a header."""
TURN_ENDS = (
    *("<|call|>", "<|eom_id|>", "<|eot_id|>", "<|im_end|>", "</s>", "<|end|>", "<|return|>", "<|endoftext|>"),
    *("<｜end▁of▁sentence｜>", "<end_of_turn>", "<|user|>", "<|observation|>", "<|END_OF_TURN_TOKEN|>"),
    *("<|eom|>", "<|eot|>", "<|end_of_msg|>", "<|close|>message<|sep|>", "<turn|>"),
)
"""Marks that end all that a model says; outside a call they are text."""
