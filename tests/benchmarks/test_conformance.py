"""The conformance set: its verdicts hold for this project, its page is what the tool writes, any program is asked."""

import sys
from collections import Counter

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from tools.benchmarks.verdict import Refused
from tools.conformance.__main__ import main
from tools.conformance.cases import Case, generate, judge, load, read, written
from tools.conformance.libraries import LIBRARIES
from tools.conformance.page import PAGE, page, results_of
from tools.conformance.run import OUTCOMES, VERDICTS, command_of, count

CASES = load()
BY_ID = {case.id: case for case in CASES}
PROGRAM = """
import json, os, sys, time
print(json.dumps({"version": "1"}), flush=True)
for line in sys.stdin:
    text = json.loads(line)["text"]
    if text == "crash":
        os._exit(1)
    if text == "half":
        print("{", end="", flush=True)
        os._exit(1)
    if text == "hang":
        time.sleep(60)
    print(json.dumps({"refused": "no"} if text == "refuse" else {"value": {"said": text}}), flush=True)
"""


def outcome(case: Case) -> str:
    try:
        return judge(case, read(case.text, case.type))
    except LLMJsonParseError as error:
        return judge(case, Refused(str(error)))


def test_cases_are_of_the_documented_form() -> None:
    assert 400 <= len(CASES) <= 800
    assert len(BY_ID) == len({case.text for case in CASES}) == len(CASES)
    for case in CASES:
        assert case.verdict in VERDICTS, case.id
        assert (len(case.accepted) > 0) == (case.verdict != "none"), case.id
        assert case.verdict != "several" or len(case.accepted) > 1, case.id
        JsonSchema(case.type or {})  # it is one


def test_each_verdict_holds_for_this_project() -> None:
    outcomes = {case.id: outcome(case) for case in CASES}
    wanted = {"one": "right", "several": "refused", "none": "right"}
    assert {name: found for name, found in outcomes.items() if found != wanted[BY_ID[name].verdict]} == {}


def test_set_is_made_of_the_tables_and_corpora() -> None:
    made = generate()
    assert 400 <= len(made) <= 800
    assert set(Counter(case.verdict for case in made)) == set(VERDICTS)
    assert len(written(made).splitlines()) == len(made)


def test_page_is_what_the_tool_writes() -> None:
    shown = PAGE.read_text(encoding="utf-8")
    results = results_of(shown)
    assert page(CASES, results) == shown
    assert [one.name for one in results] == [name for name in LIBRARIES if any(name == one.name for one in results)]
    assert len(results) >= 10
    totals = tuple(sum(case.verdict == verdict for case in CASES) for verdict in VERDICTS)
    assert all(tuple(map(sum, one.numbers)) == totals for one in results)


def test_own_row_of_the_page_is_what_the_parser_does_today() -> None:
    found = Counter((case.verdict, outcome(case)) for case in CASES)
    own = results_of(PAGE.read_text(encoding="utf-8"))[0]
    assert own.numbers == tuple(tuple(found[verdict, one] for one in OUTCOMES) for verdict in VERDICTS)


CASE = Case("a", "", "right", None, "one", [{"said": "right"}])


@pytest.mark.parametrize(
    ("text", "verdict", "found"),
    [
        ("right", "one", "right"),
        ("other", "one", "wrong"),
        ("refuse", "one", "refused"),
        ("refuse", "none", "right"),
        ("crash", "one", "crashed"),
        ("half", "one", "crashed"),
        ("hang", "one", "hung"),
    ],
)
def test_any_program_can_be_asked(text: str, verdict: str, found: str) -> None:
    asked = [CASE, CASE._replace(text=text, verdict=verdict), CASE]
    counts = count("yours", [sys.executable, "-c", PROGRAM], asked, seconds=1.0)
    total = Counter({outcome: sum(row[at] for row in counts.numbers) for at, outcome in enumerate(OUTCOMES)})
    assert counts.version == "1"
    assert total == Counter({"right": 2}) + Counter({found: 1})


@pytest.mark.parametrize("command", [[sys.executable, "-c", ""], ["/no/such/program"]])
def test_program_that_does_not_start_is_told(command: list[str]) -> None:
    with pytest.raises(RuntimeError, match="did not start"):
        count("yours", command, [CASE])


def test_libraries_are_asked_in_a_process_of_their_own() -> None:
    counts = count("json", command_of("json"), [BY_ID["strings_and_roots-0"], CASE])
    assert sum(map(sum, counts.numbers)) == 2


def test_library_that_is_not_there_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--library", "jsonmend"]) == 0
    assert "left out" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["", None, 3])
def test_value_that_is_no_container_is_a_refusal(value: object) -> None:
    assert judge(CASE, value) == "refused"
    assert judge(CASE, [value]) == "wrong"
