"""What to do about a refusal, by its stage and its reason. The first row that fits is the one."""

from __future__ import annotations

from typing import Final, NamedTuple

from src.entrypoints.reports.words import chinese
from src.modules.reparsing.domain.outcome import INPUT_STAGE, OUTPUT_STAGE, WORKER_STAGE
from src.shared.domain import parse_reasons as parser
from src.shared.domain.language import Message


class _Row(NamedTuple):
    """A refusal of this stage, where one is named, whose reason has these words in it."""

    stage: str
    words: str
    advice: Message


_CUT: Final = chinese(
    "提高模型的输出长度上限，或要求更短的答案。若行中有结束原因，用 --finish-field 指明其字段：模型自行停止的文本"
    "，缺的括号可以补全后读出。",
    "Raise the model's token limit, or ask for shorter answers. If the rows hold the finish reason, name its "
    "field with --finish-field: where the model stopped by itself, missing brackets are closed.",
)
_ONE_OBJECT: Final = chinese(
    "在提示中要求只写最终的那一个 JSON 对象，前后不写草稿、示例或别的数据。若一条文本本来就是多条记录，请模型写成"
    "数组，并用 --dto 指明列表类型。",
    "Ask in the prompt for the final JSON object alone, without drafts, examples or other data beside it. If a "
    "text is meant to hold several records, ask for an array and name a list type with --dto.",
)
_REASONING: Final = chinese(
    "模型在推理中用完了长度，或没有写出答案：提高输出长度上限，或降低推理强度。",
    "The model ran out of length while reasoning, or wrote no answer: raise the token limit, or lower the "
    "reasoning effort.",
)
_AMBIGUOUS: Final = chinese(
    "此处有两种读法，选错就会改变数值。使用服务方的 JSON 模式，或用 refused 中该行的 feedback 请模型重写。",
    "Two readings are left, and the wrong one would change a value. Use the provider's JSON mode, or have the "
    "model write it again with the feedback of its row in refused.",
)
_BOUND: Final = chinese(
    "超出解析器的上限。查看示例：多为不断重复的输出，或不是 JSON 的长文本。",
    "A bound of the parser is reached. Look at the example: mostly such a text repeats itself, or is long and no JSON.",
)
_TEXT_FIELD: Final = chinese(
    "文本在别的字段中：用 --text-field 指明，点号进入内层，如 choices.0.message.content。",
    "The text is in another field: name it with --text-field; dots lead inside, as in choices.0.message.content.",
)
_EXPORT: Final = chinese(
    "该行本身已损坏：修正或重新导出输入，再运行一次到新的文件夹。",
    "The row itself is broken: mend or export the input again, and run into a new folder.",
)
_OWN_CODE: Final = chinese(
    "类型自身的校验代码或它所调用的库出错：用 llm-output parse 单独读取示例文本，可以重现。",
    "Code of the type, or a library it calls, fails: `llm-output parse` on the example's text alone shows it again.",
)
_MEMORY: Final = chinese(
    "用 --text-memory 给更多内存；机器内存不够时，用 --workers 减少同时解析的进程。",
    "Give it more memory with --text-memory; where the machine has no more, have fewer processes read with --workers.",
)
_CALL: Final = chinese(
    "模型把工具调用写进了文本：用 read_tool_calls 读取；若要的是答案，就不要提供工具，或在提示中说明。",
    "The model wrote tool calls as text: read them with read_tool_calls; where an answer is wanted, offer no "
    "tools, or say so in the prompt.",
)
_GRADE: Final = chinese(
    "结果不如 --accept 要求的可靠：看 message 中的等级与原因，放宽 --accept，或请模型重写。",
    "The result is less sure than --accept takes: message names the grade and its cause; take more with --accept, or "
    "have the model write it anew.",
)
_TIME: Final = chinese(
    "没有在限定的时间内读完：给更多时间，或找出写出这种文本的提示。",
    "It was not read within its time: give it more, or find the prompt that such texts answer.",
)
_ROWS: Final = (
    _Row("", parser.TRUNCATED.en, _CUT),
    _Row("", parser.CUT_OFF.en, _CUT),
    _Row("", parser.ROWS_WITHOUT_END.en, _CUT),
    _Row("", parser.WRAPPING_FITS.en, _AMBIGUOUS),
    _Row("", parser.SEVERAL_OBJECTS.en, _ONE_OBJECT),
    _Row("", parser.PART_OF_MORE.en, _ONE_OBJECT),
    _Row("", parser.RIVAL.en, _ONE_OBJECT),
    _Row("", parser.ONLY_ASIDE.en, _ONE_OBJECT),
    _Row("", parser.RETRACTED.en, _ONE_OBJECT),
    _Row(
        "",
        parser.NO_OBJECT.en,
        chinese(
            "模型没有写 JSON：查看示例，多为拒答、反问或纯文字的回答。在提示中要求只写 JSON，或使用服务方的 JSON "
            "模式。",
            "The model wrote no JSON: look at the example; mostly it declined, asked back or answered in prose. "
            "Ask for JSON alone in the prompt, or use the provider's JSON mode.",
        ),
    ),
    *(_Row("", reason.en, _AMBIGUOUS) for reason in sorted(parser.TWO_READ)),
    *(_Row("", reason.en, _BOUND) for reason in (parser.TOO_DAMAGED, parser.TOO_DEEP, parser.NUMBER_TOO_LONG)),
    _Row("think", "", _REASONING),
    _Row("", parser.HOLDS_CALL.en, _CALL),
    _Row("tool_call", "", _CALL),
    _Row("accept", "", _GRADE),
    _Row("timeout", "", _TIME),
    _Row(
        "empty",
        "",
        chinese(
            "模型没有输出文字：查看内容过滤、工具调用与结束原因。若文本在别的字段，用 --text-field 指明。",
            "The model wrote no text: look for a content filter, a tool call, or the finish reason. If the text "
            "is in another field, name it with --text-field.",
        ),
    ),
    _Row(
        "root",
        "",
        chinese(
            "文本的根节点与所求类型不同：用 --dto 指明相符的类型（如 Items = list[Item]），或在提示中要求所需的根"
            "节点。",
            "The root is not the one the type is read from: name a type that fits with --dto, such as Items = "
            "list[Item], or ask for the right root in the prompt.",
        ),
    ),
    _Row(
        "normalize",
        "",
        chinese(
            "归一化钩子自身出错，是程序的问题：用 llm-output parse 单独读取示例文本，可以重现。",
            "The normalizer itself fails, which is a mistake of the program: `llm-output parse` on the example's "
            "text alone shows it again.",
        ),
    ),
    _Row(
        "validate",
        "",
        chinese(
            "许多文本在同一处与类型不符：若那样写也对，就放宽类型；否则在提示中写明该字段，或用 refused 中该行的 "
            "feedback 请模型重写。",
            "Many texts differ from the type in the same place: if they may, widen the type; if not, describe the "
            "field in the prompt, or have the model write it again with the feedback of its row in refused.",
        ),
    ),
    _Row(
        "",
        "something was left out",
        chinese(
            "模型省略了内容：在提示中要求逐项写全，并留出足够的输出长度。",
            "The model left something out: ask for every item in full, and leave enough length for it.",
        ),
    ),
    _Row(INPUT_STAGE, "there is no field", _TEXT_FIELD),
    _Row(INPUT_STAGE, "holds no text", _TEXT_FIELD),
    _Row(
        INPUT_STAGE,
        "there is no agent of this name",
        chinese(
            "用 --dto 指明类型；或用 --agent 指明智能体；若名称在别的字段，用 --agent-field 指明。",
            "Name the type with --dto, or the agent with --agent; if its name is in another field, name that with "
            "--agent-field.",
        ),
    ),
    _Row(
        INPUT_STAGE,
        "not UTF-8",
        chinese(
            "把输入转换为 UTF-8，再运行一次到新的文件夹。",
            "Convert the input to UTF-8, and run into a new folder.",
        ),
    ),
    _Row(INPUT_STAGE, "", _EXPORT),
    _Row(
        WORKER_STAGE,
        "took longer",
        chinese(
            "用 --text-timeout 给更多时间；若仍超时，多为类型自身的代码停不下来。",
            "Give it more time with --text-timeout; if it still takes longer, code of the type mostly does not end.",
        ),
    ),
    _Row(WORKER_STAGE, "memory", _MEMORY),
    _Row(WORKER_STAGE, "MemoryError", _MEMORY),
    _Row(
        WORKER_STAGE,
        "was killed",
        chinese(
            "多为系统内存不足，或类型调用的库崩溃：用 --workers 减少进程；用 llm-output parse 单独读取示例文本，可"
            "以重现。",
            "Mostly the system was out of memory, or a library that the type calls crashed: have fewer processes "
            "read with --workers; `llm-output parse` on the example's text alone shows it again.",
        ),
    ),
    _Row(WORKER_STAGE, "", _OWN_CODE),
    _Row(
        OUTPUT_STAGE,
        "",
        chinese(
            "类型写出的值不是 JSON：为该字段改用 JSON 能表示的类型，或写一个 field_serializer。",
            "The type writes a value that JSON cannot hold: use another type for the field, or write a "
            "field_serializer.",
        ),
    ),
    _Row(
        "",
        "",
        chinese(
            "此处的损坏不经猜测无法修复：用 refused 中该行的 feedback 请模型重写，或使用服务方的 JSON 模式。",
            "This damage cannot be undone without a guess: have the model write it again with the feedback of its "
            "row in refused, or use the provider's JSON mode.",
        ),
    ),
)


def advice_for(stage: str, reason: str) -> str:
    """What to do about texts that were refused at a stage for a reason."""
    return next(row.advice.text() for row in _ROWS if row.stage in ("", stage) and row.words in reason)
