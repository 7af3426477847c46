"""Good answers of all agents, by title, and who of them is an expert."""

from collections.abc import Sequence

from src.modules.research.container import ResearchContainer
from tests.modules.agent_contract import as_text
from tests.modules.all_contracts import CONTRACTS
from tests.shared.routed_llm import Answer, RoutedLLM, typed_llm

GOOD = {contract.label: [as_text(contract.answer)] for contract in CONTRACTS}
EXPERTS = tuple(expert.label for expert in ResearchContainer(llm=typed_llm(RoutedLLM({}))).experts())


def answering(**scripts: Answer | Sequence[Answer]) -> RoutedLLM:
    """A model whose agents all answer well, but for these."""
    own = {title: [script] if isinstance(script, Answer) else script for title, script in scripts.items()}
    return RoutedLLM({**GOOD, **own})
