"""The readers of tool calls side by side: what counts as what, and which of them cannot be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS
from tools.attack.notations import KEY, TOOL, TOOLS, VALUE
from tools.benchmarks import tool_call_parsers
from tools.benchmarks.tool_call_parsers import Text, main, outcome
from tools.benchmarks.tool_call_peers import PEERS, Calls, Peer

WHOLE = Text("whole", "Hermes", "<tool_call>", TOOLS, [(TOOL, {KEY: VALUE})])


def reader(found: Calls | None) -> Peer:
    def read(*_: object) -> Calls:
        if found is None:
            raise ValueError
        return found

    return Peer("some", "some", {"Hermes": ""}, read)


@pytest.mark.parametrize(
    ("found", "became"),
    [(WHOLE.calls, "right"), ([(TOOL, {})], "wrong"), ([], "silent"), (None, "refused")],
)
def test_calls_that_are_found_are_right_wrong_or_none(found: Calls | None, became: str) -> None:
    assert outcome(reader(found), WHOLE) == became


def test_reader_is_asked_only_for_notations_that_it_was_made_for() -> None:
    assert outcome(reader([]), WHOLE._replace(notation="GLM")) is None


def test_reader_that_is_not_installed_is_named_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object) -> Calls:
        message = "no module"
        raise ImportError(message)

    monkeypatch.setattr(tool_call_parsers, "PEERS", [PEERS[0], reader([])._replace(read=read)])
    monkeypatch.setattr(tool_call_parsers, "NOTATIONS", NOTATIONS[:1])

    assert main(["--output", str(tmp_path), "--texts", str(tmp_path / "none")]) == 0
    assert "absent: some, needs some: no module" in capsys.readouterr().out
    assert "| ours | 2 | 2 | 0 | 0 | 0 |" in (tmp_path / "tool-call-parsers.md").read_text("utf-8")
