"""What the agents do with any JSON object at all."""

import contextlib
import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modules.agent_contract import AgentContract, as_text
from tests.modules.all_contracts import CONTRACTS

NAMES = sorted({str(step) for contract in CONTRACTS for place in contract.all_places() for step in place})
WORDS = ("argument", "evidence", "Fair (合理)", "BULLISH", "80", " ")

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*NAMES, *WORDS]), inner, max_size=5),
    max_leaves=12,
)
agents = st.sampled_from(CONTRACTS)
objects = st.dictionaries(st.sampled_from(NAMES), values, max_size=12)


def normalized(contract: AgentContract, data: dict[str, Any]) -> dict[str, Any]:
    for normalizer in contract.output.normalizers:
        data = normalizer(data)
    return data


@settings(deadline=None)
@given(contract=agents, data=objects)
def test_normalizing_never_raises_and_leaves_its_input_alone(contract: AgentContract, data: dict[str, Any]) -> None:
    before = repr(copy.deepcopy(data))
    normalized(contract, data)
    assert repr(data) == before


@settings(deadline=None)
@given(contract=agents, data=objects)
def test_normalizing_twice_is_normalizing_once(contract: AgentContract, data: dict[str, Any]) -> None:
    once = normalized(contract, data)
    assert repr(normalized(contract, once)) == repr(once)


@settings(deadline=None)
@given(contract=agents, data=objects)
def test_answer_with_anything_put_in_is_read_or_refused_by_the_contexts_own_error(
    contract: AgentContract, data: dict[str, Any]
) -> None:
    changed = contract.answer | dict(list(data.items())[:2])
    with contextlib.suppress(contract.error):
        result = contract.parse(as_text(changed))
        assert set(result.model_dump()) == set(contract.answer)
        assert contract.read(result.model_dump()) == result
