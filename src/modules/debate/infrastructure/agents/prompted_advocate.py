"""The base of the two advocates' adapters."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from src.modules.debate.domain.dtos.bull_bear_argument import Argument
from src.modules.debate.domain.dtos.debate_input import DebateInput
from src.shared.application.prompted_agent import AskOptions, PromptedAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.ports.output import OutputPort
from src.shared.infrastructure.agents.prompt_files import load_prompts

ArgumentT = TypeVar("ArgumentT", bound=Argument)


class PromptedAdvocate(PromptedAgent[DebateInput, ArgumentT], Generic[ArgumentT]):
    """An advocate behind `AdvocatePort`, whose prompts stand in the folder of the subclass.

    Attributes:
        output: its output contract.

    Raises:
        PromptError: the prompts do not fit `DebateInput`.
    """

    output: ClassVar[OutputPort[Any]]

    def __init__(self, llm: TypedLLM, options: AskOptions | None = None) -> None:
        super().__init__(llm, self.output, load_prompts(type(self).__module__, DebateInput), options)

    async def advocate(self, debate_input: DebateInput) -> ArgumentT:
        """Make the case.

        Raises:
            AppException: no usable answer came.
        """
        return (await self.ask(debate_input)).result
