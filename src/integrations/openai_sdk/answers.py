"""What a model answered, in either of the SDK's two forms."""

from __future__ import annotations

from typing import NamedTuple

from src.shared.domain.answer_errors import why_cut
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMContentRefusedError, LLMReplyError
from src.shared.domain.ports.llm import FinishReason, LLMReply
from src.shared.infrastructure.extras import needs_package

with needs_package("openai"):
    from openai.types.chat import ChatCompletion
    from openai.types.chat.chat_completion import Choice
    from openai.types.responses import Response

_REFUSED = Message("模型拒绝回答", "the model refused to answer")
_NO_CHOICE = Message("回复中没有这一选项", "the reply does not have this choice")


class ModelRefusalError(LLMContentRefusedError):
    """The model declined to answer, and said so in the field that the SDK has for it.

    Attributes:
        refusal: what it said; the message and the details do not repeat it.

    .. versionadded:: 0.1.0
    """

    def __init__(self, refusal: str, model: str) -> None:
        super().__init__(_REFUSED.text(), {"model": model, "reason": "refusal"})
        self.refusal = refusal


class Call(NamedTuple):
    """A tool call as the SDK has it."""

    name: str
    arguments: str
    id: str | None


class Answer(NamedTuple):
    """What a model answered, in either of the SDK's two forms."""

    text: str
    reason: FinishReason
    model: str
    calls: tuple[Call, ...] = ()

    def check(self) -> None:
        """Refuse what a filter or the provider broke off.

        Raises:
            LLMContentRefusedError: a content filter stopped the answer.
            LLMServerError: the provider broke off in the middle of it.
        """
        error = why_cut(LLMReply(text=self.text, finish_reason=self.reason, model=self.model), None)
        if error is not None and self.reason is not FinishReason.LENGTH:  # the parser tells of the length
            raise error


def answer_of(completion: ChatCompletion | Response, choice: int) -> Answer:
    """What was answered, if nothing refused it."""
    if isinstance(completion, Response):
        refusals, answer = _of_response(completion)
    else:
        one = next((one for one in completion.choices or () if one.index == choice), None)
        if one is None:
            raise LLMReplyError(_NO_CHOICE.text(), {"model": completion.model, "reason": f"choice {choice}"})
        refusals, answer = _of_choice(one, completion.model)
    if refusals:
        raise ModelRefusalError(refusals, completion.model)
    answer.check()
    return answer


def _of_choice(choice: Choice, model: str) -> tuple[str, Answer]:
    message = choice.message
    calls = [
        Call(call.function.name, call.function.arguments, call.id)
        if call.type == "function"
        else Call(call.custom.name, call.custom.input, call.id)
        for call in message.tool_calls or ()
    ]
    if message.function_call:  # as it was before there were several calls
        calls.append(Call(message.function_call.name, message.function_call.arguments, None))
    reason = finish_reason_of(choice.finish_reason)
    return message.refusal or "", Answer(message.content or "", reason, model, tuple(calls))


def _of_response(response: Response) -> tuple[str, Answer]:
    details = response.incomplete_details
    reason = finish_reason_of(details.reason if details and details.reason else response.status)
    messages = [item for item in response.output if item.type == "message"]
    refusals = [part.refusal for message in messages for part in message.content if part.type == "refusal"]
    calls = [Call(item.name, item.arguments, item.call_id) for item in response.output if item.type == "function_call"]
    if calls and reason is FinishReason.STOP:
        reason = FinishReason.TOOL_CALLS  # the response came to its end, which says nothing of a call's arguments
    return "\n".join(refusals), Answer(response.output_text, reason, str(response.model), tuple(calls))
