"""Every message of the adapters to a model, in one place, and how an error is put together.

Each is a `Message`: what was wrong and what to do; then where it happened. None holds a key, a prompt or what the
provider wrote.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from src.shared.domain.language import Message, Phrase
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
    LLMConnectionError: Phrase(
        "the provider was not reached, or the connection broke before the answer was whole: check the "
        "network and LLM_BASE_URL"
    ),
    LLMCertificateError: Phrase(
        "the provider's certificate is not valid: check LLM_BASE_URL, and name your own certificate in SSL_CERT_FILE"
    ),
    LLMTimeoutError: Phrase("no whole answer in time: try again or raise LLM_TIMEOUT"),
    LLMRateLimitError: Phrase("too many requests: try later, or set LLM_REQUESTS_PER_MINUTE and LLM_MAX_CONCURRENCY"),
    LLMQuotaError: Phrase("the account's quota or credit is used up: check the account, trying again does not help"),
    LLMServerError: Phrase("the provider failed: try later"),
    LLMAuthenticationError: Phrase(
        "the provider does not accept the key: check LLM_API_KEY, and that it may use the model"
    ),
    LLMRequestError: Phrase(
        "the provider does not accept the request: check LLM_MODEL, LLM_BASE_URL, the prompt's length and the options"
    ),
    LLMContentRefusedError: Phrase("the model, or a filter in front of it, declined to answer: change the prompt"),
    LLMReplyError: Phrase("what came back is no reply: check that LLM_BASE_URL is an OpenAI-compatible endpoint"),
    LLMConfigurationError: Phrase("the settings of the model are wrong"),
    LLMError: Phrase("the call of the model failed"),
}
"""What each error says where nothing more exact is known."""

NOT_SENDABLE = Phrase(
    "the request cannot be written as JSON: check the prompt for lone surrogates, and the temperature"
)
NO_CHOICES = Phrase("the provider returned no choices: try again")
NO_TEXT = Phrase("the provider returned an answer without a text: try again")
SEVERAL_CALLS = Phrase(
    "the model called several functions where one is the answer: try again, or set LLM_STRUCTURED_OUTPUT=json_schema"
)
OTHER_CALL = Phrase(
    "the model called a function that was not asked for: try again, or set LLM_STRUCTURED_OUTPUT=json_schema"
)
NOT_EXTRA = Phrase("extra_body must not replace what the request itself is made of")
NOT_A_STREAM = Phrase("the provider did not answer with a stream: ask without one (LLM_STREAM=false)")
NOT_THE_API = Phrase("what came back is not this provider's API: check LLM_PROVIDER and LLM_BASE_URL")
OPTION_NOT_TAKEN = Phrase(
    "the provider or the model does not take this option, so nothing was sent: leave it out, or use another model"
)
MODE_NOT_TAKEN = Phrase("the provider or the model does not have this structured mode: change LLM_STRUCTURED_OUTPUT")
NOT_AN_OBJECT = Phrase(
    "the provider can be held to an object only: wrap the type in one, or set LLM_STRUCTURED_OUTPUT=prompt"
)
SETTING_UNUSED = Phrase("this variable is of no use with the provider that is set: leave it out")
CLIENT_REFUSED = Phrase(
    "the provider's client refused the request or the settings before sending: check "
    "LLM_STRUCTURED_OUTPUT, LLM_MODEL and the options"
)
TOO_LARGE = Phrase(
    "the provider sent more than the bound, and the rest was not read: raise LLM_MAX_RESPONSE_BYTES if that is right"
)
EVENT_TOO_LARGE = Phrase(
    "one event of the stream is larger than the bound, and the rest was not read: ask without it (LLM_STREAM=false)"
)
TOO_MANY_VALUES = Phrase(
    "what came back holds more values than a reply does: check that LLM_BASE_URL is an OpenAI-compatible endpoint"
)
NOT_UNPACKED = Phrase("what came back cannot be decompressed: check the proxy in front of the provider")
REDIRECTED = Phrase(
    "the provider redirects to another address, and the prompt was not sent there: "
    "if the address is right, set LLM_BASE_URL to it"
)
CLOSED = Phrase("this model's connections were closed: make a new one")
UNUSABLE_ENVIRONMENT = Phrase(
    "the environment's proxies or certificates cannot be used: check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, "
    "SSL_CERT_FILE and SSL_CERT_DIR"
)

_NATIVE_PROBLEMS = PROBLEMS | {LLMReplyError: NOT_THE_API, LLMConfigurationError: CLIENT_REFUSED}
"""The same of a provider's own API, where the general message would speak of another one."""


def schema_not_strict(path: str, reason: Message) -> Message:
    """The problem of a type that a provider cannot be held to in the mode that is set."""
    return Phrase(
        "a provider cannot be held to this type in the mode that is set: {path}: {reason}; "
        "or set LLM_STRUCTURED_OUTPUT=prompt",
        path=path,
        reason=reason,
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
        where = [self.provider, Phrase("model {model}", model=self.model), *shown]
        message = Phrase("{said} ({where})", said=said, where=Phrase.joined("clauses|{one}, {other}", where))
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
