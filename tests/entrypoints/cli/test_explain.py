"""`llm-output parse --explain`."""

import json

from src.shared.infrastructure.parsing.inspection import STAGES
from tests.entrypoints.cli.harness import RECORDINGS, Ended, invoke


def _stages(ended: Ended) -> dict[str, str]:
    """Stage → what is said of it first."""
    rows = [
        line.split(None, 2) for line in ended.stderr.splitlines() if line[:2].strip().isdecimal() and line[2] == " "
    ]
    return {name: said for _, name, said in rows}


def _explained(recording: str) -> Ended:
    return invoke("parse", str(RECORDINGS / recording), "--agent", recording.partition("/")[0], "--explain")


def test_every_stage_is_named_in_its_order() -> None:
    assert list(_stages(_explained("technical_analyst/wrapped.txt"))) == [stage.__name__ for stage in STAGES]


def test_what_was_dropped_recognised_and_chosen_is_said_with_its_place() -> None:
    stages = _stages(_explained("technical_analyst/wrapped.txt"))

    assert stages["think"].startswith("dropped 1:1 to 19:8, 526 characters: <think>␊")
    assert stages["fence"].startswith("recognised 22:1 to ")
    assert stages["strict"].startswith("chosen 22:1 to ")


def test_stages_before_the_deciding_one_had_nothing_to_do_and_those_after_were_not_needed() -> None:
    stages = _stages(_explained("technical_analyst/damaged.txt"))

    assert stages["think"] == "nothing to do"
    assert stages["control_chars"].startswith("chosen")
    assert stages["repair"] == "not needed"


def test_hooks_and_dto_are_named() -> None:
    stages = _stages(_explained("financial_auditor/wrapped.txt"))

    assert stages["normalize"] == "ran fill_missing_text, let_score_decide_signal"
    assert stages["validate"] == "satisfies FinancialAuditResultDTO"


def test_each_repair_stands_under_the_stage_that_chose_with_its_text_and_a_caret() -> None:
    lines = invoke("parse", "--explain", text='{"金额": "甲\t乙", b: 1}').stderr.splitlines()

    at = next(number for number, line in enumerate(lines) if line.startswith(" 7 repair"))
    assert [line.rstrip() for line in lines[at + 1 : at + 7]] == [
        "    repaired control_character       1:10  ␉ → \\t",
        '        1 │ {"金额": "甲␉乙", b: 1}',
        "          │             ^",
        '    repaired unquoted_key            1:15  b → "b"',
        '        1 │ {"金额": "甲␉乙", b: 1}',
        "          │                   ^",
    ]


def test_a_long_list_of_repairs_is_cut_and_the_rest_counted() -> None:
    assert "    … and 41 more" in _explained("catalyst_detective/damaged.txt").stderr.splitlines()


def test_a_long_list_of_candidates_is_cut_and_the_rest_counted() -> None:
    text = '{"unrelated": 1} ' * 9 + json.dumps({"action": "BUY"})

    ended = invoke("parse", "--agent", "verdict", "--explain", text=text)

    assert ended.code == 1
    assert "validate" in ended.stderr


def test_without_a_dto_that_is_said() -> None:
    stages = _stages(invoke("parse", "--explain", text='{"a": 1}'))

    assert stages["empty"] == "8 characters"
    assert stages["strict"] == 'chosen 1:1 to 1:8, 8 characters: {"a": 1}'
    assert stages["root"] == "an object"
    assert stages["normalize"] == "no hooks"
    assert stages["validate"] == "no DTO was asked for"


def test_a_failure_shows_how_far_the_text_came_before_it_says_what_is_wrong() -> None:
    ended = invoke("parse", "--explain", text="nothing here")

    stages = _stages(ended)
    assert stages["fence"] == "nothing to do"
    assert stages["extract"] == "failed"
    assert stages["repair"] == "not reached"
    assert ended.stderr.index("validate") < ended.stderr.index("Error: ")


def test_the_result_is_on_stdout_as_ever() -> None:
    assert json.loads(invoke("parse", "--explain", text="{'a': 1}").stdout) == {"a": 1}


def test_call_of_a_tool_is_refused_behind_the_stage_that_finds_fences() -> None:
    ended = invoke("parse", "--explain", text='<think>x</think>\n[TOOL_CALLS]f[ARGS]{"path": "a"}')
    stages = _stages(ended)

    assert list(stages)[2:5] == ["fence", "tool_call", "control_chars"]
    assert stages["tool_call"] == "failed"
    assert stages["control_chars"] == "not reached"
    assert "read_tool_calls" in ended.stderr
