"""The nine contracts together, and the ways a test runs over them: each agent, or each place of some kind."""

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import pytest

from tests.modules.agent_contract import AgentContract, Kind, Place
from tests.modules.debate.contracts import CONTRACTS as DEBATE
from tests.modules.judge.contracts import CONTRACTS as JUDGE
from tests.modules.research.contracts import CONTRACTS as RESEARCH

CONTRACTS = (*RESEARCH, *DEBATE, *JUDGE)
K = TypeVar("K", bound=Kind)
Case: TypeAlias = tuple[AgentContract, Place, K]

each_agent = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.agent)


def every_place() -> list[Case[Kind]]:
    """List every place of every agent."""
    return [(contract, *entry) for contract in CONTRACTS for entry in contract.all_places().items()]


def places(kind: type[K]) -> list[Case[K]]:
    """List every place of this kind, of every agent."""
    return [(contract, place, found) for contract, place, found in every_place() if isinstance(found, kind)]


def each(cases: Sequence[Case[K]]) -> pytest.MarkDecorator:
    """Run a test, of `contract` and `place`, once for each of these."""
    return pytest.mark.parametrize(("contract", "place"), [case[:2] for case in cases], ids=_names(cases))


def each_kind(cases: Sequence[Case[K]]) -> pytest.MarkDecorator:
    """Run a test, of `contract`, `place` and its `kind`, once for each of these."""
    return pytest.mark.parametrize(("contract", "place", "kind"), cases, ids=_names(cases))


def _names(cases: Sequence[Case[K]]) -> list[str]:
    return [f"{contract.agent}-{'.'.join(map(str, place))}" for contract, place, _ in cases]
