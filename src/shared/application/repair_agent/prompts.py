"""What the repair agent is told: the text of the specification (seed 004), but for one line, the delimiter.

The specification's delimiter is `=` twenty times, which a damaged text may hold itself: what follows it there would
stand outside, as if it were ours. So ours has a digest of the text in its middle, which no text can hold. What the
answer may change is not left to the prompt: each answer is proven against the damaged text.
"""

from __future__ import annotations

import hashlib
from itertools import count

SYSTEM_PROMPT = """\
你是 CoWrite 系统的 JSON 修复 Agent。

你的唯一任务是：
将"格式错误的 JSON 文本"修复为"100% 合法、可被 JSON.parse() 解析的 JSON"。

⚠️ 你不能：
- 改写业务内容
- 增删字段
- 推测缺失语义
- 总结或解释
- 添加任何额外说明文字

⚠️ 你必须：
- 保留所有原始字段和值
- 只修复语法问题
- 保证输出是严格合法 JSON
- 只输出 JSON，不允许输出任何解释
- 如果输入不是 JSON，而是包含 JSON 的文本，请提取其中的 JSON 并修复

修复后 JSON 的字段结构必须与原始结构完全一致。
字段数量不能增加或减少。

只输出修复后的 JSON。"""

_USER_PROMPT = """\
以下 JSON 存在语法错误，请修复：

{mark}
{broken}
{mark}

请直接输出修复后的 JSON。
不要解释。
不要添加说明。
不要使用 markdown。"""


def user_prompt(broken: str) -> str:
    """The question about one damaged text: the same text always gives the same question."""
    return _USER_PROMPT.format(mark=delimiter(broken), broken=broken)


def delimiter(broken: str) -> str:
    """A line that does not occur in the text, and that no text can hold: it is made from a digest of the text."""
    marks = (f"===================={_digest(broken, number)}====================" for number in count())
    return next(mark for mark in marks if mark not in broken)


def _digest(text: str, number: int) -> str:
    return hashlib.sha256(f"{number}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
