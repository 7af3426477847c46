"""The wheel and the sources, built once, and an environment with the wheel."""

from pathlib import Path

import pytest

from tests.packaging.wheels import build, environment, unpack


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources, unpacked."""
    return unpack(build(tmp_path_factory.mktemp("sources"), "sdist"), tmp_path_factory.mktemp("unpacked"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment with the wheel."""
    return environment(wheel, tmp_path_factory.mktemp("installed") / "environment")
