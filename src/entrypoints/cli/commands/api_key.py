"""`llm-output api-key`."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Annotated

import typer

from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.plain_output import write_stdout

EXAMPLES = ("llm-output api-key orders",)
BYTES = 32
"""Random bytes of a key."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}+")


@guarded
def api_key(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Whose key it is: 1 to 64 letters, digits, `_`, `.`, `-`.")
    ],
) -> None:
    """Make a key for the service.

    The first line is the key, which is shown this once; the second one is what OUTPUT_API_KEYS takes, and does not
    give the key away. Several are separated by commas.
    """
    if not _NAME.fullmatch(name):
        raise CommandError(
            "NAME 须为 1 到 64 个字母、数字、_、. 或 -", "NAME has to be 1 to 64 letters, digits, `_`, `.` or `-`"
        )
    key = secrets.token_urlsafe(BYTES)
    write_stdout(key)
    write_stdout(f"{name}:sha256:{hashlib.sha256(key.encode()).hexdigest()}")
