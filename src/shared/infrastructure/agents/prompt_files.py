"""Loading an agent's prompts from its folder: `prompts/system.md` and `prompts/user.md`."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from pydantic import BaseModel

from src.shared.domain.language import Phrase
from src.shared.domain.prompt import AgentPrompts, PromptError


def load_prompts(module: str, model: type[BaseModel]) -> AgentPrompts:
    """The prompts in the folder of an agent's module, checked against the model it is asked about.

    The rules about data (`data_rules.md` beside this file) are added to every system message.

    Args:
        module: the name of a module in the agent's folder, whose name is the agent's.
        model: its fields are the places of the user message.

    Raises:
        PromptError: a file is missing, is not UTF-8, or does not fit the model.
    """
    package = module.rpartition(".")[0]
    return prompts_in(files(package), package.rpartition(".")[2], model)


def prompts_in(folder: Traversable, agent: str, model: type[BaseModel]) -> AgentPrompts:
    """The prompts in an agent's folder, wherever that is.

    Raises:
        PromptError: as for `load_prompts`.
    """
    rules = files(__package__) / "data_rules.md"
    system, user = (_text(folder / "prompts" / name, f"{agent}/{name}") for name in ("system.md", "user.md"))
    whole = f"{system}\n\n{rules.read_text(encoding='utf-8')}" if system.strip() else system
    return AgentPrompts.checked(agent, whole, user, model.model_fields)


def _text(file: Traversable, name: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        message = Phrase("the prompt {name} cannot be read: {kind}", name=name, kind=type(error).__name__)
        raise PromptError(message.text(), {"prompt": name}) from error
