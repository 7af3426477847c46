"""Prompts fit their model or are refused when loaded, and the JSON requirement is appended in full, exactly once."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from src.shared.domain.prompt import JSON_SCHEMA_REQUIREMENT, AgentPrompts, PromptError, with_json_requirement
from src.shared.domain.type_description import describe_type


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


class Intent(BaseModel):
    action: Literal["chat", "code"]


class Nested(BaseModel):
    first: Intent
    second: Intent


ASKED = "用户想做什么？"
REQUIREMENT = JSON_SCHEMA_REQUIREMENT.strip("\n")
HALF = REQUIREMENT[: len(REQUIREMENT) // 2]


def test_prompt_is_followed_by_the_requirement_and_then_the_type() -> None:
    asked = with_json_requirement(ASKED, Intent)
    assert asked.startswith(f"{ASKED}\n\n{REQUIREMENT}\n\n")
    assert asked.endswith(f"\n{describe_type(Intent)}")


SPECIFIED = """
# RESPONSE FORMAT (MANDATORY)

You MUST respond with valid JSON ONLY. No markdown, no code blocks, no extra text.

**CRITICAL**: Output ONLY the raw JSON object. Do NOT wrap in ```json or ``` markdown blocks.
"""


def test_requirement_is_the_text_of_the_specification() -> None:
    """Specification "unified JSON response formats", JSON_SCHEMA_REQUIREMENT."""
    assert JSON_SCHEMA_REQUIREMENT == SPECIFIED


def test_requirement_of_a_list_asks_for_an_array() -> None:
    assert "Output ONLY the raw JSON array. Do NOT wrap" in with_json_requirement(ASKED, list[Intent])


def test_empty_prompt_becomes_the_requirement() -> None:
    assert with_json_requirement("", Intent).startswith(REQUIREMENT)


PROMPTS = {
    "empty": "",
    "plain": ASKED,
    "ending in a line break": f"{ASKED}\n",
    "quoting half of the requirement": f"为什么你们的提示词写着：\n{HALF}",
    "quoting its heading": "What does '# RESPONSE FORMAT (MANDATORY)' mean?",
    "quoting its heading as a line": "# RESPONSE FORMAT (MANDATORY)\n\nWhat does this mean?",
    "quoting it inside a line": f"Explain '{REQUIREMENT}'.",
    "quoting the type": describe_type(Intent),
}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS.keys())
def test_prompt_that_holds_less_than_the_whole_gets_the_whole(prompt: str) -> None:
    asked = with_json_requirement(prompt, Intent)
    assert asked.startswith(prompt)
    assert f"{REQUIREMENT}\n\n" in asked[len(prompt) :]
    assert asked.endswith(describe_type(Intent))


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS.keys())
def test_requirement_is_not_appended_twice(prompt: str) -> None:
    once = with_json_requirement(prompt, Intent)
    assert with_json_requirement(once, Intent) == once


def test_text_behind_the_requirement_does_not_bring_it_back() -> None:
    """As when a re-ask adds what was wrong with the last answer."""
    again = f"{with_json_requirement(ASKED, Intent)}\n\n不是合法 JSON (not valid JSON)"
    assert with_json_requirement(again, Intent) == again


def test_template_that_states_the_requirement_gets_only_the_type() -> None:
    asked = with_json_requirement(f"{REQUIREMENT}\n\n{ASKED}", Intent)
    assert asked.count(REQUIREMENT) == 1
    assert asked.endswith(describe_type(Intent))


def test_type_described_inside_another_types_description_is_described_on_its_own() -> None:
    other = with_json_requirement(ASKED, Nested)
    assert f"Intent = {describe_type(Intent)}" in other
    assert with_json_requirement(other, Intent).endswith(f"\n{describe_type(Intent)}")
    assert with_json_requirement(other, Intent).count(REQUIREMENT) == 1


@given(st.text() | st.sampled_from([HALF, REQUIREMENT, describe_type(Intent)]))
def test_any_prompt_is_kept_and_has_each_part_once(prompt: str) -> None:
    asked = with_json_requirement(prompt, Intent)
    assert asked.startswith(prompt)
    assert asked.count(REQUIREMENT) == 1
    assert with_json_requirement(asked, Intent) == asked
