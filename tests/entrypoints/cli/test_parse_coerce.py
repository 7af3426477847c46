"""`llm-output parse --coerce`: values in another spelling, told on stderr, or refused with the reason."""

import json
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import CLEAN_VERDICT, invoke


class Order(BaseModel):
    """What `--dto` asks for here."""

    revenue: float
    share: Annotated[float, Field(ge=0, le=1)] = 0.0
    notes: list[str] = []


DTO = ("--dto", f"{__name__}:Order")


def test_the_value_goes_to_stdout_and_what_was_changed_to_stderr() -> None:
    ended = invoke("parse", *DTO, "--coerce", text='{"revenue": "1.2亿", "share": "5%"}')

    assert json.loads(ended.stdout) == {"revenue": 1.2e8, "share": 0.05, "notes": []}
    assert [line.split() for line in ended.stderr.splitlines()] == [
        ["coerced", "magnitude", "$.revenue", '"1.2亿"', "→", "120000000.0"],
        ["coerced", "percent", "$.share", '"5%"', "→", "0.05"],
    ]


def test_quiet_says_nothing_of_it() -> None:
    assert invoke("parse", *DTO, "--coerce", "--quiet", text='{"revenue": "1.2亿"}').stderr == ""


def test_a_doubt_is_an_error_with_its_place() -> None:
    ended = invoke("parse", *DTO, "--coerce", text='{"revenue": "1,234"}')

    assert (ended.code, ended.stdout) == (ExitCode.PARSE_ERROR, "")
    assert "can be read as 1.234 or as 1234" in ended.stderr
    assert "(<stdin>:1:13)" in ended.stderr


def test_the_trace_for_programs_has_before_and_after() -> None:
    ended = invoke("parse", *DTO, "--coerce", "--trace", "json", text='{"revenue": "1.2亿"}')

    (one,) = json.loads(ended.stderr)["coercions"]
    assert one == {"kind": "magnitude", "path": "$.revenue", "before": "1.2亿", "after": 1.2e8}


def test_a_value_that_turns_the_writing_is_shown_as_escapes() -> None:
    ended = invoke("parse", *DTO, "--coerce", text='{"revenue": 1, "notes": "\u202ea\x1b[31m"}')

    assert "\u202e" not in ended.stderr
    assert "\x1b" not in ended.stderr


def test_an_agent_may_coerce_as_well() -> None:
    clean = invoke("parse", CLEAN_VERDICT, "--agent", "verdict")
    coerced = invoke("parse", CLEAN_VERDICT, "--agent", "verdict", "--coerce")

    assert (coerced.code, coerced.stdout) == (0, clean.stdout)


@pytest.mark.parametrize("options", [[], ["--schema", "any.json"]])
def test_without_a_type_that_says_what_a_value_means_it_is_a_usage_error(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "any.json").write_text('{"type": "object"}', encoding="utf-8")
    given = [option.replace("any.json", str(tmp_path / "any.json")) for option in options]
    ended = invoke("parse", *given, "--coerce", text='{"a": 1}')

    assert ended.code == ExitCode.USAGE
    assert "--coerce needs --agent or --dto" in ended.stderr
