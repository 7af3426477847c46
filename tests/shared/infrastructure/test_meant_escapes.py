r"""Escapes that may be LaTeX or a path are noted with what they may have been, and read so only where asked."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, RootModel, TypeAdapter
from typing_extensions import TypedDict

from src.shared.domain.coercion.coercion import Coercion, CoercionKind
from src.shared.domain.coercion.lenient import coercing
from src.shared.domain.read_as import ReadAs, reading_as
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.parsing import meant_escapes
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.parsing.meant_escapes import with_fields


class Answer(BaseModel):
    a: str
    b: list[str] = []


Latex = Annotated[str, ReadAs(escapes="latex")]
Path = Annotated[str, ReadAs(escapes="path")]


class Node(TypedDict):
    path: Path
    inner: "list[Node]"


class Marked(BaseModel):
    formula: Latex = ""
    paths: Annotated[list[str], ReadAs(escapes="path")] = []
    by_name: dict[str, Path] = {}
    pair: tuple[str, Latex] = ("", "")
    maybe: Latex | None = None
    plain: str = ""
    node: Node | None = None


def test_fields_are_read_as_they_say_and_others_as_json() -> None:
    raw = (
        r'{"formula": "\frac \to", "paths": ["x\new"], "by_name": {"a": "\t"}, "pair": ["\times", "\times"],'
        r' "maybe": "\beta", "plain": "\frac", "node": {"path": "\n", "inner": [{"path": "a\t", "inner": []}]}}'
    )
    parsed = parse_llm_json_output_with_trace(raw, Marked)

    assert parsed.value == Marked(
        formula=r"\frac \to",
        paths=[r"x\new"],
        by_name={"a": r"\t"},
        pair=("\times", r"\times"),
        maybe=r"\beta",
        plain="\frac".replace("\f", "\x0c"),
        node={"path": r"\n", "inner": [{"path": r"a\t", "inner": []}]},
    )
    assert {one.kind for one in parsed.decoded.coercions} == {CoercionKind.ESCAPE}
    assert [(one.path, one.before, one.after) for one in parsed.decoded.coercions][:2] == [
        ("$.formula", "\x0crac \to", r"\frac \to"),
        ("$.paths[0]", "x\new", r"x\new"),
    ]
    assert (
        parse_llm_json_output(raw, Marked, coerce=True) == parsed.value == parse_llm_json_output(raw, coercing(Marked))
    )


@pytest.mark.parametrize(
    "raw", [r'{"formula": "\\frac", "pair": [], "node": []}', r'{"formula": 1}', r'{"by_name": {"\n": 1}}']
)
def test_fields_that_are_something_else_are_for_the_type_to_judge(raw: str) -> None:
    state = inspect(raw, Marked)

    assert state.data == decode_llm_json(raw).data


@pytest.mark.parametrize(("name", "value"), [("escapes", "tex"), ("run_together", "merge")])
def test_other_words_are_a_mistake_of_the_program(name: str, value: str) -> None:
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=f"{name} must be one of .*, not '{value}'"):
        parse_llm_json_output("{}", Answer, **wrong)


def test_a_types_own_way_is_read_through_another_mark() -> None:
    both = reading_as(reading_as(Answer, escapes="latex"), unwrap=True)

    assert parse_llm_json_output(r'{"output": {"a": "\frac"}}', both).a == r"\frac"


@pytest.mark.parametrize("dto_type", [reading_as(Answer, escapes="path"), Marked])
def test_stream_shows_nothing_behind_a_backslash_that_may_be_one(dto_type: Any) -> None:  # noqa: ANN401 - any type
    stream: LLMJsonStream[Any] = LLMJsonStream(dto_type)
    raw = r'{"plain": "x", "a": "C:\temp"}'
    for char in raw:
        stream.feed(char)

    assert "\t" not in str(stream.snapshot.data)
    assert stream.snapshot.state == "unsure"
    assert stream.close() == parse_llm_json_output(raw, dto_type)


def test_text_that_cannot_be_decoded_again_stays_as_json_says(monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr(meant_escapes, "decode_at", deep)

    assert parse_llm_json_output(r'{"a": "\frac"}', Answer, escapes="latex").a == "\x0crac"


class File(BaseModel):
    path: Path


def test_json_in_a_string_is_not_read_otherwise() -> None:
    raw = r'"{\n\"path\": \"x\"}"'

    assert parse_llm_json_output(raw, File).path == "x"


class Itself(RootModel["dict[str, Path] | Itself"]):
    pass


Itself.model_rebuild()


def test_type_that_is_one_of_its_own_choices_is_gone_through_once() -> None:
    """Pydantic makes such a type, and cannot validate with it."""
    taken: list[Coercion] = []
    schema = TypeAdapter(Itself).core_schema

    assert with_fields(schema, {"a": "x\new"}, {"path": {"a": r"x\new"}}, taken) == {"a": r"x\new"}
    assert [one.path for one in taken] == ["$.a"]
