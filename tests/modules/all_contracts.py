"""The contracts of all agents, the rows of `contracts.toml`, and how a test runs over them: each agent, each place.

Here stands what a file of data cannot say: the type of an answer, and how an agent is asked.
"""

import tomllib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pytest
from pydantic import BaseModel

from src.entrypoints.agents import AGENTS
from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.resolution_result import ResolutionResult
from src.modules.debate.infrastructure.agents.bear_advocate.adapter import BearAdvocateAdapter
from src.modules.debate.infrastructure.agents.bull_advocate.adapter import BullAdvocateAdapter
from src.modules.debate.infrastructure.agents.resolution.adapter import ResolutionAdapter
from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.modules.judge.infrastructure.agents.verdict.adapter import VerdictAdapter
from src.modules.research.domain.dtos.catalyst_dtos import CatalystDetectiveResultDTO
from src.modules.research.domain.dtos.financial_dtos import FinancialAuditResultDTO
from src.modules.research.domain.dtos.macro_dtos import MacroIntelligenceResultDTO
from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.domain.dtos.valuation_dtos import ValuationResultDTO
from src.modules.research.infrastructure.agents.catalyst_detective.adapter import CatalystDetectiveAdapter
from src.modules.research.infrastructure.agents.financial_auditor.adapter import FinancialAuditorAdapter
from src.modules.research.infrastructure.agents.macro_intelligence.adapter import MacroIntelligenceAdapter
from src.modules.research.infrastructure.agents.technical_analyst.adapter import TechnicalAnalystAdapter
from src.modules.research.infrastructure.agents.valuation_modeler.adapter import ValuationModelerAdapter
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

ROWS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("contracts.toml").read_text("utf-8"))
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
ASKED: dict[str, tuple[type[BaseModel], Callable[[TypedLLM], Awaitable[BaseModel]]]] = {
    "technical_analyst": (TechnicalAnalysisResultDTO, lambda llm: TechnicalAnalystAdapter(llm).analyse(dossier())),
    "financial_auditor": (FinancialAuditResultDTO, lambda llm: FinancialAuditorAdapter(llm).analyse(dossier())),
    "valuation_modeler": (ValuationResultDTO, lambda llm: ValuationModelerAdapter(llm).analyse(dossier())),
    "macro_intelligence": (MacroIntelligenceResultDTO, lambda llm: MacroIntelligenceAdapter(llm).analyse(dossier())),
    "catalyst_detective": (CatalystDetectiveResultDTO, lambda llm: CatalystDetectiveAdapter(llm).analyse(dossier())),
    "bull_advocate": (BullArgument, lambda llm: BullAdvocateAdapter(llm).advocate(DEBATE)),
    "bear_advocate": (BearArgument, lambda llm: BearAdvocateAdapter(llm).advocate(DEBATE)),
    "resolution": (ResolutionResult, lambda llm: ResolutionAdapter(llm).resolve(DEBATE.symbol, BULL, BEAR)),
    "verdict": (VerdictResult, lambda llm: VerdictAdapter(llm).judge(JUDGE)),
}


def _place(name: str) -> Place:
    return tuple(int(step) if step.isdigit() else step for step in name.split("."))


def _contract(agent: str) -> AgentContract:
    dto, ask = ASKED[agent]
    row = ROWS[agent]
    places = {
        _place(name): KINDS[kind] if isinstance(kind, str) else Choice(tuple(kind))
        for name, kind in row["places"].items()
    }
    defaults = {_place(name): value for name, value in row.get("defaults", {}).items()}
    return AgentContract(agent, row["label"], dto, ask, row["answer"], places, defaults, row.get("goes_with", {}))


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
