"""The dependency of FastAPI, under a short name; needs the extra `fastapi`."""

from __future__ import annotations

from src.integrations.fastapi import MAX_BYTES, ModelOutput

__all__ = [
    "MAX_BYTES",
    "ModelOutput",
]
