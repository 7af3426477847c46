"""Both wheels, built once."""

from pathlib import Path

import pytest

from tests.packaging.wheels import CORE, WHOLE, build, install


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of everything."""
    return build(WHOLE, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="session")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the parser alone."""
    return build(CORE, tmp_path_factory.mktemp("core"))


@pytest.fixture(scope="session")
def installed(whole: Path, core: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder that each wheel is unpacked in, to import from."""
    wheels = {"whole": whole, "core": core}
    return {name: install(wheel, tmp_path_factory.mktemp(f"installed-{name}")) for name, wheel in wheels.items()}
