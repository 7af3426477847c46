"""`llm-output demo --serve`: a store of made-up days, and the service that shows them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from src.entrypoints.cli.commands.serve import service
from src.entrypoints.cli.demo_outcomes import fill
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import write_stdout
from src.entrypoints.cli.spoken import spoken
from src.modules.monitoring.container import read_rates
from src.modules.monitoring.domain.exceptions import StoreMissingError
from src.modules.monitoring.domain.moment import now


def serve_demo(store: str | None, port: int | None) -> None:
    """Fill a store and serve it until Ctrl-C or SIGTERM.

    Args:
        store: its address; None for one that is removed in the end.
        port: where to listen; None for that of the settings.

    Raises:
        CommandError: the store holds outcomes, or a package is missing.
        StoreError: it cannot be written.
    """
    with _store(store) as url:
        run = service(port=port, store_url=url)
        texts = fill(url, now())
        write_stdout(spoken(f"已解析 {texts} 个示例文本", f"{texts} made-up texts parsed"))
        run()


@contextmanager
def _store(given: str | None) -> Iterator[str]:
    if given is None:
        with tempfile.TemporaryDirectory(prefix="llm-output-demo-") as folder:
            yield f"sqlite:///{folder}/outcomes.db"
        return
    if _holds_outcomes(given):
        zh, en = "该存储中已有结果；请指定一个空的存储", "the store holds outcomes already; name an empty one"
        raise CommandError(spoken(zh, en))
    yield given


def _holds_outcomes(url: str) -> bool:
    try:
        return read_rates(url).facts().newest is not None
    except StoreMissingError:
        return False
