"""A tenth agent is a folder of its own and one line of a container; nothing else knows of it."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dependency_injector import providers

from src.modules.research.container import ResearchContainer
from tests.modules.answers import EXPERTS, answering
from tests.modules.inputs import dossier
from tests.shared.routed_llm import typed_llm

AGENT = """
from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertResult
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.modules.research.infrastructure.agents.prompted_expert import PromptedExpert
from src.shared.infrastructure.agents.agent_output import AgentOutput


class Mood(ExpertResult):
    mood: str

    def opinion(self) -> ExpertOpinion:
        return ExpertOpinion(signal=self.mood, confidence=0.5, reasoning="传闻", risk_warning="")


class MoodAdapter(PromptedExpert[Mood]):
    sections = ("catalyst", "technical")
    output = AgentOutput("传闻分析师", Mood, LLMOutputParseError)
"""


@pytest.fixture
def tenth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The folder of an agent that looks at two sections, imported."""
    folder = tmp_path / "rumour_analyst"
    (folder / "prompts").mkdir(parents=True)
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "adapter.py").write_text(AGENT, encoding="utf-8")
    (folder / "prompts" / "system.md").write_text("你是**传闻分析师**。", encoding="utf-8")
    (folder / "prompts" / "user.md").write_text("{{catalyst}}\n{{technical}}", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    from rumour_analyst import adapter  # type: ignore[import-not-found]  # noqa: PLC0415 - written above

    yield adapter.MoodAdapter
    for name in ("rumour_analyst", "rumour_analyst.adapter"):
        del sys.modules[name]


@pytest.mark.anyio
async def test_tenth_agent_joins_research_by_one_line(tenth: Any) -> None:  # noqa: ANN401 - a class made above
    llm = answering(传闻分析师='{"mood": "冷淡"}')
    container = ResearchContainer(llm=typed_llm(llm))
    container.experts.add_args(providers.Singleton(tenth, container.llm, container.options))
    report = await container.research_service().run(dossier())
    assert [expert.name for expert in report.experts][-1] == "rumour_analyst"
    assert report.results["rumour_analyst"].opinion().signal == "冷淡"
    assert len(report.results) == len(EXPERTS) + 1
