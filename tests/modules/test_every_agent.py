"""What all agents' parsers promise, whatever their fields."""

import inspect
from typing import get_type_hints

import pytest

from src.shared.domain.exceptions import AppException, LLMJsonParseError
from tests.modules.agent_contract import AgentContract, Place, as_text, places_of, removed, replaced
from tests.modules.all_contracts import CONTRACTS, each, each_agent, every_place

# --- the whole answer -----------------------------------------------------------------------------------


@each_agent
def test_complete_answer_is_read_without_any_change(contract: AgentContract) -> None:
    result = contract.read(contract.answer)
    assert type(result) is contract.dto
    assert result.model_dump() == contract.answer


@each_agent
def test_answer_in_a_fenced_block_is_read_the_same(contract: AgentContract) -> None:
    """Scenario: 无特有归一化的 Agent（如 macro_intelligence）."""
    assert contract.parse(f"```json\n{as_text(contract.answer)}\n```") == contract.read(contract.answer)


@each_agent
def test_keys_the_contract_does_not_know_are_ignored(contract: AgentContract) -> None:
    answer = {**contract.answer, "model": "x", "备注": ["无"]}
    assert contract.read(answer) == contract.read(contract.answer)


@each_agent
def test_contract_speaks_of_every_place_of_its_answer(contract: AgentContract) -> None:
    assert set(places_of(contract.answer)) == set(contract.all_places())


# --- the function and its errors --------------------------------------------------------------------------


@each_agent
def test_parser_takes_raw_text_and_returns_the_dto(contract: AgentContract) -> None:
    """Scenario: 重构后公开函数签名不变."""
    raw, finished = inspect.signature(contract.parse).parameters.values()
    assert (raw.name, finished.name, finished.kind, finished.default) == (
        "raw",
        "finished",
        finished.KEYWORD_ONLY,
        None,
    )
    assert get_type_hints(contract.parse) == {"raw": str, "finished": bool | None, "return": contract.dto}


@each_agent
def test_end_that_is_not_shown_is_refused_unless_the_model_had_finished(contract: AgentContract) -> None:
    text = as_text(contract.answer).rstrip("}").rstrip()
    with pytest.raises(contract.error) as caught:
        contract.parse(text)
    assert caught.value.details["truncated"]
    assert contract.parse(text, finished=True) == contract.read(contract.answer)


@each_agent
def test_answer_of_a_model_that_was_cut_off_is_refused_whatever_it_looks_like(contract: AgentContract) -> None:
    with pytest.raises(contract.error) as caught:
        contract.parse(as_text(contract.answer), finished=False)
    assert caught.value.details["truncated"]


@each_agent
def test_label_is_the_agents_chinese_title_and_the_type_that_of_the_contract(contract: AgentContract) -> None:
    assert (contract.output.label, contract.dto.__name__) == (contract.label, contract.dto_name)


@each_agent
@pytest.mark.parametrize("raw", ["", "   \n", "我无法完成这个任务", "[1, 2]", "null", "{}"])
def test_unreadable_text_raises_the_contexts_own_error_and_keeps_the_facts(contract: AgentContract, raw: str) -> None:
    """Scenario: 模块 parser 转换异常类型."""
    with pytest.raises(AppException) as caught:
        contract.parse(raw)
    error, cause = caught.value, caught.value.__cause__
    assert type(error) is contract.error
    assert error.code == "LLM_OUTPUT_PARSE_ERROR"
    assert isinstance(cause, LLMJsonParseError)
    assert (error.message, error.details) == (cause.message, cause.details)
    assert error.details["raw_length"] == len(raw)


def test_each_context_has_an_error_of_its_own() -> None:
    errors = {contract.error for contract in CONTRACTS}
    assert sorted(error.__module__.split(".")[2] for error in errors) == ["debate", "judge", "research"]
    assert all(error.__bases__ == (AppException,) for error in errors)


@each_agent
def test_every_field_says_what_it_means(contract: AgentContract) -> None:
    schema = contract.dto.model_json_schema()
    models = [schema, *schema.get("$defs", {}).values()]
    fields = {name: entry for model in models for name, entry in model["properties"].items()}
    assert [name for name, entry in fields.items() if not entry.get("description")] == []


# --- fields that are missing ------------------------------------------------------------------------------


@each([case for case in every_place() if case[1] not in case[0].all_defaults()])
def test_missing_required_field_is_an_error_that_names_it(contract: AgentContract, place: Place) -> None:
    assert contract.refusal(removed(contract.answer, place)) == {place}


@each([case for case in every_place() if case[1] in case[0].all_defaults()])
def test_missing_optional_field_is_empty(contract: AgentContract, place: Place) -> None:
    result = contract.read(removed(contract.answer, place))
    expected = replaced(contract.answer, place, contract.all_defaults()[place])
    assert result.model_dump() == expected
