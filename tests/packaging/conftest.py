"""Both wheels, built once."""

from pathlib import Path

import pytest

from tests.packaging.wheels import CORE, WHOLE, build


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of everything."""
    return build(WHOLE, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="session")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the parser alone."""
    return build(CORE, tmp_path_factory.mktemp("core"))
