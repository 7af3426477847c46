"""The co-writing context as the application composes it: with or without a model."""

from pathlib import Path

import pytest

from src.bootstrap import Application
from src.modules.cowriting.domain import Envelope, EnvelopeParseError
from src.shared.domain.llm_errors import LLMConfigurationError
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.anyio
CLEAN = '{"meta": {"v": 1}, "payload": null}'
DAMAGED = '{"meta": {"v": 1};; "payload": null}'
OPENED = Envelope(meta={"v": 1}, payload=None)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither variables nor a `.env` of whoever runs the tests."""
    for name in ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


async def test_application_repairs_by_its_model() -> None:
    app = Application()
    app.model.override(ScriptedLLM([CLEAN]))
    assert await app.open_envelope().envelope(DAMAGED) == OPENED


async def test_application_without_repairs_asks_no_model() -> None:
    app, llm = Application(), ScriptedLLM([CLEAN])
    app.model.override(llm)
    app.config.repair.from_value("none")
    with pytest.raises(EnvelopeParseError, match="a comma or a closing bracket is expected here"):
        await app.open_envelope().envelope(DAMAGED)
    assert llm.calls == []


async def test_settings_of_a_model_are_needed_only_for_a_text_that_needs_one() -> None:
    use_case = Application().open_envelope()
    assert await use_case.envelope(CLEAN) == OPENED
    with pytest.raises(LLMConfigurationError, match="LLM_"):
        await use_case.envelope(DAMAGED)


def test_application_composes_one_use_case() -> None:
    app = Application()
    assert app.open_envelope() is app.open_envelope()
