"""`llm-output serve` and `api-key`: the service, and the keys of those who may ask it."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Annotated, Any

import typer

from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.options import StoreOption, command, option
from src.entrypoints.cli.plain_output import spoken, write_stdout
from src.shared.infrastructure.extras import needs_package

EXAMPLES = {
    "serve": (
        "llm-output serve",
        "llm-output serve --port 8080 --workers 4 --store sqlite:///outcomes.db",
    ),
    "api-key": ("llm-output api-key orders", "llm-output api-key ops >> keys"),
}
BYTES = 32
"""Random bytes of a key."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}+")


@command()
def serve(
    *,
    host: Annotated[
        str | None, option("ADDRESS", "Where to listen; by default OUTPUT_HOST, else this machine.")
    ] = None,
    port: Annotated[
        int | None, option("N", "By default OUTPUT_PORT, else 8421; 0: a free one.", min=0, max=65_535)
    ] = None,
    workers: Annotated[int | None, option("N", "Processes; by default OUTPUT_WORKERS, else 1.", min=1, max=64)] = None,
    store: StoreOption = None,
) -> None:
    """Serve the parser over HTTP, with a page for people.

    The address goes to stdout, one line of JSON a request to stderr. It runs until Ctrl-C or SIGTERM: requests under
    way are ended, and outcomes written. Without OUTPUT_API_KEYS only this machine can ask.
    """
    with needs_package("serve", lambda message, _: CommandError(message)):
        from src.entrypoints.http.server import serve as serve_http  # noqa: PLC0415 - an extra
        from src.entrypoints.http.service_settings import ServiceSettings  # noqa: PLC0415 - as above
        from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - as above

    options = {"host": host, "port": port, "workers": workers}
    listening: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    storing: dict[str, Any] = {"store_url": store} if store else {}
    settings, monitoring = ServiceSettings(**listening), MonitoringSettings(**storing)
    serve_http(settings, monitoring, announce)


def announce(url: str) -> None:
    """Say on stdout where it serves.

    Raises:
        BrokenPipeError: nobody reads it.
    """
    try:
        write_stdout(spoken("serving at {url}", url=url))
    except SystemExit:  # nobody reads it; an event loop has to end in good order first
        raise BrokenPipeError from None


@command()
def api_key(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Whose key it is: 1 to 64 letters, digits, `_`, `.`, `-`.")
    ],
) -> None:
    """Make a key for the service.

    The key goes to stderr, and is shown this once. What OUTPUT_API_KEYS takes goes to stdout, and does not give the
    key away; several are separated by commas or line ends.
    """
    if not _NAME.fullmatch(name):
        raise CommandError("NAME has to be 1 to 64 letters, digits, `_`, `.` or `-`")
    from src.entrypoints.cli.screen import say  # noqa: PLC0415 - the service needs no rich

    key = secrets.token_urlsafe(BYTES)
    say(spoken("The key of {name}, which is shown this once:", name=name))
    say(key)
    write_stdout(f"{name}:sha256:{hashlib.sha256(key.encode()).hexdigest()}")
