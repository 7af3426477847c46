"""Good answers of all nine agents, by title, and a dossier to ask them about."""

from collections.abc import Sequence

from src.committee.domain.dossier import Dossier
from src.committee.infrastructure.dossier_reader import load_dossier
from tests.modules.agent_contract import as_text
from tests.modules.all_contracts import CONTRACTS
from tests.paths import ROOT
from tests.shared.routed_llm import Answer, RoutedLLM

GOOD = {contract.label: [as_text(contract.answer)] for contract in CONTRACTS}
DOSSIER_FILE = ROOT / "examples" / "committee" / "dossier.json"
EXPERTS = ("技术分析师", "财务审计员", "估值建模师", "宏观情报员", "催化剂侦探")


def answering(**scripts: Answer | Sequence[Answer]) -> RoutedLLM:
    """A model whose agents all answer well, but for these."""
    own = {title: [script] if isinstance(script, Answer) else script for title, script in scripts.items()}
    return RoutedLLM({**GOOD, **own})


def dossier() -> Dossier:
    """The dossier that is shipped as an example."""
    return load_dossier(DOSSIER_FILE)
