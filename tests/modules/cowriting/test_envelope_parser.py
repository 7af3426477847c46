"""Envelopes and payloads read by two functions, without a model, a loop or events."""

import pytest
from pydantic import BaseModel

from src.modules.cowriting.domain import Envelope, EnvelopeParseError, Payload
from src.modules.cowriting.infrastructure import parse_envelope, parse_payload


class Draft(BaseModel):
    title: str
    words: int


DRAFT = {"title": "春", "words": 3}
RAW = "{“meta”: {'v': 1,}, payload: \"{'title': '春', words: 3,}\"}"


def test_damaged_envelope_gives_its_meta_and_its_payload() -> None:
    envelope = parse_envelope(RAW)

    assert (envelope.meta, parse_payload(envelope)) == ({"v": 1}, DRAFT)


def test_payload_is_validated_where_a_type_is_given() -> None:
    assert parse_payload(parse_envelope(RAW), Draft) == Draft(title="春", words=3)


@pytest.mark.parametrize("payload", [None, "", " \n", "null"])
def test_empty_payload_is_none(payload: Payload) -> None:
    assert (parse_payload(payload), parse_payload(payload, Draft)) == (None, None)


def test_payload_that_came_as_a_value_is_read_as_a_text_is() -> None:
    assert parse_payload({"title": "春", "words": 3}, Draft) == Draft(title="春", words=3)
    assert parse_payload([1, 2.5]) == [1, 2.5]


@pytest.mark.parametrize(("raw", "layer"), [("no object", "extract"), ('{"meta": {}}', "parse")])
def test_text_that_is_no_envelope_names_the_layer(raw: str, layer: str) -> None:
    with pytest.raises(EnvelopeParseError) as caught:
        parse_envelope(raw)

    assert (caught.value.details["part"], caught.value.details["layer"]) == ("envelope", layer)


def test_payload_of_another_type_is_refused() -> None:
    with pytest.raises(EnvelopeParseError) as caught:
        parse_payload('{"title": "春"}', Draft)

    assert (caught.value.details["part"], caught.value.details["layer"]) == ("payload", "parse")


@pytest.mark.parametrize(("finished", "is_read"), [(True, True), (None, False), (False, False)])
def test_what_is_known_of_the_end_decides_about_a_missing_bracket(*, finished: bool | None, is_read: bool) -> None:
    try:
        parse_payload('{"title": "春", "words": 3', Draft, finished=finished)
    except EnvelopeParseError:
        assert not is_read
    else:
        assert is_read


def test_payload_of_an_envelope_is_whole_unless_it_is_known_not_to_be() -> None:
    cut = '{"title": "春", "words": 3'
    envelope = Envelope(meta={}, payload=cut)

    assert parse_payload(envelope, Draft) == Draft(title="春", words=3)
    with pytest.raises(EnvelopeParseError, match="the model was cut off before it had finished"):
        parse_payload(envelope, Draft, finished=False)
