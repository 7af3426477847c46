"""`llm-output parse --keep`, `--accept` and `--timeout`."""

import json

import pytest
from pydantic import BaseModel

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import invoke


class Order(BaseModel):
    """What `--dto` asks for here."""

    item: str
    count: int = 1


class Orders(BaseModel):
    """A list of it in a field."""

    orders: list[Order]


DTO = ("--dto", f"{__name__}:Orders")
SOME = '{"orders": [{"item": "tea"}, {"item": 5}, {"item": "mate"}]}'


def test_good_elements_go_to_stdout_and_the_others_to_stderr() -> None:
    ended = invoke("parse", *DTO, "--keep", "good", text=SOME)

    assert [order["item"] for order in json.loads(ended.stdout)["orders"]] == ["tea", "mate"]
    assert ended.stderr.startswith("left out $.orders[1]  1:30  ")
    assert ended.code == ExitCode.OK


def test_trace_as_json_has_what_is_left_out_and_the_grade() -> None:
    ended = invoke("parse", *DTO, "--keep", "good", "--trace", "json", text=SOME)

    trace = json.loads(ended.stderr)
    assert (trace["grade"], [part["path"] for part in trace["left_out"]]) == ("clean", ["$.orders[1]"])
    assert trace["left_out"][0]["text"] == '{"item": 5}'


def test_explanation_ends_with_the_grade() -> None:
    ended = invoke("parse", *DTO, "--explain", text="{'orders': []}")
    assert ended.stderr.splitlines()[-1] == "grade  lossless"


def test_result_that_is_less_sure_is_refused() -> None:
    ended = invoke("parse", *DTO, "--accept", "wrapped", text="{'orders': []}")
    assert (ended.stdout, ended.code) == ("", ExitCode.PARSE_ERROR)
    assert "single_quote" in ended.stderr


def test_explanation_shows_the_refusal_behind_all_stages() -> None:
    ended = invoke("parse", *DTO, "--accept", "wrapped", "--explain", text="{'orders': []}")
    rows = [line.split() for line in ended.stderr.splitlines()]
    assert next(row for row in rows if row[1:2] == ["accept"])[2] == "failed"


def test_text_that_takes_longer_than_its_time_is_refused() -> None:
    hard = "[" + '{"a": "x "y" z", "b": 1, "c": 2},' * 2_000 + "]"
    ended = invoke("parse", *DTO, "--timeout", "0.001", text=hard)
    assert ended.code == ExitCode.PARSE_ERROR
    assert "0.001" in ended.stderr


@pytest.mark.parametrize("option", [("--keep", "good"), ("--accept", "read"), ("--timeout", "1")])
def test_limits_need_a_type(option: tuple[str, str]) -> None:
    ended = invoke("parse", *option, text="{}")
    assert ended.code == ExitCode.USAGE
    assert f"{option[0]} must go with --agent, --dto or --schema" in ended.stderr
