"""The repair agent: asked once, at temperature 0, for syntax only; believed only as far as the damaged text goes.

Its prompts are those of the specification (seed 004), but for one line, the delimiter: `=` twenty times, which a
damaged text may hold itself. What follows it there would stand outside, as if it were ours. So ours has a digest of the
text in its middle, which no text can hold. What the answer may change is not left to the prompt: it is proven against
the damaged text.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from src.shared.application.reading import read_aside
from src.shared.application.repair_agent.answer import NotStrictJsonError, without_fence
from src.shared.application.repair_agent.proof import TWO_READ_GLOSSES, object_start, prove
from src.shared.application.requests import ask
from src.shared.domain.budget import Spending
from src.shared.domain.caller import NOBODY, Caller, Purpose, event_code, event_name
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Phrase
from src.shared.domain.parse_reasons import NUMBER_TOO_LONG, SEVERAL_OBJECTS, TOO_DEEP
from src.shared.domain.ports.events import EventPort, RepairAsked, RepairAttempted
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest
from src.shared.domain.ports.repair import ReadObject, RepairedText
from src.shared.domain.repair_errors import RepairCode, RepairRefusedError

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


_RULE = "=" * 20


def user_prompt(broken: str) -> str:
    """The question about one damaged text: the same text always gives the same question."""
    return _USER_PROMPT.format(mark=delimiter(broken), broken=broken)


def delimiter(broken: str) -> str:
    """A line that does not occur in the text, and that no text can hold: it is made from a digest of the text."""
    texts = (f"{number}\n{broken}".encode("utf-8", "surrogatepass") for number in count())
    marks = (f"{_RULE}{hashlib.sha256(text).hexdigest()[:32]}{_RULE}" for text in texts)
    return next(mark for mark in marks if mark not in broken)


MAX_INPUT_CHARS = 16_000
"""Longest damaged text, in characters: about what a model can write out again within MAX_TOKENS."""
MAX_TOKENS = 8192
"""Most tokens of the answer (seed 004, 模型参数)."""

_SYNTAX_STAGES = frozenset({"extract", "repair"})
_HOPELESS = frozenset(reason.en for reason in (SEVERAL_OBJECTS, TOO_DEEP, NUMBER_TOO_LONG)) | TWO_READ_GLOSSES


def is_repairable(broken: str, error: AppException) -> bool:
    """Whether the repair agent may be asked about a text that could not be read for this reason.

    It may where syntax is damaged in one object, which a reader who understands the text can undo without adding to it.
    Not where a text is empty or only reasoning, is cut off (what is missing could only be invented), holds several
    objects (which one is meant is no question of syntax) or none, has two readings (whoever mends it guesses), is
    nested too deeply or has a number too long (nothing is damaged), is to be one value, or is JSON and does not
    satisfy its contract.
    """
    details = error.details
    return (
        details.get("stage") in _SYNTAX_STAGES
        and not details.get("truncated")
        and details.get("json_error") not in _HOPELESS
        and details.get("root") != "scalar"
        and object_start(broken) >= 0
    )


@dataclass(frozen=True)
class RepairAgent:
    """Has a model undo damage of syntax that the parser could not read, and checks its answer against the text.

    Attributes:
        llm: the model.
        events: told of every request to the model, and of every repair: accepted, refused or cut short.
        reader: the parser's own reader, which has to read what is left without surplus punctuation as the answer does.
        max_input_chars: longest damaged text; a longer one is refused, not cut.
        max_tokens: most tokens of the answer.

    Source: seed 004, JSON 修复 Agent.
    """

    llm: LLMPort
    events: EventPort
    reader: ReadObject
    max_input_chars: int = MAX_INPUT_CHARS
    max_tokens: int = MAX_TOKENS

    def accepts(self, broken: str, error: AppException) -> bool:
        """Whether it may be asked; see `is_repairable`."""
        return is_repairable(broken, error)

    async def repair(
        self,
        broken: str,
        error: AppException,
        *,
        finished: bool | None = None,
        caller: Caller = NOBODY,
        spending: Spending | None = None,
    ) -> RepairedText:
        """Ask once for the damaged text as strict JSON; see `RepairPort.repair`.

        Reasoning, prose and a fence may stand around its JSON; the error may be a context's own of the same `details`.

        Returns:
            One strict JSON object that differs from the damaged text in syntax only, and that the reader finds in the
            text once its surplus punctuation is gone; and the reply it came in.

        Raises:
            RepairRefusedError: the model was not asked, or its answer is not accepted.
            LLMError: the model could not be asked.
        """
        caller, damage = replace(caller, purpose=Purpose.REPAIR), _damage(error)
        reply: LLMReply | None = None
        failure: BaseException | None = None
        try:
            self._check_applicable(broken, error)
            request = LLMRequest.of(user_prompt(broken), SYSTEM_PROMPT, temperature=0, max_tokens=self.max_tokens)
            if spending is not None:
                request = spending.fit(request)
            self.events.publish(RepairAsked(caller, len(broken), damage))
            reply = await ask(self.llm, request, caller, self.events, spending)
            return await read_aside(broken, partial(self._accept, reply, broken, finished=finished))
        except BaseException as error_of_repair:
            failure = error_of_repair
            if isinstance(failure, RepairRefusedError):
                failure.reply = reply
            raise
        finally:
            self.events.publish(
                RepairAttempted(
                    accepted=failure is None,
                    before_chars=len(broken),
                    after_chars=len(reply.text) if reply else 0,
                    damage=damage,
                    code=event_code(failure) if failure else "",
                    difference=failure.difference if isinstance(failure, RepairRefusedError) else None,
                    model=event_name(reply.model if reply else ""),
                    caller=caller,
                )
            )

    def _check_applicable(self, broken: str, error: AppException) -> None:
        facts = {"stage": error.details.get("stage"), "input_chars": len(broken)}
        if not self.accepts(broken, error):
            message = Phrase("not an error of syntax that repairing can undo")
            raise RepairRefusedError(RepairCode.NOT_APPLICABLE, message, facts)
        if len(broken) > self.max_input_chars:
            message = Phrase(
                "the damaged text is longer than the bound: {length} characters, at most {bound}; nothing is cut",
                length=len(broken),
                bound=self.max_input_chars,
            )
            facts |= {"max_input_chars": self.max_input_chars}
            raise RepairRefusedError(RepairCode.INPUT_TOO_LONG, message, facts)

    def _accept(self, reply: LLMReply, broken: str, *, finished: bool | None) -> RepairedText:
        """The answer's JSON text.

        Raises:
            RepairRefusedError: it is not accepted.
        """
        facts: dict[str, Any] = {"input_chars": len(broken), "answer_chars": len(reply.text)}
        if reply.finish_reason.finished is False:
            message = Phrase("the model was stopped before its answer was whole")
            facts |= {"finish_reason": reply.finish_reason.value}
            raise RepairRefusedError(RepairCode.ANSWER_INCOMPLETE, message, facts)
        answer = without_fence(reply.text)
        try:
            prove(broken, answer, self.reader, finished=finished)
        except NotStrictJsonError as error:
            message = Phrase("the answer is not strict JSON: {error}", error=error)
            raise RepairRefusedError(RepairCode.ANSWER_NOT_JSON, message, facts | {"json_error": str(error)}) from error
        except RepairRefusedError as error:
            error.details = facts | error.details
            raise
        return RepairedText(answer, reply)


def _damage(error: AppException) -> tuple[str, ...]:
    """What the parser says of the text: its reason, and the kinds of repair it had found."""
    reason, kinds = error.details.get("json_error"), error.details.get("repairs") or ()
    return (*([str(reason)] if reason else ()), *map(str, kinds))
