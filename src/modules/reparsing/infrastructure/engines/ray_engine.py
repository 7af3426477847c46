"""Getting the engine of Ray, which takes seconds to import, and more than an extra to be there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.modules.reparsing.domain.ports import EnginePort
from src.modules.reparsing.infrastructure.engines.local import PartReader
from src.shared.domain.language import Message
from src.shared.infrastructure.extras import install_command

_QUIET = {
    "RAY_DATA_LOGGING_CONFIG": str(Path(__file__).with_name("ray_logging.yaml")),
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""What keeps Ray from telling its own story on stderr, or anything to its makers. It reads them when it is imported."""


def ray_engine(reader: Callable[[], PartReader], workers: int) -> EnginePort:
    """The engine, as `RayEngine`; a variable of Ray's that is set stays as it is.

    Raises:
        BatchReaderError: Ray is not installed.
    """
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        from src.modules.reparsing.infrastructure.engines.ray_data import RayEngine  # noqa: PLC0415 - of the extra
    except ImportError as error:
        install = install_command("ray")
        message = Message(f"需要 Ray：在检出目录中运行 {install}", f"Ray is needed: {install} in a checkout")
        raise BatchReaderError(message.text()) from error
    return RayEngine(reader, workers)
