"""`llm-output learn`: how models write their outputs, as the summary of a batch says it too."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.cli.batch_reader import data_reader
from src.modules.reparsing.domain.outcome import Traits
from src.modules.reparsing.domain.record import Record
from src.modules.reparsing.infrastructure.traits import MOST_MARKS
from tests.entrypoints.cli.harness import invoke

TEXTS: list[dict[str, Any]] = [
    {"model": "m1", "text": "<think>hm</think>\n```json\n{'a': 1,}\n```", "finish_reason": "stop"},
    {"model": "m1", "text": 'Here: {"a": 1}. Done.'},
    {"model": "m2", "text": '<tool_call>\n{"name": "f", "arguments": {"n": "x"}}\n</tool_call>'},
    {"model": "m2", "text": '<musing>let me see</musing>\n{"a": 1}'},
    {"model": "m2", "text": '<reply>{"a": "<b>x</b> <foo>"}</reply> <lone> <br>'},
    {"text": '{"a": 1'},
    {"text": None},
    {"other": 1},
]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(text) + "\n" for text in TEXTS), encoding="utf-8")
    return path


def test_what_is_told_of_each_model_is_counted(stored: Path) -> None:
    learned = json.loads(invoke("learn", str(stored), "--workers", "2").stdout)
    m2, nameless, _ = learned["models"]

    assert (learned["texts"], learned["unreadable"]) == (7, 1)
    assert (m2["model"], m2["texts"], nameless["model"], nameless["texts"]) == ("m2", 3, None, 2)
    assert [mark["name"] for mark in m2["unknown_marks"]] == ["</musing>", "</reply>", "<lone>", "<musing>", "<reply>"]


def test_agent_of_a_row_names_no_type_here(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "{}", "agent": "nobody"}\n', encoding="utf-8")

    assert json.loads(invoke("learn", str(tmp_path / "a.jsonl")).stdout)["unreadable"] == 0


def traits_of(text: str) -> Traits:
    return data_reader()(Record("f:1", "1", text=text)).traits


@pytest.mark.parametrize(
    ("text", "wrappings"),
    [
        ('{"a": 1}', ("none",)),
        ('```\n{"a": 1}\n```', ("fence",)),
        ('~~~JSON\n{"a": 1}\n~~~', ("fence:json",)),
        ('<answer>{"a": 1}</answer>', ("none",)),
        ('<think>so {"a": 2}</think>{"a": 1}', ("reasoning",)),
        ('So: {"a": 1}', ("prose",)),
        ("no object", ()),
    ],
)
def test_wrapping_is_what_stands_around_the_answer(text: str, wrappings: tuple[str, ...]) -> None:
    assert traits_of(text).get("wrappings", ()) == wrappings


def test_marks_of_a_refused_text_are_told_too() -> None:
    assert traits_of("<|do|> nothing <|/do|>")["unknown_marks"] == ("<|do|>", "<|/do|>")


def test_only_so_many_marks_of_one_text_are_told() -> None:
    marks = [f"<x{at}x>" for at in range(MOST_MARKS + 5)]

    assert traits_of("".join(marks) + '{"a": 1}')["unknown_marks"] == tuple(marks[:MOST_MARKS])
