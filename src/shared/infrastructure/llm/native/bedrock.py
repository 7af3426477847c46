"""The client of Amazon Bedrock, which is no HTTP client of ours: boto3 has its own connections and threads.

A call that is given up on leaves its thread waiting for as long as `LLM_TIMEOUT`. The size of an answer is not
bounded. Region and credentials are found as AWS documents it, in `AWS_*` variables and `~/.aws`; where `LLM_API_KEY`
is set it is used instead of credentials, as a Bedrock API key.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from src.shared.infrastructure.llm.provider import PROVIDERS
from src.shared.infrastructure.llm.provider_errors import needs_extra
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra(PROVIDERS):
    import anyio.to_thread
    import boto3  # type: ignore[import-untyped]
    import botocore.session  # type: ignore[import-untyped]
    from botocore.config import Config  # type: ignore[import-untyped]
    from botocore.tokens import FrozenAuthToken  # type: ignore[import-untyped]
    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

_CONNECTIONS = 40
"""As many as there are threads for such calls in one event loop."""


class _KeySession(botocore.session.Session):  # type: ignore[misc]
    """A session with a Bedrock API key in place of credentials."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def get_auth_token(self, **_: Any) -> FrozenAuthToken:  # noqa: ANN401 - botocore's signature
        return FrozenAuthToken(self._key)

    def get_credentials(self) -> None:
        return None


def bedrock_model(settings: LLMSettings) -> tuple[BedrockConverseModel, Callable[[], Awaitable[None]]]:
    """A model of Bedrock's Converse API, and what closes its connections."""
    key = settings.api_key.get_secret_value()
    config = Config(
        read_timeout=settings.timeout,
        connect_timeout=settings.connect_timeout,
        retries={"total_max_attempts": 1},
        max_pool_connections=_CONNECTIONS,
        signature_version="bearer" if key else None,
    )
    session = boto3.Session(botocore_session=_KeySession(key) if key else None)
    client = session.client("bedrock-runtime", config=config, endpoint_url=settings.base_url or None)
    model = BedrockConverseModel(settings.model, provider=BedrockProvider(bedrock_client=client))
    return model, partial(anyio.to_thread.run_sync, client.close)
