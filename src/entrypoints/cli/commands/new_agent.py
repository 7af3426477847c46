"""`llm-output new-agent`."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from src.entrypoints import cli
from src.entrypoints.agents import AGENTS, CONTEXTS
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.plain_output import visible, write_stdout
from src.entrypoints.cli.screen import say

MOST_CHARACTERS = 24
"""Most characters of a name or a label: with more, the lines of the generated code grow too long."""

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_AGENT = "src/modules/$context/infrastructure/agents/$name"
_RECORDED = "src/entrypoints/cli/recordings/$name"
TARGETS = {
    "result.py": "src/modules/$context/domain/dtos/${name}_result.py",
    "package.py": f"{_AGENT}/__init__.py",
    "output_parser.py": f"{_AGENT}/output_parser.py",
    "adapter.py": f"{_AGENT}/adapter.py",
    "system.md": f"{_AGENT}/prompts/system.md",
    "user.md": f"{_AGENT}/prompts/user.md",
    **{
        file: f"{_RECORDED}/{file}"
        for file in ("manifest.json", "clean.txt", "wrapped.txt", "damaged.txt", "refused.txt")
    },
    "contract.py": "tests/modules/$context/contracts/$name.py",
    "test.py": "tests/modules/$context/test_$name.py",
}
"""Template → the file made of it, from the root of the checkout."""

_TEMPLATES = files(cli).joinpath("templates", "agent")
_ASKED = {
    "research": {"asked": "dossier", "ask": "analyse(dossier())"},
    "debate": {"asked": "DEBATE", "ask": "answer(DEBATE)"},
    "judge": {"asked": "JUDGE", "ask": "answer(JUDGE)"},
}
"""What the tests of a context ask an agent about."""
_IMPORTS = re.compile(r"(?:^from (?:src|tests)\..+\n)+", re.MULTILINE)


@dataclass(frozen=True)
class NewAgent:
    """An agent that is to be written.

    Attributes:
        name: its name in snake_case, which becomes that of its folder.
        context: the bounded context it belongs to.
        label: its title, by which prompts, logs and reports call it.
    """

    name: str
    context: str
    label: str

    @classmethod
    def checked(cls, name: str, context: str, label: str | None) -> NewAgent:
        """The agent; without a label its title is its name in words.

        Raises:
            CommandError: one of the three cannot be, or an agent has it already.
        """
        agent = cls(name, context, name.replace("_", " ").capitalize() if label is None else label)
        problem = agent._problem()
        if problem:
            raise CommandError(problem)
        return agent

    def _problem(self) -> str | None:
        if not _NAME.fullmatch(self.name) or keyword.iskeyword(self.name):
            return f"{self.name!r} is no name of an agent: snake_case, such as sentiment_analyst"
        if len(self.name) > MOST_CHARACTERS:
            return f"{self.name!r} has {len(self.name)} characters; a name has at most {MOST_CHARACTERS}"
        if self.context not in CONTEXTS:
            return f"there is no context {self.context!r} for agents; the contexts are: {', '.join(CONTEXTS)}"
        if not all(part.isalnum() for part in self.label.split(" ")) or len(self.label) > MOST_CHARACTERS:
            return f"{self.label!r} is no label: at most {MOST_CHARACTERS} letters, digits and single spaces"
        if self.label in [agent.label for agent in AGENTS.values()]:
            return f"there is an agent with the label {self.label} already"
        return None

    def files(self) -> dict[str, str]:
        """Path → text, of every file of the agent."""
        values = {
            "name": self.name,
            "context": self.context,
            "label": self.label,
            "title": self.name.replace("_", " "),
            "class_name": "".join(part.capitalize() for part in self.name.split("_")),
            **_ASKED[self.context],
        }
        return {
            Template(target).substitute(values): _sorted_imports(Template(self._template(name)).substitute(values))
            for name, target in TARGETS.items()
        }

    def _template(self, name: str) -> str:
        """The context's own template where it has one, else that of all contexts."""
        own = _TEMPLATES.joinpath(self.context, f"{name}.template")
        return (own if own.is_file() else _TEMPLATES.joinpath(f"{name}.template")).read_text(encoding="utf-8")


def _sorted_imports(code: str) -> str:
    """The code with its imports in order of their modules, which depends on the agent's name."""
    return _IMPORTS.sub(lambda block: "".join(sorted(block.group().splitlines(keepends=True), key=str.split)), code)


def checkout(root: Path | None) -> Path:
    """The checkout to write into: the given folder, or the nearest one above the current folder.

    Raises:
        CommandError: it is no checkout of this project, or there is none.
    """
    here = Path.cwd()
    found = next(filter(_is_checkout, [root] if root else (here, *here.parents)), None)
    if found is None:
        raise CommandError(
            f"{root} is no checkout of this project: it has no src/modules and tests/modules"
            if root
            else "the current folder is in no checkout of this project; name one with --root DIR"
        )
    return found


def _is_checkout(folder: Path) -> bool:
    return (folder / "src/modules").is_dir() and (folder / "tests/modules/agent_contract.py").is_file()


def write(agent: NewAgent, root: Path) -> list[str]:
    """Write the agent's files and return their paths, from the root. Nothing is overwritten.

    Raises:
        CommandError: the agent, a module of its name or one of its files is there already; nothing was written.
        OSError: a file cannot be written; those before it stay.
    """
    texts = agent.files()
    folders = [f"src/modules/{context}/infrastructure/agents/{agent.name}" for context in CONTEXTS]
    taken = [path for path in (*folders, *(f"{folder}.py" for folder in folders), *texts) if (root / path).exists()]
    if taken:
        raise CommandError(f"{taken[0]} is there already; nothing was written")
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="\n")
    return list(texts)


EXAMPLES = (
    "llm-output new-agent sentiment_analyst --context research --label 舆情分析师",
    "llm-output new-agent risk_officer --context judge --root ~/src/checkout",
)


@guarded
def new_agent(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help=f"Its name in snake_case, at most {MOST_CHARACTERS} characters.")
    ],
    *,
    context: Annotated[
        str, typer.Option("--context", metavar="|".join(CONTEXTS), help="The bounded context it belongs to.")
    ],
    label: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="TITLE",
            help=f"Its title in prompts, logs and reports, at most {MOST_CHARACTERS} characters; "
            "without it, the name in words.",
        ),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="The checkout of this project to write into; without it, the one around the current folder.",
        ),
    ] = None,
) -> None:
    """Write the files of a new agent into a checkout of this project.

    The type of its answer, its parser, adapter and prompts, recorded answers, and the tests of them all. They work as
    they are, and the paths on stdout are where to fill in. No file that is there is changed.
    """
    agent = NewAgent.checked(name, context, label)
    folder = checkout(root)
    for path in write(agent, folder):
        write_stdout(path)
    say(f"written into {visible(str(folder))}; what to fill in: docs/how-to/add-an-agent.md")
