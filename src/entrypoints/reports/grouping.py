"""What rates are taken by; apart, since the command line needs it for its help."""

from __future__ import annotations

from enum import StrEnum


class Grouping(StrEnum):
    """What rates are taken by."""

    AGENT = "agent"
    MODEL = "model"
    STAGE = "stage"
    KIND = "kind"
