"""`llm-output serve`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.options import StoreOption
from src.entrypoints.cli.plain_output import spoken, write_stdout
from src.shared.infrastructure.extras import needs_package

EXAMPLES = (
    "llm-output serve",
    "llm-output serve --port 8080 --workers 4 --store sqlite:///outcomes.db",
)


@guarded
def serve(
    *,
    host: Annotated[
        str | None,
        typer.Option("--host", metavar="ADDRESS", help="Where to listen; by default OUTPUT_HOST, else this machine."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65_535, metavar="N", help="By default OUTPUT_PORT, else 8421; 0: a free one."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, max=64, metavar="N", help="Processes; by default OUTPUT_WORKERS, else 1."),
    ] = None,
    store: StoreOption = None,
) -> None:
    """Serve the parser over HTTP, with a page for people.

    The address goes to stdout, one line of JSON a request to stderr. It runs until Ctrl-C or SIGTERM: requests under
    way are ended, and outcomes written. Without OUTPUT_API_KEYS only this machine can ask.
    """
    service(host=host, port=port, workers=workers, store_url=store)()


def service(
    *, host: str | None = None, port: int | None = None, workers: int | None = None, store_url: str | None = None
) -> Callable[[], None]:
    """What runs the service and prints its address; what is None is taken from the settings.

    Raises:
        CommandError: a package is missing.
        ServiceSettingsError: a setting is wrong.
    """
    with needs_package("serve", lambda message, _: CommandError(message.zh, message.en)):
        from src.entrypoints.http.server import serve as serve_http  # noqa: PLC0415 - an extra
        from src.entrypoints.http.service_settings import ServiceSettings  # noqa: PLC0415 - as above
        from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - as above

    given = {"host": host, "port": port, "workers": workers}
    listening: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    storing: dict[str, Any] = {"store_url": store_url} if store_url else {}
    settings, monitoring = ServiceSettings(**listening), MonitoringSettings(**storing)
    return partial(serve_http, settings, monitoring, _announce)


def _announce(url: str) -> None:
    write_stdout(spoken(f"正在 {url} 提供服务", f"serving at {url}"))
