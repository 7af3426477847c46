"""What stages, outcomes and classes of comparison are called in a batch's report."""

from __future__ import annotations

from typing import Final

from src.entrypoints.reports.labels import chinese
from src.modules.reparsing.domain.comparison import Agreement
from src.modules.reparsing.domain.names import OTHERS
from src.modules.reparsing.domain.outcome import INPUT_STAGE, OUTPUT_STAGE, WORKER_STAGE

STAGES: Final = {
    "empty": chinese("空文本", "empty text"),
    "think": chinese("推理块", "blocks of reasoning"),
    "fence": chinese("代码围栏", "fenced blocks"),
    "control_chars": chinese("控制字符", "control characters"),
    "strict": chinese("严格的 JSON", "strict JSON"),
    "extract": chinese("找出对象", "finding the object"),
    "repair": chinese("修复", "repairing"),
    "root": chinese("根节点", "the root"),
    "normalize": chinese("归一化钩子", "normalizers"),
    "validate": chinese("校验类型", "validating"),
    "tool_call": chinese("工具调用", "a tool's call"),
    INPUT_STAGE: chinese("输入的行", "the row of the input"),
    WORKER_STAGE: chinese("解析进程", "the reading process"),
    OUTPUT_STAGE: chinese("写出结果", "writing the value"),
}
"""Where a text may be refused: the stages in their order, and then the places beside them."""
CLEAN: Final = chinese("原样读出", "read as they stood")
REPAIRED: Final = chinese("修复后读出", "repaired")
REFUSED: Final = chinese("拒绝", "refused")
TRUNCATED: Final = chinese("其中被截断", "of them cut off")
AGREEMENTS: Final = {
    Agreement.EQUAL: chinese("两者读出相同的值", "both read it, and the same"),
    Agreement.ONLY_NEW: chinese("只有新的读出", "only the new one reads it"),
    Agreement.DIFFERENT: chinese("两者读出不同的值", "both read it, and not the same"),
    Agreement.ONLY_OLD: chinese("只有旧的读出", "only the old one reads it"),
    Agreement.NEITHER: chinese("两者都没有读出", "neither reads it"),
}
"""The classes of a comparison, in the order in which they are told."""
_OTHERS: Final = chinese("其余名称合计", "all other names together")


def stage_word(stage: str) -> str:
    """What a stage is called; one that is not known here keeps its name."""
    return STAGES[stage].text() if stage in STAGES else stage


def group_word(name: str) -> str:
    """The name of an agent, a model or a reason; of those that are counted together, that they are."""
    return _OTHERS.text() if name == OTHERS else name
