"""The whole application by its environment: budgets, the fallback model and the model for repairs."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from src.bootstrap import Application
from src.shared.application.question import Outcome, Question
from src.shared.domain.budget import Budget, Stop
from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.loopback.answers import Answer, ChatRequest, answer, status
from tests.loopback.server import ChatServer

BROKEN = '{"score": 80;; "note": "approve"}'
WHOLE = '{"score": 80, "note": "approve"}'


class Grade(BaseModel):
    score: int
    note: str


@pytest.fixture
def ask(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Outcome[Grade]]:
    """Ask the application for a grade with variables; the server answers each model in its own way."""
    monkeypatch.chdir(tmp_path)

    def asked(models: dict[str, Answer], **variables: Any) -> Outcome[Grade]:  # noqa: ANN401 - texts and numbers
        known = {"BASE_URL": chat_server.url, "MODEL": "first", "MAX_ATTEMPTS": 1, **variables}
        for name, value in known.items():
            monkeypatch.setenv(f"LLM_{name}", str(value))
        chat_server.respond(lambda request: models[request.body["model"]])
        return asyncio.run(_ask())

    return asked


async def _ask() -> Outcome[Grade]:
    app = Application()
    try:
        outcome: Outcome[Grade] = await app.typed_llm().generate_and_parse(Question.of("?"), plain_output(Grade))
    finally:
        await app.open_things().aclose()
    return outcome


def models_of(requests: list[ChatRequest]) -> list[str]:
    return [request.body["model"] for request in requests]


def test_fallback_model_answers_where_the_first_fails(
    chat_server: ChatServer, ask: Callable[..., Outcome[Grade]]
) -> None:
    outcome = ask({"first": status(503), "other": answer(WHOLE)}, FALLBACK_MODEL="other")

    assert outcome.result() == Grade(score=80, note="approve")
    assert models_of(chat_server.requests) == ["first", "other"]


def test_model_for_repairs_is_asked_for_repairs_alone(
    chat_server: ChatServer, ask: Callable[..., Outcome[Grade]]
) -> None:
    outcome = ask({"first": answer(BROKEN), "mender": answer(WHOLE)}, REPAIR_MODEL="mender", BUDGET_RETRIES=0)

    assert outcome.result() == Grade(score=80, note="approve")
    assert models_of(chat_server.requests) == ["first", "mender"]


def test_first_model_repairs_where_no_other_is_named(
    chat_server: ChatServer, ask: Callable[..., Outcome[Grade]]
) -> None:
    ask({"first": answer(BROKEN)}, BUDGET_RETRIES=0)

    assert models_of(chat_server.requests) == ["first", "first"]


@pytest.mark.parametrize(
    ("variables", "stop"),
    [
        ({"BUDGET_TOKENS": 1}, Stop.TOKENS_SPENT),
        ({"BUDGET_COST": 0.0000001, "PRICE_PROMPT": 1, "PRICE_COMPLETION": 1}, Stop.COST_SPENT),
    ],
)
def test_budget_of_the_environment_is_held(
    chat_server: ChatServer, ask: Callable[..., Outcome[Grade]], variables: dict[str, float], stop: Stop
) -> None:
    assert ask({"first": answer(WHOLE)}, **variables).stop is stop
    assert chat_server.requests == []


def test_recording_answers_for_every_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    recording = tmp_path / "recording.jsonl"
    recording.write_text('{"prompt": "?", "reply": {"text": "{}"}}\n', encoding="utf-8")
    monkeypatch.setenv("LLM_FALLBACK_MODEL", "other")
    monkeypatch.setenv("LLM_REPAIR_MODEL", "mender")
    app = Application()
    app.config.replay.from_value(recording)

    assert (app.fallback(), app.repair_model()) == (None, app.model())


def test_without_the_package_for_settings_nothing_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    _forget_settings(monkeypatch)

    assert Application().budget() == Budget()


def test_bound_that_cannot_be_read_without_the_package_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _forget_settings(monkeypatch)
    monkeypatch.setenv("LLM_BUDGET_TOKENS", "5000")

    with pytest.raises(LLMConfigurationError, match="pydantic_settings"):
        Application().budget()


def _forget_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys  # noqa: PLC0415 - what is imported is the matter here

    monkeypatch.delitem(sys.modules, "src.shared.infrastructure.llm.settings", raising=False)
    monkeypatch.setitem(sys.modules, "pydantic_settings", None)


def test_application_is_asked_without_a_loop_as_often_as_one_likes(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    app = Application()
    app.config.settings.from_dict({"base_url": chat_server.url, "model": "first"})
    chat_server.script([answer(WHOLE), answer(WHOLE)])

    grades = [app.typed_llm().call_with_json_sync("?", output_model=Grade) for _ in range(2)]
    asyncio.run(app.open_things().aclose())

    assert grades == [Grade(score=80, note="approve")] * 2
    assert chat_server.idle()


def test_models_at_one_provider_share_its_requests_a_minute(
    chat_server: ChatServer, ask: Callable[..., Outcome[Grade]]
) -> None:
    limits = {"REQUESTS_PER_MINUTE": 1, "BUDGET_SECONDS": 0.5}
    outcome = ask({"first": status(503), "other": answer(WHOLE)}, FALLBACK_MODEL="other", **limits)

    assert outcome.stop is Stop.SECONDS_SPENT
    assert models_of(chat_server.requests) == ["first"]
