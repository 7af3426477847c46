"""What a model wrote back of its prompt, and what only looks like it; more rows stand in tests/tables/answers.toml."""

import json
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, PlainValidator, create_model, model_validator

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.prompt import with_json_requirement
from src.shared.domain.type_description import describe_type
from src.shared.infrastructure.llm_json import parse_llm_json_output


def fields(**types: Any) -> type[BaseModel]:  # noqa: ANN401 - what a field is
    """A model with these fields; each is required unless it is given with its default."""
    given: dict[str, Any] = {name: one if isinstance(one, tuple) else (one, ...) for name, one in types.items()}
    made: type[BaseModel] = create_model("Made", **given)
    return made


class Verdict(BaseModel):
    rating: Literal["BUY", "HOLD", "SELL"]
    price: float = Field(description="the target price in dollars")


@dataclass
class Note:
    title: str
    currency: str = "USD"


@dataclass(slots=True)
class Slotted:
    title: str


class Mood(Enum):
    GOOD = "good"
    UNKNOWN = "unknown"

    @classmethod
    def _missing_(cls, _: object) -> "Mood":
        return cls.UNKNOWN


OR_A = BeforeValidator(lambda value: value if value == "B" else "A")
QUESTION = Field(description="The question that was asked.")
VALUES: list[tuple[str, Any]] = [
    ('{"type": "string"}', fields(type=str)),
    ('{"answer": "string"}', fields(answer=str)),
    ('{"input_type": "string", "output_type": "string"}', fields(input_type=str, output_type=str)),
    ('{"tags": ["string"]}', fields(tags=list[str])),
    ('{"tags": ["string", "array"]}', fields(tags=list[str])),
    ('{"html": "<html>"}', fields(html=str)),
    ('{"html": "<div>"}', fields(html=str)),
    ('{"tag": "<b>"}', fields(tag=str)),
    ('{"body": "<p>Hello</p>"}', fields(body=str)),
    ('{"template": "{{name}}"}', fields(template=str)),
    ('{"template": "Hello {{name}}"}', fields(template=str)),
    ('{"reply": "..."}', fields(reply=str)),
    ('{"title": "Your Name"}', fields(title=str)),
    ('{"song": "Your Song"}', fields(song=str)),
    ('{"song": "Enter Sandman"}', fields(song=str)),
    ('{"title": "string"}', fields(title=str)),
    ('{"title": "Your title", "summary": "string"}', fields(title=str, summary=str)),
    ('{"title": "...", "pages": null}', fields(title=str, pages=int | None)),
    ('{"title": "Your Journey Starts Here"}', fields(title=str)),
    ('{"task": "Write the task", "why": "put the why in"}', fields(task=str, why=str)),
    ('{"rating": "YOUR_RATING", "why": "your why"}', fields(rating=str, why=str)),
    ('{"caption": "[the door opens]"}', fields(caption=str)),
    ('{"token": "<|endoftext|>"}', fields(token=str)),
    ('{"answer": "{a, b}"}', fields(answer=str)),
    ('{"answer": "<a, b>"}', fields(answer=str)),
    ('{"answer": "{x | x is even}"}', fields(answer=str)),
    ('{"name": "{{ user.name }}"}', fields(name=str)),
    ('{"path": "a/b"}', fields(path=str | None)),
    ('{"name": "Your Name"}', fields(name=str)),
    ('{"label": "Name", "placeholder": "Enter your name here"}', fields(label=str, placeholder=str)),
    ('{"placeholder": "Enter your name here"}', fields(placeholder=str)),
    ('{"step": "Add the flour here."}', fields(step=str)),
    ('{"steps": ["Add salt.", "Put it here."]}', fields(steps=list[str])),
    ('{"properties": {"a": {"type": "string"}}}', fields(properties=dict[str, Any])),
    ('{"columns": {"name": "string", "age": "integer"}}', fields(columns=dict[str, str])),
    ('{"anything": "string"}', fields(anything=Any)),
    ('{"rating": "", "why": ""}', fields(rating=str, why=str)),
    ('{"rating": null}', fields(rating=(str | None, None))),
    ('{"rating": "BUY", "why": "string"}', fields(rating=str, why=str)),
    ('{"rating": "BUY", "why": "<why>"}', fields(rating=str, why=str)),
    ('{"kind": "string"}', fields(kind=Literal["string", "number"])),
    ('{"unit": "string"}', fields(unit=(str, "string"))),
    ('{"unit": "string"}', fields(unit=(str, Field(examples=["string"])))),
    ('{"regex": "[a-z]"}', fields(regex=str)),
    ('{"link": "[text](http://x)"}', fields(link=str)),
    ('{"note": "[redacted]"}', fields(note=str)),
    ('{"note": "{}"}', fields(note=str)),
    ('{"where": "right here"}', fields(where=str)),
    ('{"colour": "red|blue"}', fields(colour=str)),
    ('{"sender": "<Bob>"}', fields(sender=str)),
    ('{"name": "string", "length": 4}', fields(name=str, length=int)),
    ('{"question": "number", "answer": "string"}', fields(question=str, answer=str)),
    ('{"string": "string"}', fields(string=str)),
    ('{"rating": "number"}', fields(rating=str)),
    ('{"x": "string (a cord)"}', fields(x=str)),
    ('{"x": "String theory"}', fields(x=str)),
    ('{"city": "New York"}', fields(city=(str, Field(description="New York")))),
    ('{"why": "' + "<why>" * 100 + '"}', fields(why=str)),
    ('[{"name": "a"}, {"name": "b"}]', list[fields(name=str)]),  # type: ignore[misc]  # made here
    ("[]", list[fields(name=str)]),  # type: ignore[misc]  # made here
    ('{"title": "Emma"}', Note),
    ('{"title": "Emma"}', Slotted),
    ('{"task": "Add task"}', fields(task=str)),
    ('{"tool": "write_file"}', fields(tool=str)),
    ('{"file": "write_file"}', fields(file=str)),
    ('{"event": "add_event"}', fields(event=str)),
    ('{"method": "PUT method"}', fields(method=str)),
    ('{"keys": ["<Enter>"]}', fields(keys=list[str])),
    ('{"action": "[Add]"}', fields(action=str)),
    ('{"label": "[Add to cart]"}', fields(label=str)),
    ('{"cta": "[Click here]"}', fields(cta=str)),
    ('{"text": "[no text]"}', fields(text=str)),
    ('{"citation": "[citation needed]"}', fields(citation=str)),
    ('{"permission": "{write}"}', fields(permission=str)),
    ('{"masked_name": "[NAME]"}', fields(masked_name=str)),
    ('{"name": "买入"}', fields(name=(str, Field(description="买入")))),
    ('{"of": null, "title": "Emma"}', fields(of=str | None, title=(str | None, None))),
    ('{"of": null, "title": null}', fields(of=str | None, title=(str | None, None))),
    ('{"a": {"b": {"name": "Emma"}}}', fields(a=fields(b=fields(name=str)))),
    ('{"when": "2026-01-01", "what": "x"}', fields(when=(Any, ...), what=str)),
    ('{"a": {"kind": "b"}, "of": null}', fields(a=fields(kind=Literal["b", "c"]), of=str | None)),
    ('{"a": {"n": 0}, "title": null}', fields(a=fields(n=int), title=str | None)),
]
TEMPLATES: list[tuple[str, Any]] = [
    ('{"rating": "BUY" | "HOLD" | "SELL", // what to do\n "price": number}', Verdict),
    ('{"rating": "<rating>", "price": 0}', fields(rating=str, price=float)),
    ('{"rating": "[Your rating]"}', fields(rating=str)),
    ('{"thoughts": "<your reasoning>"}', fields(thoughts=str)),
    ('{"reasoning": "your reasoning here"}', fields(reasoning=str)),
    ('{"rating": "<string>", "n": "<int>"}', fields(rating=str, n=int)),
    ('{"tags": "list of strings", "title": "string"}', fields(tags=list[str], title=str)),
    ('{"a": {"title": "string"}, "why": "string"}', fields(a=fields(title=str), why=str)),
    ('{"q": "The question that was asked"}', fields(q=(str, QUESTION))),
    ('{"q": "<The question that was asked>"}', fields(q=(str, QUESTION))),
    ('{"评级": "<评级>"}', fields(评级=str)),
    ('{"finalRating": "<finalRating>"}', fields(finalRating=str)),
    ('[{"title": "string", "pages": "number"}]', list[fields(title=str, pages=int)]),  # type: ignore[misc]  # made here
    ('{"a": {"b": {"name": "<name>"}}}', fields(a=fields(b=fields(name=str)))),
    ('{"of": null, "title": "<title>"}', fields(of=str | None, title=(str | None, None))),
    ('{"from": "string", "to": "string"}', fields(**{"from": str, "to": str})),
    ('{"name": "string", "type": "string", "unit": "..."}', fields(name=str, type=str, unit=str)),
    ('{"title": "Some title here"}', fields(title=str)),
    ("{'title': 'string', 'why': 'string',}", fields(title=str, why=str)),
    ('{"title": "<title>", "n": <integer 1-5>, "why": "..."}', fields(title=str, n=int, why=str)),
    ('{"title": "string", "tags": ["string", ...]}', fields(title=str, tags=list[str])),
    ('{"title": "<title>"}', Note),
    ('{"title": "<title>"}', Slotted),
    ('{"title": "Your title", "why": "<why>"}', fields(title=str, why=str)),
    ('{"why": "[2-3 sentences]", "tags": ["<tag1>", "tag2"]}', fields(why=str, tags=list[str])),
    ('{"title": "<...>", "why": "string"}', fields(title=str, why=str)),
    ('{"rating": "<rating>", "why": "<why>"}', fields(rating=str, why=str) | fields(other=str)),
    ('{"rating": "<rating>", "why": "<why>"}', fields(rating=Annotated[Literal["A", "B"], OR_A], why=str)),
    ('{"price": "<price>"}', fields(price=Annotated[float, BeforeValidator(lambda _: 5.0)])),
    ('{"mood": "<mood>", "why": "<why>"}', fields(mood=Mood, why=str)),
    ('[{"mood": "<mood>"}]', Iterable[fields(mood=Mood)]),  # type: ignore[misc]  # made here
]
UNMISTAKABLE = [
    ("rating", "<rating>"),
    ("rating", "＜rating＞"),
    ("rating", "{rating}"),
    ("rating", "{{ rating }}"),
    ("rating", "${rating}"),
    ("rating", "[Rating]"),
    ("rating", "【rating】"),
    ("finalRating", "<the final rating>"),
    ("final_rating", "[Insert final rating]"),
    ("rating", "[Enter your rating here]"),
    ("tags", "<tag1>"),
    ("评级", "<评级>"),
    ("thoughts", "<your reasoning>"),
    ("thoughts", "[insert reasoning]"),
    ("thoughts", "{{the overall impression}}"),
    ("thoughts", "<a short text>"),
    ("thoughts", "<short|long>"),
    ("rating", "<short explanation of the rating>"),
    ("rating", "<<rating>>"),
    ("id", "ID here"),
    ("a_name", "A name here"),
    ("thoughts", "<string>"),
    ("thoughts", "[string (optional)]"),
    ("thoughts", "your analysis here"),
    ("thoughts", "Insert the text here"),
    ("rating", "your rating here"),
    ("rating", "Enter the rating here."),
    ("rating", "Some rating here"),
    ("final_rating", "Final rating goes here"),
    ("api_key", "YOUR_API_KEY_HERE"),
]


@pytest.mark.parametrize(("name", "text"), UNMISTAKABLE)
def test_unmistakable_placeholder_is_a_template_whatever_the_type_is(name: str, text: str) -> None:
    """In a model, in one that is asked for otherwise, in a list."""
    answer = json.dumps({name: text}, ensure_ascii=False)
    model = fields(**{name: str})
    kinds: list[tuple[Any, str]] = [
        (model, answer),
        (fields(**{name: str | None}), answer),
        (list[model], f"[{answer}]"),  # type: ignore[valid-type]  # made here
        (model | None, answer),
    ]
    for dto_type, written in kinds:
        with pytest.raises(LLMJsonParseError) as caught:
            parse_llm_json_output(written, dto_type, language="en")
        assert "this repeats the template" in caught.value.feedback()


@pytest.mark.parametrize(("text", "dto_type"), VALUES, ids=[text[:60] for text, _ in VALUES])
def test_value_that_looks_like_a_placeholder_is_read(text: str, dto_type: type[BaseModel]) -> None:
    value = parse_llm_json_output(text, dto_type)
    read = json.loads(json.dumps(value, default=lambda one: getattr(one, "__dict__", None) or {"title": one.title}))
    for one, said in zip(
        *((each if isinstance(each, list) else [each]) for each in (read, json.loads(text))), strict=True
    ):
        assert said.items() <= one.items()


class Opaque:
    """A value that cannot be compared, as an array cannot."""

    def __eq__(self, other: object) -> bool:
        raise ValueError(other)

    __hash__ = None  # type: ignore[assignment]


class Shapeless(BaseModel):
    """A type whose own code fails where its JSON Schema is written."""

    @classmethod
    def __get_pydantic_json_schema__(cls, *_: object) -> dict[str, Any]:
        raise ValueError(cls)


class Node(BaseModel):
    """A value that its own validator puts into its parts."""

    name: str
    children: list["Node"] = []
    parent: Any = None

    @model_validator(mode="after")
    def link(self) -> "Node":
        for child in self.children:
            child.parent = self
        return self


def test_value_that_cannot_be_compared_or_holds_itself_is_read() -> None:
    opaque: Any = Annotated[Any, BeforeValidator(lambda _: Opaque())]
    data: Any = dataclass(type("Made", (), {"__annotations__": {"array": opaque}}))
    kinds: list[Any] = [fields(name=str, array=opaque), data]
    for made in kinds:
        assert isinstance(parse_llm_json_output('{"array": [1], "name": "..."}', made).array, Opaque)
    linked = parse_llm_json_output('{"name": "", "children": [{"name": ""}]}', Node)
    assert linked.children[0].parent.children == linked.children


@dataclass(frozen=True)
class Key:
    name: str


class Keys(BaseModel):
    keys: set[Key]


@pytest.mark.parametrize(
    ("dto_type", "text"),
    [
        (set[Key], '[{"name": "%s"}]'),
        (frozenset[Key], '[{"name": "%s"}]'),
        (Iterable[Key], '[{"name": "%s"}]'),
        (Annotated[Key, AfterValidator(lambda key: key.name)], '{"name": "%s"}'),
        (Annotated[Key, AfterValidator(lambda _: None)], '{"name": "%s"}'),
        (list[Annotated[Key, AfterValidator(lambda key: {key})]], '[{"name": "%s"}]'),
        (Keys, '{"keys": [{"name": "%s"}]}'),
        (fields(name=Annotated[str, AfterValidator(Key)]), '{"name": "%s"}'),
    ],
)
def test_answer_is_read_and_template_refused_whatever_the_type_makes_of_them(dto_type: Any, text: str) -> None:  # noqa: ANN401 - any type
    parse_llm_json_output(text % "Emma", dto_type)
    parse_llm_json_output(text % "", dto_type)
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(text % "<name>", dto_type, language="en")
    assert "this repeats the template" in caught.value.feedback()


@pytest.mark.parametrize(("text", "dto_type"), TEMPLATES, ids=[text[:60] for text, _ in TEMPLATES])
def test_template_is_refused_as_one_and_feedback_says_so(text: str, dto_type: type[BaseModel]) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(text, dto_type, language="en")
    assert "this repeats the template" in caught.value.feedback()


def test_exact_description_of_the_type_is_told_from_the_answer_behind_it() -> None:
    answer = '{"rating": "BUY", "price": 3}'
    for echo in (describe_type(Verdict), with_json_requirement("Rate the share.", Verdict)):
        assert parse_llm_json_output(f"{echo}\n\n{answer}", Verdict) == Verdict(rating="BUY", price=3)
        with pytest.raises(LLMJsonParseError, match="repeats the template or the instruction") as caught:
            parse_llm_json_output(echo, Verdict)
        assert caught.value.details["position"]["line"] == (1 if echo.startswith("{") else 3)


def test_exact_schema_of_the_type_is_told_from_the_answer_beside_it() -> None:
    schema, answer = json.dumps(Verdict.model_json_schema()), '{"rating": "BUY", "price": 3}'
    for text in (f"{schema}\n{answer}", f"{answer}\n{schema}", f"```json\n{schema}\n```\n```json\n{answer}\n```"):
        assert parse_llm_json_output(text, Verdict) == Verdict(rating="BUY", price=3)


DAMAGED = [
    "{'rating': '<rating>', 'price': 0}",
    '{rating: "<rating>", "price": 0}',
    "{“rating”：“<rating>”，“price”：0}",
    '{"rating": `<rating>`, "price": 0,}',
    '{"rating": "<rating>" "price": 0}',
]


@pytest.mark.parametrize("template", DAMAGED)
def test_damaged_template_behind_the_answer_is_told_from_it_and_one_that_a_stream_has_shown_is_not(
    template: str,
) -> None:
    answer = '{"rating": "BUY", "price": 3}'
    assert parse_llm_json_output(f"{answer}\n\n{template}", Verdict) == Verdict(rating="BUY", price=3)
    with pytest.raises(LLMJsonParseError, match="several different objects"):
        parse_llm_json_output(f"{template}\n\n{answer}", Verdict)


def test_type_without_a_json_schema_has_no_templates() -> None:
    shapeless = fields(title=str, of=(Annotated[Any, PlainValidator(lambda value: value)], None), at=(Shapeless, None))
    assert parse_llm_json_output('{"title": "<title>"}', shapeless).model_dump()["title"] == "<title>"
    with pytest.raises(LLMJsonParseError, match="a value is expected here"):
        parse_llm_json_output('{"title": <title>, }, }', shapeless)


@given(
    st.lists(st.sampled_from(["{", "}", '"', "<a>", "{{a}}", "...", "string", "|", "//", "\n", ":", ",", "[", " a "]))
)
def test_no_text_of_such_parts_raises_anything_else(parts: list[str]) -> None:
    with suppress(LLMJsonParseError):
        assert isinstance(parse_llm_json_output("".join(parts), Verdict), Verdict)


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_answer_of_a_word_beside_any_text_is_read(title: str, why: str) -> None:
    answer = fields(title=str, why=str, sure=bool)(title=f"Emma {title}", why=f"x{why}y", sure=True)
    assert parse_llm_json_output(answer.model_dump_json(), type(answer)) == answer


@pytest.mark.parametrize("part", ['"', "<a", "{{", '{"rating": <number>, ', "string | ", '"a" | ', "[", "// "])
def test_refusal_takes_linear_time(part: str) -> None:
    def seconds(count: int) -> float:
        started = time.process_time()
        with pytest.raises(LLMJsonParseError, match=r"\w"):
            parse_llm_json_output('{"rating": ' + part * count, Verdict)
        return time.process_time() - started

    seconds(100)
    assert seconds(8_000) < 40 * seconds(1_000) + 0.5
