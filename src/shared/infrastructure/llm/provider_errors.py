"""Every message of the adapters to a model, in one place, and how an error is put together.

Each is a `Message`: what was wrong and what to do; then where it happened. None holds a key, a prompt or what the
provider wrote.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMConfigurationError,
    LLMConnectionError,
    LLMContentRefusedError,
    LLMError,
    LLMRateLimitError,
    LLMReplyError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
)

PROBLEMS: dict[type[LLMError], Message] = {
    LLMConnectionError: Message(
        "无法连接模型服务，或连接在回答完整之前中断；请检查网络与 LLM_BASE_URL",
        "the provider was not reached, or the connection broke before the answer was whole: "
        "check the network and LLM_BASE_URL",
    ),
    LLMTimeoutError: Message(
        "模型未在限定时间内给出完整回答；请重试或调大 LLM_TIMEOUT",
        "no whole answer in time: try again or raise LLM_TIMEOUT",
    ),
    LLMRateLimitError: Message(
        "请求过多或额度已用完；请稍后重试，或检查账户额度",
        "too many requests, or the quota is used up: try later, or check the account's quota",
    ),
    LLMServerError: Message("模型服务出错；请稍后重试", "the provider failed: try later"),
    LLMAuthenticationError: Message(
        "模型服务拒绝了密钥；请检查 LLM_API_KEY 及其对该模型的权限",
        "the provider does not accept the key: check LLM_API_KEY, and that it may use the model",
    ),
    LLMRequestError: Message(
        "模型服务不接受该请求；请检查 LLM_MODEL、LLM_BASE_URL、提示词长度与所用选项",
        "the provider does not accept the request: check LLM_MODEL, LLM_BASE_URL, the prompt's length and the options",
    ),
    LLMContentRefusedError: Message(
        "模型或内容过滤器拒绝回答；请修改提示词",
        "the model, or a filter in front of it, declined to answer: change the prompt",
    ),
    LLMReplyError: Message(
        "返回的内容不是模型回答；请检查 LLM_BASE_URL 是否指向兼容 OpenAI 的接口",
        "what came back is no reply: check that LLM_BASE_URL is an OpenAI-compatible endpoint",
    ),
    LLMConfigurationError: Message("模型设置有误", "the settings of the model are wrong"),
    LLMError: Message("模型调用失败", "the call of the model failed"),
}
"""What each error says where nothing more exact is known."""

NOT_SENDABLE = Message(
    "请求无法编码为 JSON；请检查提示词中的非法字符与 temperature",
    "the request cannot be written as JSON: check the prompt for lone surrogates, and the temperature",
)
NO_CHOICES = Message("模型服务未返回任何候选回答；请重试", "the provider returned no choices: try again")
NO_TEXT = Message("模型服务返回的回答没有文本；请重试", "the provider returned an answer without a text: try again")
SEVERAL_CALLS = Message(
    "模型调用了多个函数，而只应调用一个；请重试，或设置 LLM_STRUCTURED_OUTPUT=json_schema",
    "the model called several functions where one is the answer: try again, or set LLM_STRUCTURED_OUTPUT=json_schema",
)
OTHER_CALL = Message(
    "模型调用了未要求的函数；请重试，或设置 LLM_STRUCTURED_OUTPUT=json_schema",
    "the model called a function that was not asked for: try again, or set LLM_STRUCTURED_OUTPUT=json_schema",
)
NOT_EXTRA = Message(
    "extra_body 不可替换请求的必要字段", "extra_body must not replace what the request itself is made of"
)
NOT_A_STREAM = Message(
    "模型服务没有按流式返回；请设置 LLM_STREAM=false",
    "the provider did not answer with a stream: set LLM_STREAM=false",
)


def not_held(path: str, reason: Message) -> Message:
    """The problem of a type that a provider cannot be held to in the mode that is set."""
    mode = "LLM_STRUCTURED_OUTPUT=prompt"
    return Message(
        f"该类型无法用于所设的结构化输出模式，位于 {path}：{reason.zh}；或设置 {mode}",
        f"a provider cannot be held to this type in the mode that is set: {path}: {reason.en}; or set {mode}",
    )


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a call goes, for error messages.

    Attributes:
        provider: the base URL; it has neither credentials nor a query.
        model: the model asked for.
        timeout: seconds allowed for one request.
    """

    provider: str
    model: str
    timeout: float

    def error(self, kind: type[LLMError], problem: Message | None = None, **facts: Any) -> LLMError:  # noqa: ANN401 - facts of any JSON type
        """An error of a call to here; facts that are None are left out."""
        said = problem or PROBLEMS[kind]
        known = {name: value for name, value in facts.items() if value is not None}
        shown = [f"HTTP {known['status']}"] if "status" in known else []
        shown += [str(known[name]) for name in ("error_code", "reason") if name in known]
        zh = f"{said.zh}：{'，'.join([self.provider, f'模型 {self.model}', *shown])}"
        en = f"{said.en} ({', '.join([self.provider, f'model {self.model}', *shown])})"
        message = Message.glossed(zh, en, said.en)
        return kind(message.text(), {"provider": self.provider, "model": self.model, **known})


def configuration_error(problem: Message, **facts: Any) -> LLMConfigurationError:  # noqa: ANN401 - as above
    """Settings or recordings are missing or wrong."""
    return LLMConfigurationError(problem.text(), facts)
