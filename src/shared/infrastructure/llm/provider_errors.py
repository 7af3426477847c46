"""Every message of the adapters to a model, in one place, and how an error is put together.

Each is a `Message`: what was wrong and what to do; then where it happened. None holds a key, a prompt or what the
provider wrote.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMCertificateError,
    LLMConfigurationError,
    LLMConnectionError,
    LLMContentRefusedError,
    LLMError,
    LLMQuotaError,
    LLMRateLimitError,
    LLMReplyError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.infrastructure.extras import needs_package

MAX_RESPONSE_BYTES = 8_388_608
"""Where the settings say nothing else."""

PROBLEMS: dict[type[LLMError], Message] = {
    LLMConnectionError: Message(
        "无法连接模型服务，或连接在回答完整之前中断；请检查网络与 LLM_BASE_URL",
        "the provider was not reached, or the connection broke before the answer was whole: "
        "check the network and LLM_BASE_URL",
    ),
    LLMCertificateError: Message(
        "模型服务的证书无效；请检查 LLM_BASE_URL，自签证书请用 SSL_CERT_FILE 指定",
        "the provider's certificate is not valid: check LLM_BASE_URL, and name your own certificate in SSL_CERT_FILE",
    ),
    LLMTimeoutError: Message(
        "模型未在限定时间内给出完整回答；请重试或调大 LLM_TIMEOUT",
        "no whole answer in time: try again or raise LLM_TIMEOUT",
    ),
    LLMRateLimitError: Message(
        "请求过多；请稍后重试，或设置 LLM_REQUESTS_PER_MINUTE 与 LLM_MAX_CONCURRENCY",
        "too many requests: try later, or set LLM_REQUESTS_PER_MINUTE and LLM_MAX_CONCURRENCY",
    ),
    LLMQuotaError: Message(
        "账户额度或余额已用完；请检查账户，重试无用",
        "the account's quota or credit is used up: check the account, trying again does not help",
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
    "模型服务没有按流式返回；请不用流式提问（LLM_STREAM=false）",
    "the provider did not answer with a stream: ask without one (LLM_STREAM=false)",
)
NOT_THE_API = Message(
    "返回的内容不符合该服务商的接口；请检查 LLM_PROVIDER 与 LLM_BASE_URL",
    "what came back is not this provider's API: check LLM_PROVIDER and LLM_BASE_URL",
)
OPTION_NOT_TAKEN = Message(
    "该服务商或模型不支持此选项，因此未发送请求；请去掉该选项或更换模型",
    "the provider or the model does not take this option, so nothing was sent: leave it out, or use another model",
)
MODE_NOT_TAKEN = Message(
    "该服务商或模型不支持此结构化模式；请更改 LLM_STRUCTURED_OUTPUT",
    "the provider or the model does not have this structured mode: change LLM_STRUCTURED_OUTPUT",
)
NOT_AN_OBJECT = Message(
    "该服务商只接受对象类型；请把类型包在对象中，或设置 LLM_STRUCTURED_OUTPUT=prompt",
    "the provider can be held to an object only: wrap the type in one, or set LLM_STRUCTURED_OUTPUT=prompt",
)
SETTING_UNUSED = Message(
    "所设服务商不使用此变量；请将其去掉",
    "this variable is of no use with the provider that is set: leave it out",
)
CLIENT_REFUSED = Message(
    "该服务商的客户端在发送前拒绝了请求或设置；请检查 LLM_STRUCTURED_OUTPUT、LLM_MODEL 与所用选项",
    "the provider's client refused the request or the settings before sending: "
    "check LLM_STRUCTURED_OUTPUT, LLM_MODEL and the options",
)
TOO_LARGE = Message(
    "模型服务返回的内容超过上限，余下部分未读；确有需要时请调大 LLM_MAX_RESPONSE_BYTES",
    "the provider sent more than the bound, and the rest was not read: raise LLM_MAX_RESPONSE_BYTES if that is right",
)
EVENT_TOO_LARGE = Message(
    "流中的一个事件超过上限，余下部分未读；请不用流式提问（LLM_STREAM=false）",
    "one event of the stream is larger than the bound, and the rest was not read: ask without it (LLM_STREAM=false)",
)
TOO_MANY_VALUES = Message(
    "返回的内容中值的数量超过上限；请检查 LLM_BASE_URL 是否指向兼容 OpenAI 的接口",
    "what came back holds more values than a reply does: check that LLM_BASE_URL is an OpenAI-compatible endpoint",
)
NOT_UNPACKED = Message(
    "返回的内容无法解压；请检查模型服务前面的代理",
    "what came back cannot be decompressed: check the proxy in front of the provider",
)
REDIRECTED = Message(
    "模型服务把请求转到另一个地址，提示词未发往该处；请核对后把该地址写入 LLM_BASE_URL",
    "the provider redirects to another address, and the prompt was not sent there: "
    "if the address is right, set LLM_BASE_URL to it",
)
CLOSED = Message(
    "该模型连接已关闭；请新建一个",
    "this model's connections were closed: make a new one",
)
UNUSABLE_ENVIRONMENT = Message(
    "环境中的代理或证书设置无法使用；请检查 HTTPS_PROXY、HTTP_PROXY、ALL_PROXY、SSL_CERT_FILE 与 SSL_CERT_DIR",
    "the environment's proxies or certificates cannot be used: "
    "check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR",
)

_NATIVE_PROBLEMS = PROBLEMS | {LLMReplyError: NOT_THE_API, LLMConfigurationError: CLIENT_REFUSED}
"""The same of a provider's own API, where the general message would speak of another one."""


def schema_not_strict(path: str, reason: Message) -> Message:
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
        max_bytes: of a response, more of which is not read.
        is_native: whether it is a provider's own API.
    """

    provider: str
    model: str
    timeout: float
    max_bytes: int = MAX_RESPONSE_BYTES
    is_native: bool = False

    def error(self, kind: type[LLMError], problem: Message | None = None, **facts: Any) -> LLMError:  # noqa: ANN401 - facts of any JSON type
        """An error of a call to here; facts that are None are left out."""
        said = problem or (_NATIVE_PROBLEMS if self.is_native else PROBLEMS)[kind]
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


def needs_extra(extra: str = "llm") -> AbstractContextManager[None]:
    """Around the imports of vendors' packages.

    Args:
        extra: the one of `pyproject.toml` that they are in.

    Raises:
        LLMConfigurationError: one of them is not installed.
    """
    return needs_package(extra, lambda message, details: configuration_error(message, **details))
