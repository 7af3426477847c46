"""Damage that loses nothing is undone: the object comes back equal, and the trace names the damage and nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.infrastructure.llm_json import decode_llm_json
from tests.properties.damages import DAMAGES, Style, plain_objects


@pytest.mark.parametrize("name", DAMAGES)
@given(data=st.data())
def test_lossless_damage_is_undone_and_traced_as_what_it_is(name: str, data: st.DataObject) -> None:
    damage = DAMAGES[name]
    value = data.draw(damage.values)
    for raw in damage.texts(value):
        decoded = decode_llm_json(raw, finished=True)
        assert (raw, repr(decoded.data)) == (raw, repr(value))
        assert {repair.kind for repair in decoded.repairs} <= {damage.kind}


@given(name=st.sampled_from(sorted(DAMAGES)), data=st.data())
def test_damage_is_undone_in_a_fence_and_after_reasoning_too(name: str, data: st.DataObject) -> None:
    damage = DAMAGES[name]
    value = data.draw(damage.values)
    for raw in damage.texts(value):
        text = f"<think>{{'a': 0}}</think>答案：\n```json\n{raw}\n```"
        assert (text, repr(decode_llm_json(text).data)) == (text, repr(value))


@given(plain_objects)
def test_writer_without_any_damage_writes_strict_json(value: dict[str, object]) -> None:
    assert repr(json.loads(Style().write(value))) == repr(value)
