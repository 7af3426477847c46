"""The surroundings of every test: no network but loopback, no proxy, and messages in the default language."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from src.shared.domain.language import VARIABLE
from tests.loopback.guard import only_loopback


@contextmanager
def at_home() -> Iterator[None]:
    """Refuse every network but loopback, and leave out of the environment what would change what tests see."""
    with pytest.MonkeyPatch.context() as patch, only_loopback():
        patch.delenv(VARIABLE, raising=False)
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        yield
