"""What every test of the command line leaves as it found it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_SHOP = "from pydantic import BaseModel\n\nclass Order(BaseModel):\n    order: int\n    paid: bool\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current directory, whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")) or name == "shop":
            del sys.modules[name]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where a batch leaves its outcomes."""
    return tmp_path / "out"


@pytest.fixture
def no_model_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither variables nor a `.env` of whoever runs the tests."""
    for name in ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def order(folder: Path) -> tuple[str, ...]:
    """The arguments that ask for an order by a question on stdin."""
    (folder / "shop.py").write_text(_SHOP)
    return ("ask", "-", "--dto", "shop:Order")
