"""The plugin of pytest, under a short name; the fixture `recorded_output` needs the extra `cli`."""

from __future__ import annotations

from src.entrypoints.cli.pytest_plugin import pytest_addoption, recorded_output  # noqa: F401 - pytest finds the fixture

__all__ = ["pytest_addoption"]
