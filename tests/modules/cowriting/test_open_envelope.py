"""Opening an envelope with the repair agent behind the parser: seed 004's four layers together."""

import pytest

from src.modules.cowriting.domain import Envelope, EnvelopeParseError
from src.modules.cowriting.infrastructure import AnyPayload
from src.shared.domain.llm_errors import LLMConnectionError
from src.shared.domain.repair_errors import RepairRefusedError
from tests.modules.cowriting.opening import DRAFT, Draft, opening, refusal_of_envelope
from tests.shared.application.repair_agent.asking import asked

pytestmark = pytest.mark.anyio
ENVELOPE = '{"meta": {"v": 1};; "payload": "春"}'
REPAIRED = '{"meta": {"v": 1}, "payload": "春"}'
CHANGED = '{"meta": {"v": 2}, "payload": "春"}'
PAYLOAD = '{"title": "春";; "words": 3}'
REPAIRED_PAYLOAD = '{"title": "春", "words": 3}'
EXPECTED = "a comma or a closing bracket is expected here"
"""Why the parser gives up on these."""


@pytest.mark.parametrize("raw", [REPAIRED, "{'meta': {'v': 1}, 'payload': '春',}", f"```json\n{REPAIRED}\n```"])
async def test_model_is_not_asked_where_layers_1_to_3_succeed(raw: str) -> None:
    """工作流程, Layer 3 成功."""
    agent = asked()
    assert await opening(agent).envelope(raw) == Envelope(meta={"v": 1}, payload="春")
    assert agent.llm.calls == []


async def test_envelope_that_cannot_be_parsed_is_repaired() -> None:
    """自动触发 1, 外层信封解析失败."""
    agent = asked(REPAIRED)
    assert await opening(agent).envelope(ENVELOPE) == Envelope(meta={"v": 1}, payload="春")
    assert len(agent.llm.calls) == 1


async def test_payload_whose_quotes_are_not_escaped_is_repaired_inside_its_envelope() -> None:
    agent = asked('{"meta": {"v": 1}, "payload": "{\\"title\\": \\"春\\", \\"words\\": 3}"}')
    use_case = opening(agent)
    envelope = await use_case.envelope('{"meta": {"v": 1}, "payload": "{"title": "春", "words": 3}"}')
    assert await use_case.payload(envelope, DRAFT) == Draft(title="春", words=3)


async def test_payload_that_cannot_be_parsed_is_repaired() -> None:
    """自动触发 2, 内层 payload 解析失败."""
    agent = asked(REPAIRED_PAYLOAD)
    payload = await opening(agent).payload(Envelope(meta={}, payload=PAYLOAD), AnyPayload())
    assert payload == {"title": "春", "words": 3}
    assert agent.event.before_chars == len(PAYLOAD)
    assert await opening(asked(REPAIRED_PAYLOAD)).payload(PAYLOAD, DRAFT) == Draft(title="春", words=3)


async def test_envelope_and_payload_are_repaired_each_on_its_own() -> None:
    agent = asked('{"meta": {}, "payload": "{\\"title\\": \\"春\\";; \\"words\\": 3}"}', REPAIRED_PAYLOAD)
    use_case = opening(agent)
    envelope = await use_case.envelope('{"meta": {};; "payload": "{\\"title\\": \\"春\\";; \\"words\\": 3}"}')
    assert await use_case.payload(envelope, DRAFT) == Draft(title="春", words=3)
    assert len(agent.llm.calls) == 2


@pytest.mark.parametrize(
    ("layer", "raw"),
    [
        ("extract", ""),
        ("extract", "我不知道"),
        ("extract", '{"meta": {}, "payload": 1} {"meta": {}, "payload": 2}'),
        ("normalize", '{"meta": {}, "payload": "cut'),
        ("parse", '{"title": "春"}'),
        ("parse", '[{"meta": {}}]'),
    ],
)
async def test_failure_that_repairing_cannot_undo_keeps_its_layer_and_costs_no_call(layer: str, raw: str) -> None:
    agent = asked()
    error = await refusal_of_envelope(raw, agent)
    assert (error.details["layer"], agent.llm.calls) == (layer, [])


async def test_refused_repair_is_layer_4s_error_with_the_agents_details() -> None:
    error = await refusal_of_envelope(ENVELOPE, asked(CHANGED))
    assert (error.details["part"], error.details["layer"]) == ("envelope", "repair_agent")
    assert error.message.startswith("信封在第 2 层（字符归一化）失败：不是合法 JSON：此处应为逗号或右括号")
    assert "第 4 层（JSON 修复 Agent）失败：修复结果不予采用：改写了业务值" in error.message
    assert "位于 $.meta.v" in error.message
    assert error.details["cause_code"] == "REPAIR_VALUE_CHANGED"
    assert error.details["repair"]["difference"]["path"] == "$.meta.v"
    assert isinstance(error.__cause__, RepairRefusedError)


async def test_refused_repair_still_says_why_and_where_the_parser_gave_up() -> None:
    error = await refusal_of_envelope(ENVELOPE, asked(CHANGED))
    assert (error.details["stage"], error.details["json_error"]) == ("repair", EXPECTED)
    assert error.details["position"] == {"line": 1, "column": 18, "offset": 17}
    assert error.feedback() == (await refusal_of_envelope(ENVELOPE)).feedback()


async def test_repaired_text_that_is_no_envelope_fails_in_layer_3_and_is_not_repaired_again() -> None:
    agent = asked('{"title": "春", "words": 3}')
    error = await refusal_of_envelope(PAYLOAD, agent)
    assert (error.details["layer"], len(agent.llm.calls)) == ("parse", 1)


async def test_providers_error_passes_through() -> None:
    with pytest.raises(LLMConnectionError):
        await opening(asked(LLMConnectionError("断开"))).envelope(ENVELOPE)


# --- the end -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("finished", [True, None])
async def test_last_bracket_is_closed_by_either_only_where_the_model_had_finished(finished: bool | None) -> None:  # noqa: FBT001 - three values
    """By the parser where nothing else is wrong, by the repair agent beside worse damage."""
    for raw in (REPAIRED[:-1], ENVELOPE[:-1]):
        if finished:
            envelope = await opening(asked(REPAIRED)).envelope(raw, finished=finished)
            assert envelope == Envelope(meta={"v": 1}, payload="春")
        else:
            await refusal_of_envelope(raw, asked(REPAIRED))


async def test_payload_of_an_envelope_is_whole() -> None:
    envelope, repaired = Envelope(meta={}, payload='{"words": 3;; "title": "春"'), '{"words": 3, "title": "春"}'
    assert await opening(asked(repaired)).payload(envelope, DRAFT) == Draft(title="春", words=3)
    with pytest.raises(EnvelopeParseError, match="the model was cut off before it had finished"):
        await opening(asked(repaired)).payload(envelope, DRAFT, finished=False)
