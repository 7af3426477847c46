"""The contracts of all agents, the files of `contracts`, and how a test runs over them: each agent, each place.

What each is held to is written by hand from the specification, and never derived from the DTO it is checked against.
`answer` is complete: every field, each with a value of its own. `places` says what may stand where: one of some words,
or a kind that is named here. `defaults`: what a missing place means; every other place is required. `goes_with`: what
else an answer holds when it chooses a member. `opinion`: an expert's signal and confidence, and words of its reasoning
and of its warning, in short.
"""

import tomllib
from collections.abc import Awaitable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pytest
from pydantic import BaseModel

from src.entrypoints.agents import AGENTS
from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.shared.application.typed_llm import TypedLLM
from tests.modules.agent_contract import (
    AgentContract,
    Choice,
    Kind,
    Nested,
    Number,
    Objects,
    Place,
    Quantity,
    Text,
    Texts,
)
from tests.modules.inputs import DEBATE, JUDGE, dossier

FOLDER = Path(__file__).with_name("contracts")
ROWS: dict[str, dict[str, Any]] = {
    agent: tomllib.loads((FOLDER / f"{agent}.toml").read_text(encoding="utf-8")) for agent in AGENTS
}
KINDS: dict[str, Kind] = {
    "fraction": Number(0, 1),
    "points": Number(0, 100, whole=True),
    "number": Number(bounded=False),
    "text": Text(),
    "text or nothing": Text(null_is_missing=True),
    "quantity": Quantity(),
    "quantity or nothing": Quantity(null_is_missing=True),
    "texts": Texts(),
    "at least one text": Texts(least=1),
    "texts, leniently": Texts(lenient=True),
    "objects": Objects(),
    "four objects": Objects(4, 4),
    "object": Nested(),
}
BULL, BEAR = BullArgument(**ROWS["bull_advocate"]["answer"]), BearArgument(**ROWS["bear_advocate"]["answer"])
ASKED: dict[str, tuple[Any, ...]] = {
    "analyse": (dossier(),),
    "advocate": (DEBATE,),
    "resolve": (DEBATE.symbol, BULL, BEAR),
    "judge": (JUDGE,),
}
"""What the agents' adapters are asked by, and about what."""


def _ask(agent: str, llm: TypedLLM) -> Awaitable[BaseModel]:
    module = import_module(AGENTS[agent].module.replace("output_parser", "adapter"))
    made = (value for name, value in vars(module).items() if name.endswith("Adapter"))
    (adapter,) = (one(llm) for one in made if one.__module__ == module.__name__)
    (way,) = (way for way in ASKED if hasattr(adapter, way))
    asked: Awaitable[BaseModel] = getattr(adapter, way)(*ASKED[way])
    return asked


def _place(name: str) -> Place:
    return tuple(int(step) if step.isdigit() else step for step in name.split("."))


def _contract(agent: str) -> AgentContract:
    row = ROWS[agent]
    places = {
        _place(name): KINDS[kind] if isinstance(kind, str) else Choice(tuple(kind))
        for name, kind in row["places"].items()
    }
    defaults = {_place(name): value for name, value in row.get("defaults", {}).items()}
    ask, goes_with = partial(_ask, agent), row.get("goes_with", {})
    return AgentContract(agent, row["label"], row["dto"], ask, row["answer"], places, defaults, goes_with)


CONTRACTS = tuple(map(_contract, AGENTS))
K = TypeVar("K", bound=Kind)
Case: TypeAlias = tuple[AgentContract, Place, K]

each_agent = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.agent)


def contract_of(agent: str) -> AgentContract:
    """The contract of the agent of this name."""
    return next(contract for contract in CONTRACTS if contract.agent == agent)


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
