"""Envelopes and payloads without a model: layers 1 to 3, by the use case and by the two functions without a loop."""

import json
from decimal import Decimal

import pytest
from pydantic import BaseModel, JsonValue, TypeAdapter

from src.modules.cowriting.domain import LAYER_OF_STAGE, Envelope, EnvelopeParseError, Layer, Payload
from src.modules.cowriting.infrastructure import AnyPayload, parse_envelope, parse_payload
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.ports.output import OutputPort
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.parsing.inspection import STAGE_NAMES
from tests.modules.cowriting.opening import DRAFT, Draft, opening, refusal_of_envelope

pytestmark = pytest.mark.anyio
ANY = AnyPayload()


def alone(payload: Envelope | Payload, output: OutputPort[object], *, finished: bool | None) -> object:
    """The payload by the function without a loop."""
    if output is DRAFT:
        return parse_payload(payload, Draft, finished=finished)
    return parse_payload(payload, finished=finished)


async def payload_of(
    payload: Envelope | Payload, output: OutputPort[object] = ANY, *, finished: bool | None = None
) -> object:
    value = await opening().payload(payload, output, finished=finished)
    assert alone(payload, output, finished=finished) == value
    return value


async def refusal_of_payload(
    payload: Envelope | JsonValue, output: OutputPort[object] = ANY, *, finished: bool | None = None
) -> EnvelopeParseError:
    with pytest.raises(EnvelopeParseError) as caught:
        await opening().payload(payload, output, finished=finished)
    with pytest.raises(EnvelopeParseError) as other:
        alone(payload, output, finished=finished)
    assert (other.value.code, other.value.details["layer"]) == (caught.value.code, caught.value.details["layer"])
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
async def test_envelope_gives_its_meta_and_its_payload_validated_where_a_type_is_given(raw: str) -> None:
    envelope = await opening().envelope(raw)
    assert (envelope.meta, parse_envelope(raw)) == ({"v": 1}, envelope)
    assert await payload_of(envelope) == {"title": "春", "words": 3}
    assert await payload_of(envelope, DRAFT) == Draft(title="春", words=3)


async def test_other_fields_of_an_envelope_are_kept() -> None:
    envelope = await opening().envelope('{"meta": {}, "payload": null, "trace": "t1"}')
    assert envelope.model_extra == {"trace": "t1"}


@pytest.mark.parametrize("payload", ["null", '""', '" \\n"', '"null"'])
@pytest.mark.parametrize("output", [ANY, DRAFT], ids=["any", "typed"])
async def test_empty_payload_is_none(payload: str, output: OutputPort[object]) -> None:
    envelope = await opening().envelope('{"meta": {}, "payload": ' + payload + "}")
    assert (await payload_of(envelope, output), await payload_of(envelope.payload, output)) == (None, None)


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
        ({"a": "半个字符 \ud83d"}, {"a": "半个字符 \ud83d"}),
        ([1, 2], [1, 2]),
        ({}, {}),
        (0, 0),
        (False, False),
    ],
)
async def test_payload_may_be_any_json(payload: JsonValue, value: JsonValue) -> None:
    assert await payload_of(payload) == value
    assert await payload_of(Envelope(meta={}, payload=payload)) == value


@pytest.mark.parametrize("payload", ["[1, 2,]", "['a']", "NaN", "[NaN]", "plain text", "[" * 100_000, "[{'a': 1}]"])
async def test_damaged_payload_must_be_an_object(payload: str) -> None:
    assert (await refusal_of_payload(payload)).details["part"] == "payload"


async def test_decoded_payload_is_validated_too() -> None:
    assert await payload_of({"title": "春", "words": "3"}, DRAFT) == Draft(title="春", words=3)


class Price(BaseModel):
    amount: Decimal


@pytest.mark.parametrize("written", ["12345678901234567890.12", "1e400", "1.10", "0.5", "7"])
@pytest.mark.parametrize("payload", ['{{"amount": {0}}}', '"{{\\"amount\\": {0}}}"'], ids=["value", "text"])
async def test_decimal_of_a_payload_keeps_its_digits_whether_it_came_as_a_text_or_as_a_value(
    written: str, payload: str
) -> None:
    envelope = await opening().envelope('{"meta": {}, "payload": ' + payload.format(written) + "}")
    price = await opening().payload(envelope, plain_output(Price))
    assert price is not None
    assert str(price.amount) == str(Decimal(written))


@pytest.mark.parametrize("payload", ['{"x": 1e5}', "1.10", '[1e5, {"x": "y"}]', "null", '"text"'])
async def test_envelope_is_written_as_json_again(payload: str) -> None:
    envelope = await opening().envelope('{"meta": {"v": 1}, "payload": ' + payload + ', "trace": "t"}')
    expected = {"meta": {"v": 1}, "payload": json.loads(payload), "trace": "t"}
    assert (envelope.model_dump(), json.loads(envelope.model_dump_json())) == (expected, expected)


async def test_payload_given_as_a_value_may_hold_decimals() -> None:
    assert await opening().payload(Decimal("1.10"), ANY) == 1.1


def test_payload_without_a_type_is_any_json_value() -> None:
    assert isinstance(ANY.dto_type, TypeAdapter)
    assert ANY.dto_type.validate_python([1, {"a": None}]) == [1, {"a": None}]


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
async def test_error_names_the_part_the_layer_and_the_parsers_stage(layer: str, stage: str, raw: str) -> None:
    details = (await refusal_of_envelope(raw)).details
    assert (details["part"], details["layer"], details["stage"]) == ("envelope", layer, stage)


def test_every_stage_of_the_parser_belongs_to_a_layer() -> None:
    assert set(LAYER_OF_STAGE) == {*STAGE_NAMES, "tool_call"}


@pytest.mark.parametrize(
    ("layer", "payload"),
    [("extract", "春天"), ("normalize", '{"title": "春";; "words": 3}'), ("parse", '{"title": "春"}')],
)
async def test_error_about_a_payload_names_its_layer(layer: str, payload: str) -> None:
    error = await refusal_of_payload(payload, DRAFT)
    assert (error.details["part"], error.details["layer"]) == ("payload", layer)


async def test_error_has_the_parsers_details_and_is_raised_from_its_error() -> None:
    error = await refusal_of_payload('{"title": "春"}', DRAFT)
    assert [term for term in ("payload", "第 3 层", "不符合契约") if term not in error.message] == []
    assert isinstance(error.__cause__, LLMJsonParseError)
    assert error.details["validation_errors"] == [{"loc": ("words",), "type": "missing", "msg": "Field required"}]
    assert (error.code, error.details["cause_code"]) == ("ENVELOPE_PARSE_ERROR", "LLM_JSON_PARSE_ERROR")


# --- the end -----------------------------------------------------------------------------------------------

OPEN = '{"title": "春", "words": 3'


async def test_envelope_that_does_not_show_its_end_is_read_only_where_the_model_had_finished() -> None:
    raw = '{"meta": {}, "payload": "春"'
    assert (await opening().envelope(raw, finished=True)).payload == "春"
    for finished in (None, False):
        assert (await refusal_of_envelope(raw, finished=finished)).details["truncated"]


@pytest.mark.parametrize(("output", "value"), [(ANY, {"title": "春", "words": 3}), (DRAFT, Draft(title="春", words=3))])
async def test_payload_of_an_envelope_is_whole_for_the_envelope_goes_on_behind_it(
    output: OutputPort[object], value: object
) -> None:
    envelope = await opening().envelope(json.dumps({"meta": {}, "payload": OPEN}))
    assert await payload_of(envelope, output) == value


@pytest.mark.parametrize("payload", [OPEN, Envelope(meta={}, payload="[1, 2]"), Envelope(meta={}, payload=OPEN)])
async def test_payload_of_a_model_that_was_cut_off_is_refused(payload: Envelope | str) -> None:
    assert (await refusal_of_payload(payload, finished=False)).details["truncated"]


async def test_payload_that_stands_by_itself_has_to_show_its_end() -> None:
    assert (await refusal_of_payload(OPEN, DRAFT)).details["truncated"]
    assert await payload_of(OPEN, DRAFT, finished=True) == Draft(title="春", words=3)


def test_layers_are_numbered_in_their_order() -> None:
    assert [layer.number for layer in Layer] == [1, 2, 3, 4]
