"""The base of the experts' adapters: takes its part of the dossier and asks about that."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, Field

from src.modules.research.domain.dtos.expert_result import ExpertResult
from src.modules.research.domain.inputs import ResearchInput, Stock
from src.shared.application.prompted_agent import AskOptions, PromptedAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.ports.output import OutputPort
from src.shared.infrastructure.agents.prompt_files import load_prompts

TaskT = TypeVar("TaskT", bound=BaseModel)
ResultT = TypeVar("ResultT", bound=ExpertResult)


class ExpertTask(BaseModel):
    """What an expert is asked about: the stock, and the sections that a subclass names."""

    stock: Stock = Field(description="标的")


class PromptedExpert(PromptedAgent[TaskT, ResultT], Generic[TaskT, ResultT]):
    """An expert behind `ExpertPort`. A subclass says what it is asked about and how its answer is read.

    Attributes:
        task_type: the sections it looks at: a model whose fields are some of `ResearchInput`'s, and the places of its
            user prompt.
        output: its output contract.

    Its prompts stand in the folder of the subclass.

    Raises:
        PromptError: the prompts do not fit the task.
    """

    task_type: ClassVar[type[Any]]  # of TaskT; a class attribute cannot be of the class's type variable
    output: ClassVar[OutputPort[Any]]  # of ResultT

    def __init__(self, llm: TypedLLM, options: AskOptions | None = None) -> None:
        package = type(self).__module__.rpartition(".")[0]
        super().__init__(llm, self.output, load_prompts(package, self.task_type), options)

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
        task = research_input.task(self.task_type)
        return (await self.ask(task)).result
