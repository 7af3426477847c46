"""The base of the experts' adapters: takes its part of the dossier and asks about that."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, create_model

from src.modules.research.domain.dtos.expert_result import ExpertResult
from src.modules.research.domain.inputs import ResearchInput
from src.shared.application.prompted_agent import AskOptions, PromptedAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.ports.output import OutputPort
from src.shared.infrastructure.agents.prompt_files import load_prompts

ResultT = TypeVar("ResultT", bound=ExpertResult)


class PromptedExpert(PromptedAgent[BaseModel, ResultT], Generic[ResultT]):
    """An expert behind `ExpertPort`. A subclass says what it is asked about and how its answer is read.

    Attributes:
        sections: what it looks at: fields of `ResearchInput`, and the places of its user prompt.
        output: its output contract.

    Its prompts stand in the folder of the subclass.

    Raises:
        PromptError: the prompts do not fit the sections.
    """

    sections: ClassVar[tuple[str, ...]]
    output: ClassVar[OutputPort[Any]]  # of ResultT; a class attribute cannot be of the class's type variable

    def __init__(self, llm: TypedLLM, options: AskOptions | None = None) -> None:
        parts: dict[str, Any] = dict.fromkeys(self.sections, (Any, ...))
        self._task_type: type[BaseModel] = create_model("ExpertTask", **parts)
        super().__init__(llm, self.output, load_prompts(type(self).__module__, self._task_type), options)

    @property
    def name(self) -> str:
        """The expert's name: that of its folder."""
        return self.id.name

    @property
    def label(self) -> str:
        """The expert's Chinese title."""
        return self.id.label

    async def analyse(self, research_input: ResearchInput) -> ResultT:
        """Judge the stock by this expert's sections.

        Raises:
            MissingDataError: a section is not given.
            AppException: no usable answer came.
        """
        return (await self.ask(research_input.task(self._task_type))).result
