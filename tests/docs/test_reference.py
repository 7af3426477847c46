"""The reference's tables are those of the code, and their examples do what they say."""

import ast
import importlib
import json
import re
from datetime import date
from enum import Enum
from typing import Annotated, Any, get_args

import pytest
from pydantic import create_model

from src.shared.domain.coercion.coercion import CoercionKind
from src.shared.domain.coercion.lenient import Percent
from src.shared.domain.edits import FOUND_LIMIT
from src.shared.domain.exceptions import FEEDBACK_LIMIT, LLMJsonParseError
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.ports.events import Event
from src.shared.domain.read_as import ReadAs
from src.shared.domain.repair import RepairKind
from src.shared.domain.repair_rate import ALARM_ABOVE, MINIMUM, WARNING_AT, WINDOW
from src.shared.infrastructure.events import otel_setting as otel_names
from src.shared.infrastructure.events.library_log import DEFAULT_EXCERPT
from src.shared.infrastructure.llm_json import DecodedJson, decode_llm_json, parse_llm_json_output_with_trace
from src.shared.infrastructure.parsing import parse_errors
from src.shared.infrastructure.parsing.inspection import STAGES
from tests.docs.markdown import ROOT, code_in
from tests.docs.pages import PAGES, name_in, rows

PAGE_NAMES = ("bounds", "coercions", "errors", "log-events", "pipeline", "repairs")
REFERENCE = {name: PAGES[f"docs/reference/{name}.md"] for name in PAGE_NAMES}
INFRASTRUCTURE_ROOT = ROOT / "src/shared/infrastructure"
DOMAIN = ROOT / "src/shared/domain"
BESIDE_READING = [DOMAIN / f"{name}.py" for name in ("edits", "strict_json", "work")]
READING = sorted((DOMAIN / "reading").rglob("*.py"))
PARSER = [*sorted(INFRASTRUCTURE_ROOT.rglob("*.py")), *READING, *BESIDE_READING]


def test_stage_table_states_the_order_of_the_pipeline() -> None:
    table = rows(REFERENCE["pipeline"], "#")
    assert [name_in(row[1]) for row in table] == [stage.__name__ for stage in STAGES]
    assert [row[0] for row in table] == [str(number) for number in range(1, len(STAGES) + 1)]
    assert all(all(row) and len(row) == len(table[0]) for row in table)


# --- coercions --------------------------------------------------------------------------------------------

COERCED = rows(REFERENCE["coercions"], "kind")


class Rating(Enum):
    BUY_NOW = "buy_now"
    FAIR = "合理"


COERCED_TYPES: dict[str, Any] = {
    "float": float,
    "Percent": Percent,
    "date": date,
    "bool": bool,
    "Rating": Rating,
    "list[str]": list[str],
    "Optional[float]": float | None,
    "int": int,
    "Line": create_model("Line", unit_price=(int, ...)),
    "Latex": Annotated[str, ReadAs(escapes="latex")],
}


def test_table_of_coercions_has_every_kind() -> None:
    assert [name_in(row[0]) for row in COERCED] == [kind.value for kind in CoercionKind]


@pytest.mark.parametrize("row", COERCED, ids=[row[0] for row in COERCED])
def test_example_of_a_coercion_is_read_as_it_says(row: list[str]) -> None:
    kind, type_name, written, read = map(name_in, row)
    kind_of_value: Any = COERCED_TYPES[type_name]
    model = create_model("M", value=(kind_of_value, ...))
    answer = f'{{"value": {written}}}'
    raw = f'{{"output": {answer}}}' if kind == "wrapper" else answer
    parsed = parse_llm_json_output_with_trace(raw, model, coerce=True, unwrap=kind == "wrapper")

    assert [(one.kind.value, one.after) for one in parsed.decoded.coercions] == [(kind, json.loads(read))]


# --- repairs ----------------------------------------------------------------------------------------------

READ = rows(REFERENCE["repairs"], "kind")
SALVAGED = rows(REFERENCE["repairs"], "kind, salvage only")
NOT_READ_YET = REFERENCE["repairs"].table("kind, not read yet")  # none, unless a kind is named before it is read


def kinds_of(decoded: DecodedJson[Any]) -> set[str]:
    return {repair.kind.value for repair in decoded.repairs}


def is_refused(raw: str) -> bool:
    try:
        decode_llm_json(raw)
    except LLMJsonParseError:
        return True
    return False


def test_every_repair_kind_is_described_once() -> None:
    described = [name_in(row[0]) for row in [*READ, *SALVAGED, *NOT_READ_YET]]
    assert sorted(described) == sorted(kind.value for kind in RepairKind)


@pytest.mark.parametrize("row", [*READ, *SALVAGED], ids=lambda row: row[0])
def test_example_of_a_repair_gives_that_repair_and_that_value(row: list[str]) -> None:
    kind, _, written, read_as = row
    decoded = decode_llm_json(name_in(written), salvage=row in SALVAGED)
    assert json.dumps(decoded.data) == json.dumps(json.loads(name_in(read_as)))
    assert name_in(kind) in kinds_of(decoded)


@pytest.mark.parametrize("row", SALVAGED, ids=lambda row: row[0])
def test_example_of_salvage_is_refused_without_it(row: list[str]) -> None:
    assert is_refused(name_in(row[2]))


def test_kinds_said_not_to_be_read_yet_are_refused() -> None:
    """When this fails a kind has come: move its row to the table of kinds."""
    assert [row[0] for row in NOT_READ_YET if not is_refused(name_in(row[2]))] == []


@pytest.mark.parametrize("row", rows(REFERENCE["repairs"], "a string that is"), ids=lambda row: row[0])
def test_example_of_backslashes_is_read_as_the_table_says(row: list[str]) -> None:
    *_, written, read_as = row
    if read_as == "refused":
        assert is_refused(name_in(written))
    else:
        assert decode_llm_json(name_in(written)).data == json.loads(name_in(read_as))


# --- errors -----------------------------------------------------------------------------------------------


def details_keys_in(code: str) -> set[str]:
    """What goes into `details`: keywords of the two functions that make an error, and the facts it starts with."""
    keys: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"parse_error", "not_json"}
        ):
            keys.update(keyword.arg for keyword in node.keywords if keyword.arg)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "details.setdefault":
            keys.add(ast.literal_eval(node.args[0]))
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "facts"
            and isinstance(node.value, ast.Dict)
        ):
            keys.update(ast.literal_eval(key) for key in node.value.keys if key)
    return keys


def test_table_of_details_has_the_keys_the_parser_produces() -> None:
    described = [name_in(row[0]) for row in rows(REFERENCE["errors"], "key")]
    produced = set[str]().union(*(details_keys_in(path.read_text(encoding="utf-8")) for path in PARSER))
    assert {"stage", "raw_length", "json_error"} < produced
    assert sorted(described) == sorted(produced)


NOT_JSON = "不是合法 JSON："
REASONS = rows(REFERENCE["errors"], "reason")
MESSAGES = [*rows(REFERENCE["errors"], "message"), *([NOT_JSON + row[0], *row[1:]] for row in REASONS)]


def reasons_in_use() -> dict[str, Reason]:
    """Every `Reason` the parser names anywhere but in its own definition."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in PARSER)
    modules = [importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in PARSER]
    constants: dict[str, Any] = {name: value for module in modules for name, value in vars(module).items()}
    return {
        name: value
        for name, value in constants.items()
        if isinstance(value, Reason) and len(re.findall(rf"\b{name}\b", code)) > 1
    }


def test_table_of_messages_has_every_reason_in_both_languages() -> None:
    described = {(row[0], row[1]) for row in REASONS}
    assert described == {(reason.zh, reason.en) for reason in reasons_in_use().values()}


@pytest.mark.parametrize("row", [row for row in MESSAGES if code_in(row[3])], ids=lambda row: row[1])
def test_example_of_a_message_gives_that_message_at_that_stage(row: list[str]) -> None:
    message, english, stages, example, place = row
    with pytest.raises(LLMJsonParseError) as caught:
        decode_llm_json(name_in(example))
    assert caught.value.message.startswith(message)
    assert english in caught.value.message
    assert caught.value.details["stage"] in (code_in(stages) or ["repair"])
    position = caught.value.details.get("position")
    assert place == (f"{position['line']}:{position['column']}" if position else "")


BESIDE = [
    part.splitlines() for part in (ROOT / "tests/docs/beside_errors.txt").read_text(encoding="utf-8").split("\n\n")
]
"""An English message of the table, and a text like its example that is read."""


@pytest.mark.parametrize(("english", "written"), BESIDE, ids=[english for english, _ in BESIDE])
def test_text_beside_the_example_of_a_message_is_read(english: str, written: str) -> None:
    assert english in [row[1] for row in MESSAGES]
    assert not is_refused(name_in(written))


# --- log events and bounds ----------------------------------------------------------------------------------


def test_table_of_log_events_names_the_events_that_are_written() -> None:
    code = (ROOT / "src/shared/infrastructure/events/library_log.py").read_text(encoding="utf-8")
    written = set(re.findall(r'"(llm_json_\w+)",', code))
    assert written
    assert {name_in(row[0]) for row in rows(REFERENCE["log-events"], "event")} == written


def test_table_of_published_events_names_the_events_that_are_written() -> None:
    parsers_own = "library_log.py"
    files = [
        path for path in sorted((ROOT / "src/shared/infrastructure/events").glob("*.py")) if path.name != parsers_own
    ]
    written = {name for path in files for name in re.findall(r'"(llm_\w+)",', path.read_text(encoding="utf-8"))}
    assert {name_in(row[0]) for row in rows(REFERENCE["log-events"], "published event")} == written


def test_table_of_call_events_names_the_events_that_are_written() -> None:
    files = ("events/log.py", "llm/transport.py")
    code = "".join((ROOT / "src/shared/infrastructure" / file).read_text(encoding="utf-8") for file in files)
    written = set(re.findall(r'write\("\w+", "((?!llm_repair_)[^"]+)"', code))
    assert {name_in(row[0]) for row in rows(REFERENCE["log-events"], "event of a call")} == written


OURS = {"PARSES", "REPAIRS", "ASKED"}


def test_table_of_metrics_names_the_metrics_there_are() -> None:
    metrics = {value for name, value in vars(otel_names).items() if name in OURS or name.startswith("CLIENT_")}
    assert {name_in(row[0]) for row in rows(REFERENCE["log-events"], "metric")} == metrics


def test_table_of_events_of_the_stream_names_those_there_are() -> None:
    assert [name_in(row[0]) for row in rows(REFERENCE["log-events"], "event of the stream")] == [
        kind.__name__ for kind in get_args(Event)
    ]


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("errors", f"cut to {parse_errors.SUMMARY_LIMIT} characters"),
        ("errors", f"at most {parse_errors.VALIDATION_ERRORS_LIMIT} problems"),
        ("errors", f"under {FEEDBACK_LIMIT:,} characters"),
        ("log-events", f"at most {DEFAULT_EXCERPT} characters"),
        ("log-events", f"among the last {WINDOW} texts of an agent"),
        ("log-events", f"From {WARNING_AT * 100:.0f} %"),
        ("log-events", f"above {ALARM_ABOVE * 100:.0f} %"),
        ("log-events", f"below {MINIMUM} outputs"),
        ("repairs", f"cut to {FOUND_LIMIT} characters"),
    ],
)
def test_bound_in_the_reference_is_that_of_the_code(page: str, sentence: str) -> None:
    assert sentence in "\n".join(REFERENCE[page].prose)


HOMES_OF_BOUNDS = {"reparsing": "src.modules", "domain": "src.shared", "reading": "src.shared.domain"}
"""Where the modules are that these names begin; all others are in the infrastructure."""
CONSTANTS, LIMITS, UNLISTED, _ = (
    part.split() for part in (ROOT / "tests/docs/bounds.txt").read_text(encoding="utf-8").split("\n\n")
)
"""The constants of the rows of the page, in its order: those of the parser, and of all else; the others; a batch's."""
BOUNDS = [*zip(CONSTANTS, rows(REFERENCE["bounds"], "bound"), strict=True)]


@pytest.mark.parametrize(("constant", "row"), BOUNDS, ids=CONSTANTS)
def test_bound_in_the_table_of_bounds_is_that_of_the_code(constant: str, row: list[str]) -> None:
    assert row[1] == f"{value_of(constant):,}"


def value_of(constant: str) -> int:
    module, name = constant.rsplit(".", 1)
    package = HOMES_OF_BOUNDS.get(module.split(".", 1)[0], "src.shared.infrastructure")
    value: int = getattr(importlib.import_module(f"{package}.{module}"), name)
    return value


@pytest.mark.parametrize("constant", UNLISTED)
def test_bound_that_has_no_row_is_one_of_the_code(constant: str) -> None:
    assert value_of(constant) > 0
    assert constant not in CONSTANTS


def test_every_bound_of_the_reader_has_a_row_or_is_listed_beside_the_page() -> None:
    """A bound is a number that a module of the parser names in capitals; prices of work and settings are not bounds."""
    others = re.compile(
        r"STEP|\w*ATTEMPT|SCANS|\w+_COST|FIRST_WINDOW|WINDOW_GROWTH|DEFAULT_EXCERPT|OWNER_ONLY|IS_SOUND"
    )
    homes = dict.fromkeys(READING, DOMAIN) | dict.fromkeys(BESIDE_READING, DOMAIN.parent)
    for path in (*homes, *INFRASTRUCTURE_ROOT.glob("*.py")):
        home = homes.get(path, INFRASTRUCTURE_ROOT)
        name = ".".join(path.relative_to(home).with_suffix("").parts)
        module = importlib.import_module(".".join((*home.relative_to(ROOT).parts, name)))
        for constant in re.findall(r"^([A-Z][A-Z_]+) = ", path.read_text(encoding="utf-8"), re.MULTILINE):
            if isinstance(getattr(module, constant), int) and not others.fullmatch(constant):
                assert f"{name}.{constant}" in (*CONSTANTS, *UNLISTED)


@pytest.mark.parametrize(
    ("constant", "row"), [*zip(LIMITS, rows(REFERENCE["bounds"], "limit"), strict=True)], ids=LIMITS
)
def test_limit_is_that_of_the_code(constant: str, row: list[str]) -> None:
    module, name = constant.rsplit(".", 1)
    assert row[1] == f"{getattr(importlib.import_module(f'src.{module}'), name):,}"
