"""Settings of the gateway, by environment: those of the service, and `OUTPUT_UPSTREAM`, `OUTPUT_TRIES` and so on."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from src.entrypoints.http.service_settings import MEBIBYTE, ServiceSettings, ServiceSettingsError, is_loopback
from src.modules.monitoring.infrastructure.monitoring_settings import PREFIX, HttpUrl
from src.shared.domain.language import Phrase

OnRefusal = Literal["error", "pass"]


def _base_url(url: str) -> str:
    if urlsplit(url).query or urlsplit(url).fragment or not url.isascii():
        message = "must have no query and no fragment"
        raise ValueError(message)
    return url.rstrip("/")


class GatewaySettings(ServiceSettings):
    """Where the gateway listens, whom it asks, and what is too much; each field is `OUTPUT_` and its upper-case name.

    Attributes:
        upstream: the base URL of the API behind it, such as `https://host/v1`.
        tries: most requests for one answer: the first, and those that tell the model what was wrong with the last.
        on_refusal: what becomes of an answer that cannot be read: an error 422, or it passes as it is, and marked.
        open: whether anybody who reaches the address may ask, because the upstream checks the keys.
        max_answer: most bytes of an answer that is read, also when it is unpacked.
        connect_timeout: seconds to reach the upstream.
        first_byte_timeout: seconds until it begins to answer, and between two pieces of an answer.
        answer_timeout: seconds for all of a request, with every further try.

    Raises:
        ServiceSettingsError: a variable is wrong; names it, never its value.
    """

    upstream: Annotated[HttpUrl, AfterValidator(_base_url)]
    tries: int = Field(2, ge=1, le=10)
    on_refusal: OnRefusal = "error"
    open: bool = False
    port: int = Field(8422, ge=0, le=65_535)
    max_body: int = Field(16 * MEBIBYTE, ge=1_024, le=100 * MEBIBYTE)
    body_timeout: float = Field(60, gt=0, le=3_600)
    max_answer: int = Field(8 * MEBIBYTE, ge=1_024, le=100 * MEBIBYTE)
    connect_timeout: float = Field(10, gt=0, le=3_600)
    first_byte_timeout: float = Field(300, gt=0, le=3_600)
    answer_timeout: float = Field(600, gt=0, le=86_400)

    def check_reach(self) -> None:
        """Make sure that nobody else can ask unless that is meant: the upstream may know this machine by its address.

        Raises:
            ServiceSettingsError: other machines can, there are no keys, and it is not open.
        """
        if self.open or self.api_keys or is_loopback(self.host.strip("[]")):
            return
        message = Phrase(
            "{prefix}HOST is no loopback address: set {prefix}API_KEYS, or {prefix}OPEN=1 if the upstream checks the "
            "key of each request",
            prefix=PREFIX,
        )
        variables = [f"{PREFIX}{name}" for name in ("HOST", "API_KEYS", "OPEN")]
        raise ServiceSettingsError(message.text(), {"variables": variables})
