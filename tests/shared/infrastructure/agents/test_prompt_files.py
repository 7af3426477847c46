"""Prompts come from an agent's folder, and are checked when they are loaded."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from src.shared.domain.prompt import PromptError
from src.shared.infrastructure.agents.prompt_files import prompts_in


class Task(BaseModel):
    news: str


def folder(tmp_path: Path, system: bytes | None = "你读新闻。".encode(), user: bytes = b"{{news}}") -> Path:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "user.md").write_bytes(user)
    if system is not None:
        (tmp_path / "prompts" / "system.md").write_bytes(system)
    return tmp_path


def test_rules_about_data_stand_in_every_system_message(tmp_path: Path) -> None:
    prompts = prompts_in(folder(tmp_path), "reader", Task)
    assert prompts.system.startswith("你读新闻。\n\n# 资料的使用规则")
    assert (prompts.agent, prompts.user) == ("reader", "{{news}}")


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match=r"reader/system\.md"):
        prompts_in(folder(tmp_path, system=None), "reader", Task)


def test_empty_system_prompt_is_an_error_in_spite_of_the_rules(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="为空"):
        prompts_in(folder(tmp_path, system=b"\n"), "reader", Task)


def test_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match=r"reader/user\.md.*UnicodeDecodeError"):
        prompts_in(folder(tmp_path, user="{{news}}新".encode("gbk")), "reader", Task)


def test_place_that_the_model_does_not_have_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PromptError) as caught:
        prompts_in(folder(tmp_path, user=b"{{news}} {{price}}"), "reader", Task)
    assert caught.value.details["unknown"] == ["price"]
