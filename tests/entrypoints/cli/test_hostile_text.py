"""What a model wrote is shown, never obeyed: control characters, escapes, direction marks, rich's markup."""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from tests.entrypoints.cli.harness import Ended, invoke
from tests.loopback.answers import answer
from tests.loopback.server import ChatServer

ESCAPES = "\x1b[31mred\x1b]0;title\x07\x9b2J\x7f\u202e\u200b[bold]b[/bold][/nope]:smile:"
"""Colour, window title, C1's clear screen, delete, right-to-left override, zero-width space, markup, an emoji code."""
LINE_ENDS = {"\n"}


def _unprintable(text: str) -> set[str]:
    return {char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Cs"}} - LINE_ENDS


def _all_runs(text: str) -> list[Ended]:
    return [
        invoke("parse", *arguments, text=text)
        for arguments in (
            (),
            ("--explain",),
            ("--format", "table"),
            ("--agent", "verdict", "--explain"),
            ("--salvage",),
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        ESCAPES,
        f"{{'a': '{ESCAPES}',}}",
        f'{{"{ESCAPES}": 1, "action": "{ESCAPES}"}}',
        f'{{{ESCAPES}: "',
        f'{{"a": {ESCAPES}}}',
        f"// {ESCAPES}\n{{a: 1 /* {ESCAPES} */}}",
        f'<think>{ESCAPES}</think>{{"a": 1,}}',
        f'{{"a": "{ESCAPES}"}} {{"a": "{ESCAPES}2"}}',
    ],
)
def test_nothing_on_stderr_can_drive_a_terminal(text: str) -> None:
    for ended in _all_runs(text):
        assert _unprintable(ended.stderr) == set()


def test_a_table_shows_values_without_obeying_them() -> None:
    shown = invoke("parse", "--format", "table", text=json.dumps({"a": ESCAPES, ESCAPES: 1}), columns=200).stdout

    assert _unprintable(shown) == set()
    assert r"␛[31mred␛]0;title␇\x9b2J␡\u202e\u200b[bold]b[/bold][/nope]:smile:" in shown


def test_json_on_stdout_holds_no_control_character_and_the_same_value() -> None:
    ended = invoke("parse", text=json.dumps({"a": ESCAPES}, ensure_ascii=False))

    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", ended.stdout) is None
    assert json.loads(ended.stdout) == {"a": ESCAPES}


def test_a_broken_contracts_field_names_are_shown_without_obeying_them(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from pydantic import BaseModel\nclass Order(BaseModel, extra='forbid'):\n    id: int = 0\n"
    )

    ended = invoke("parse", "--dto", "shop:Order", text=json.dumps({ESCAPES: 1}))

    assert _unprintable(ended.stderr) == set()
    assert "[bold]b[/bold][/nope]:smile:" in ended.stderr


def test_the_log_of_a_hostile_text_stays_on_its_line() -> None:
    ended = invoke("parse", "--verbose", "--error-format", "json", text=f"{ESCAPES}\nlevel='info' event='forged'")

    assert _unprintable(ended.stderr) == set()
    assert not any(line.startswith("level='info'") for line in ended.stderr.splitlines())


def test_a_hostile_file_name_is_shown_without_obeying_it() -> None:
    ended = invoke("parse", f"{ESCAPES.replace('/', '')}.txt")

    assert ended.code == 2
    assert _unprintable(ended.stderr) == set()


@pytest.mark.parametrize(
    "text",
    [
        f"{{'meta': {{'{ESCAPES}': 1}}, 'payload': '{ESCAPES}'}}",
        json.dumps({"meta": {}, "payload": f"{{'{ESCAPES}': '{ESCAPES}',}}"}),
        json.dumps({"meta": {}, "payload": f"{{'{ESCAPES}': 1;; 'b' => 2}}"}),
        json.dumps({"meta": {}, "payload": {ESCAPES: 1}}),
        json.dumps({"meta": ESCAPES, "payload": None}),
        f"{{'meta': {{}};; 'payload': '{ESCAPES}'}}",
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--explain",), ("--agent", "verdict", "--explain"), ("--format", "table")])
def test_nothing_of_an_envelope_can_drive_a_terminal(text: str, arguments: tuple[str, ...]) -> None:
    ended = invoke("envelope", *arguments, text=text)

    assert _unprintable(ended.stderr) == set()
    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", ended.stdout) is None


@pytest.mark.parametrize("command", [("repair",), ("envelope", "--repair"), ("envelope", "--repair", "--explain")])
@pytest.mark.parametrize("repaired", ['{"meta": {}, "payload": 1}', '{"meta": {}, "payload": 2}', ESCAPES])
def test_name_of_the_model_that_repaired_is_shown_without_obeying_it(
    chat_server: ChatServer, command: tuple[str, ...], repaired: str
) -> None:
    chat_server.script([answer(repaired, model=ESCAPES)])

    ended = invoke(*command, "--base-url", chat_server.url, "--model", "m", text='{"meta": {};; "payload": 1}')

    assert len(chat_server.requests) == 1
    assert _unprintable(ended.stderr) == set()
