"""Prompts fit the model their agent is asked about, or are refused when they are loaded."""

import pytest

from src.shared.domain.prompt import AgentPrompts, PromptError


def prompts(user: str = "看 {{stock}} 与 {{news}}", system: str = "你是分析师。") -> AgentPrompts:
    return AgentPrompts.checked("analyst", system, user, ["stock", "news"])


def test_each_place_is_replaced_by_its_value() -> None:
    assert prompts().filled({"stock": "甲", "news": "乙"}) == "看 甲 与 乙"


def test_place_that_stands_twice_is_replaced_twice() -> None:
    assert prompts("{{stock}}{{stock}}{{news}}").filled({"stock": "甲", "news": "乙"}) == "甲甲乙"


def test_value_that_looks_like_a_place_stays_as_it_is() -> None:
    assert prompts().filled({"stock": "{{news}}", "news": "{{stock}}"}) == "看 {{news}} 与 {{stock}}"


def test_missing_and_unknown_places_are_named() -> None:
    with pytest.raises(PromptError) as caught:
        prompts("{{stock}} {{nwes}}")
    assert caught.value.details == {"prompt": "analyst/user.md", "missing": ["news"], "unknown": ["nwes"]}
    assert "缺少 news，多出 nwes" in caught.value.message


def test_system_message_has_no_place_for_data() -> None:
    with pytest.raises(PromptError) as caught:
        prompts(system="你研究 {{stock}}。")
    assert caught.value.details["unknown"] == ["stock"]


@pytest.mark.parametrize("mistake", ["{{ stock }}", "{{Stock}}", "{{", "}}", "{{stock"])
def test_place_that_is_not_well_formed_is_an_error(mistake: str) -> None:
    with pytest.raises(PromptError, match="not well formed"):
        prompts("{{stock}} {{news}} " + mistake)


@pytest.mark.parametrize(("system", "user"), [(" \n", "{{stock}}{{news}}"), ("你是分析师。", "")])
def test_prompt_without_text_is_an_error(system: str, user: str) -> None:
    with pytest.raises(PromptError, match="为空"):
        prompts(user, system)


def test_prompt_id_names_the_agent_and_changes_with_the_wording() -> None:
    ids = {prompts().prompt_id, prompts(system="你是审计员。").prompt_id, prompts("{{news}} {{stock}}").prompt_id}
    assert len(ids) == 3
    assert {prompt_id.partition("@")[0] for prompt_id in ids} == {"analyst"}
