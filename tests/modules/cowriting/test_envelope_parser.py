"""Envelopes and payloads without a model: layers 1 to 3."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from pydantic import BaseModel, JsonValue

from src.modules.cowriting.domain.envelope import Envelope
from src.modules.cowriting.domain.exceptions import EnvelopeParseError
from src.modules.cowriting.infrastructure.envelope_parser import EnvelopeParser, parse_envelope, parse_payload
from src.shared.domain.exceptions import LLMJsonParseError


class Draft(BaseModel):
    title: str
    words: int


def refusal_of(read: Callable[..., object], *arguments: Any) -> EnvelopeParseError:  # noqa: ANN401 - passed on
    with pytest.raises(EnvelopeParseError) as caught:
        read(*arguments)
    return caught.value


ENVELOPES = {
    "clean": '{"meta": {"v": 1}, "payload": "{\\"title\\": \\"春\\", \\"words\\": 3}"}',
    "with an object for its payload": '{"meta": {"v": 1}, "payload": {"title": "春", "words": 3}}',
    "fenced": '```json\n{"meta": {"v": 1}, "payload": {"title": "春", "words": 3}}\n```',
    "in prose": '好的：{"meta": {"v": 1}, "payload": {"title": "春", "words": 3}} 希望有帮助',
    "after reasoning": '<think>{"meta": 1}</think>{"meta": {"v": 1}, "payload": {"title": "春", "words": 3}}',
    "damaged": "{“meta”: {'v': 1,}, payload: \"{'title': '春', words: 3,}\"}",
    "with a fenced payload": '{"meta": {"v": 1}, "payload": "```json\\n{\\"title\\": \\"春\\", \\"words\\": 3}\\n```"}',
}


@pytest.mark.parametrize("raw", ENVELOPES.values(), ids=ENVELOPES.keys())
def test_envelope_gives_its_meta_and_its_payload(raw: str) -> None:
    envelope = parse_envelope(raw)
    assert envelope.meta == {"v": 1}
    assert parse_payload(envelope) == {"title": "春", "words": 3}


@pytest.mark.parametrize("raw", ENVELOPES.values(), ids=ENVELOPES.keys())
def test_payload_is_validated_where_a_type_is_given(raw: str) -> None:
    assert parse_payload(parse_envelope(raw), Draft) == Draft(title="春", words=3)


def test_other_fields_of_an_envelope_are_kept() -> None:
    assert parse_envelope('{"meta": {}, "payload": null, "trace": "t1"}').model_extra == {"trace": "t1"}


@pytest.mark.parametrize("payload", ["null", '""', '" \\n"', '"null"'])
@pytest.mark.parametrize("dto_type", [None, Draft])
def test_empty_payload_is_none(payload: str, dto_type: type[Draft] | None) -> None:
    envelope = parse_envelope('{"meta": {}, "payload": ' + payload + "}")
    assert (parse_payload(envelope) if dto_type is None else parse_payload(envelope, dto_type)) is None


@pytest.mark.parametrize(
    ("payload", "value"),
    [
        ("[1, 2]", [1, 2]),
        ('[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ("12", 12),
        ("-1.5e3", -1500.0),
        ("true", True),
        ('"text"', "text"),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ("{'a': 1,}", {"a": 1}),
        ('[1] 之后是 {"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ([1, 2], [1, 2]),
        ({}, {}),
        (0, 0),
        (False, False),
    ],
)
def test_payload_may_be_any_json(payload: JsonValue, value: JsonValue) -> None:
    assert parse_payload(payload) == value
    assert EnvelopeParser().parse_payload(Envelope(meta={}, payload=payload)) == value


@pytest.mark.parametrize("payload", ["[1, 2,]", "['a']", "NaN", "[NaN]", "plain text", "[" * 100_000, "[{'a': 1}]"])
def test_damaged_payload_must_be_an_object(payload: str) -> None:
    assert refusal_of(parse_payload, payload).details["part"] == "payload"


def test_decoded_payload_is_validated_too() -> None:
    assert EnvelopeParser().parse_payload({"title": "春", "words": "3"}, Draft) == Draft(title="春", words=3)


# --- errors ------------------------------------------------------------------------------------------------

FAILURES = {
    "nothing": ("extract", "empty", ""),
    "reasoning only": ("extract", "think", "<think>x"),
    "prose": ("extract", "extract", "我不知道"),
    "several objects": ("extract", "extract", '{"meta": {}, "payload": 1} {"meta": {}, "payload": 2}'),
    "several damaged objects": ("extract", "repair", "{'meta': {}, 'payload': 1} {'meta': {}, 'payload': 2}"),
    "damage": ("normalize", "repair", '{"meta": {};; "payload": null}'),
    "a text that is cut off": ("normalize", "repair", '{"meta": {}, "payload": "cut'),
    "a list": ("parse", "root", '[{"meta": {}, "payload": null}]'),
    "an object that is no envelope": ("parse", "validate", '{"title": "春"}'),
    "meta that is no object": ("parse", "validate", '{"meta": "v1", "payload": null}'),
}


@pytest.mark.parametrize(("layer", "stage", "raw"), FAILURES.values(), ids=FAILURES.keys())
def test_error_names_the_part_the_layer_and_the_parsers_stage(layer: str, stage: str, raw: str) -> None:
    error = refusal_of(parse_envelope, raw)
    assert (error.details["part"], error.details["layer"], error.details["stage"]) == ("envelope", layer, stage)


@pytest.mark.parametrize(
    ("layer", "payload"),
    [("extract", "春天"), ("normalize", '{"title": "春";; "words": 3}'), ("parse", '{"title": "春"}')],
)
def test_error_about_a_payload_names_its_layer(layer: str, payload: str) -> None:
    error = refusal_of(parse_payload, payload, Draft)
    assert (error.details["part"], error.details["layer"]) == ("payload", layer)


def test_error_has_the_parsers_details_and_is_raised_from_its_error() -> None:
    error = refusal_of(parse_payload, '{"title": "春"}', Draft)
    assert isinstance(error.__cause__, LLMJsonParseError)
    assert error.details["validation_errors"] == [{"loc": ("words",), "type": "missing", "msg": "Field required"}]
    assert (error.code, error.details["cause_code"]) == ("ENVELOPE_PARSE_ERROR", "LLM_JSON_PARSE_ERROR")


def test_message_names_part_and_layer_and_keeps_the_parsers_terms() -> None:
    message = refusal_of(parse_payload, '{"title": "春"}', Draft).message
    assert [term for term in ("payload", "第 3 层", "不符合契约") if term not in message] == []


# --- the end -----------------------------------------------------------------------------------------------

OPEN = '{"title": "春", "words": 3'


def test_envelope_that_does_not_show_its_end_is_read_only_where_the_model_had_finished() -> None:
    raw = '{"meta": {}, "payload": "春"'
    assert EnvelopeParser().parse_envelope(raw, finished=True).payload == "春"
    for finished in (None, False):
        assert refusal_of(partial(parse_envelope, finished=finished), raw).details["truncated"]


@pytest.mark.parametrize("dto_type", [None, Draft])
def test_payload_of_an_envelope_is_whole_for_the_envelope_goes_on_behind_it(dto_type: type[Draft] | None) -> None:
    envelope = parse_envelope(json.dumps({"meta": {}, "payload": OPEN}))
    read = parse_payload(envelope) if dto_type is None else parse_payload(envelope, dto_type)
    assert read == (Draft(title="春", words=3) if dto_type else {"title": "春", "words": 3})


@pytest.mark.parametrize("payload", [OPEN, Envelope(meta={}, payload="[1, 2]"), Envelope(meta={}, payload=OPEN)])
def test_payload_of_a_model_that_was_cut_off_is_refused(payload: Envelope | str) -> None:
    assert refusal_of(partial(parse_payload, finished=False), payload).details["truncated"]


def test_payload_that_stands_by_itself_has_to_show_its_end() -> None:
    assert refusal_of(parse_payload, OPEN, Draft).details["truncated"]
    assert parse_payload(OPEN, Draft, finished=True) == Draft(title="春", words=3)
