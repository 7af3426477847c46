"""Settings of the service, by environment: `OUTPUT_HOST`, `OUTPUT_PORT` and so on; the store has its own."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from types import MappingProxyType
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints, field_validator
from pydantic_settings import NoDecode

from src.modules.monitoring.infrastructure.monitoring_settings import PREFIX, OutputSettings
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Phrase

MEBIBYTE = 1_048_576

KeyHash = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,64}:sha256:[0-9a-f]{64}$")]

_MAKE_KEY = "llm-output api-key NAME"


@lru_cache(maxsize=1_024)
def address_of(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host name spells, None for a name; an IPv4 address inside an IPv6 one is that IPv4 address."""
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_loopback(host: str) -> bool:
    """Whether an address of this machine is reached by this machine alone."""
    address = address_of(host)
    return host == "localhost" if address is None else address.is_loopback


class ServiceSettingsError(AppException):
    """A setting of the service is wrong. `details`: `variables`, and of the environment `problems`."""

    default_code: ClassVar[str] = "SERVICE_SETTINGS"


class ServiceSettings(OutputSettings):
    """How the service listens, whom it answers, and what is too much. Each field is `OUTPUT_` and its upper-case name.

    Attributes:
        host: the address to listen at; any but a loopback address needs `api_keys`.
        port: the port to listen at; 0 takes a free one.
        workers: processes that answer, 1 to 64.
        api_keys: `NAME:sha256:HASH` of each key that may ask, separated by commas or line ends;
            `llm-output api-key` makes them.
        hosts: names, besides the address, by which the service may be asked for; separated by commas.
        trusted_proxies: addresses whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed; separated by commas.
        max_body: most bytes of a body, or of one line of a batch.
        max_batch: most texts of a batch.
        requests_per_second: what one key, or one address without a key, may ask of each worker; 0 sets no limit.
        body_timeout: seconds in which a body has to arrive; of a batch each line.
        parse_timeout: seconds after which a text is given up, and the process that reads it is ended.
        parse_threads: texts that each worker reads at once in processes, and as many again that take long; a few more
            wait, others are answered 503.
        stop_timeout: seconds that requests under way have when the service is stopped.

    Raises:
        ServiceSettingsError: a variable is wrong; names it, never its value.
    """

    error = ServiceSettingsError
    wanted = MappingProxyType(
        {"api_keys": f"must be NAME:sha256:HASH, separated by commas; {_MAKE_KEY} makes them"},
    )

    host: str = "127.0.0.1"
    port: int = Field(8421, ge=0, le=65_535)
    workers: int = Field(1, ge=1, le=64)
    api_keys: Annotated[tuple[KeyHash, ...], NoDecode] = ()
    hosts: Annotated[tuple[str, ...], NoDecode] = ()
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = ()
    max_body: int = Field(MEBIBYTE, ge=1_024, le=100 * MEBIBYTE)
    max_batch: int = Field(10_000, ge=1, le=1_000_000)
    requests_per_second: float = Field(0, ge=0)
    body_timeout: float = Field(10, gt=0, le=3_600)
    parse_timeout: float = Field(30, gt=0, le=3_600)
    parse_threads: int = Field(4, ge=1, le=64)
    stop_timeout: float = Field(8, gt=0, le=3_600)

    @field_validator("api_keys", "hosts", "trusted_proxies", mode="before")
    @classmethod
    def _of_a_list(cls, value: object) -> object:
        """What stands between commas, or on lines of its own."""
        return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value

    def check_reach(self) -> None:
        """Make sure that nobody else can ask without a key.

        Raises:
            ServiceSettingsError: other machines can, and there are no keys.
        """
        if self.api_keys or is_loopback(self.host.strip("[]")):
            return
        message = Phrase(
            "{prefix}HOST is no loopback address, so {prefix}API_KEYS has to be set; {make_key} makes keys",
            prefix=PREFIX,
            make_key=_MAKE_KEY,
        )
        raise ServiceSettingsError(message.text(), {"variables": [f"{PREFIX}HOST", f"{PREFIX}API_KEYS"]})


FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
