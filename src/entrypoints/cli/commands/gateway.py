"""`llm-output gateway`: an OpenAI-compatible API whose answers are what the request asks for, or an error."""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal

from src.entrypoints.cli.commands.serve import announce
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.options import command, option, switch
from src.shared.infrastructure.extras import needs_package

EXAMPLES = (
    "llm-output gateway --upstream https://api.openai.com/v1",
    "llm-output gateway --upstream http://127.0.0.1:11434/v1 --port 8080 --tries 3",
)


@command()
def gateway(
    *,
    upstream: Annotated[
        str | None, option("URL", "The base URL of the API behind it; by default OUTPUT_UPSTREAM.")
    ] = None,
    tries: Annotated[
        int | None,
        option(
            "N", "Most requests for one answer; by default OUTPUT_TRIES, else 2: the first and one more.", min=1, max=10
        ),
    ] = None,
    on_refusal: Annotated[
        Literal["error", "pass"] | None,
        option(
            "error|pass",
            "What becomes of an answer that cannot be read: an error 422, or it passes, marked; by default error.",
        ),
    ] = None,
    host: Annotated[
        str | None, option("ADDRESS", "Where to listen; by default OUTPUT_HOST, else this machine.")
    ] = None,
    port: Annotated[
        int | None, option("N", "By default OUTPUT_PORT, else 8422; 0: a free one.", min=0, max=65_535)
    ] = None,
    workers: Annotated[int | None, option("N", "Processes; by default OUTPUT_WORKERS, else 1.", min=1, max=64)] = None,
    is_open: Annotated[
        bool, switch("--open", "Anybody who reaches the address may ask: the upstream checks the keys.")
    ] = False,
) -> None:
    """Serve an OpenAI-compatible API in front of another one.

    Chat completions with a response_format or tools are read: their content is JSON of the schema, and calls that stand
    in the text are tool calls, or the model is asked again, or the answer is an error. Everything else passes as it is.

    The address goes to stdout, one line of JSON a request to stderr. Keys pass through and are never logged. Other
    machines can ask only with OUTPUT_API_KEYS, in the header X-LLM-Output-Key, or with --open.
    """
    if upstream is None and "OUTPUT_UPSTREAM" not in os.environ:
        raise CommandError("name the API behind the gateway with --upstream URL, or in OUTPUT_UPSTREAM")
    with needs_package("serve", lambda message, _: CommandError(message)):
        from src.entrypoints.gateway.gateway_app import serve_gateway  # noqa: PLC0415 - an extra
        from src.entrypoints.gateway.gateway_settings import GatewaySettings  # noqa: PLC0415 - as above

    options = {"upstream": upstream, "tries": tries, "on_refusal": on_refusal, "host": host, "port": port}
    options |= {"workers": workers, "open": is_open or None}
    settings: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    serve_gateway(GatewaySettings(**settings), announce)
