"""A program that a test needs is found where it stands, or the test says why it cannot run."""

from pathlib import Path

import pytest

from tests import installed


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in a folder of the system's that PATH does not name."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(installed, "_OF_THE_SYSTEM", str(tmp_path))
    path = tmp_path / "runuser"
    path.touch(mode=0o755)
    return path


def test_a_program_is_found_beyond_the_path(tool: Path) -> None:
    assert installed.program("runuser") == str(tool)


def test_root_without_runuser_starts_no_postgres_and_says_so(tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "postgres_program", str)
    monkeypatch.setattr(installed, "is_root", lambda: True)
    assert installed.missing_postgres() == ""

    tool.unlink()

    assert "apt install util-linux" in installed.missing_postgres()
