"""Whether outcomes go to a store, by the environment variable `OUTPUT_STORE_URL`."""

from __future__ import annotations

import os

STORE_URL = "OUTPUT_STORE_URL"
"""The variable that names the store of outcomes; without it nothing of the store is imported."""


def is_store_set() -> bool:
    """Whether the environment names a store."""
    return bool(os.environ.get(STORE_URL))
