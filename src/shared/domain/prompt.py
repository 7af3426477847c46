"""An agent's prompts: a fixed system message, and a user message with places for data.

A place is written `{{name}}`; its name is a field of the model that the agent is asked about. A place without a field,
a field without a place, and a place in the system message (where no outside text belongs) are errors at load.

Any prompt can be given what it needs to be answered in JSON: the requirement, and the shape of the answer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from src.shared.domain.answer_type import AnswerType, adapter_of, per_type
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message, Phrase
from src.shared.domain.type_description import describe_type
from src.shared.domain.type_shapes import name_of_roots, roots_of

_PLACE = re.compile(r"\{\{([a-z][a-z0-9_]*+)\}\}")
_MARKS = ("{{", "}}")
_FINGERPRINT = 8


class PromptError(AppException):
    """A prompt does not fit the model its agent is asked about, or has no text.

    `details` holds `prompt` (agent and file) and, as they apply, `missing` and `unknown` (names of places).
    """

    default_code = "PROMPT_ERROR"


@dataclass(frozen=True, slots=True)
class AgentPrompts:
    """One agent's prompts, checked.

    Attributes:
        agent: the agent's name, that of its folder.
        system: the system message.
        user: the user message with its places.
    """

    agent: str
    system: str
    user: str

    @classmethod
    def checked(cls, agent: str, system: str, user: str, fields: Iterable[str]) -> AgentPrompts:
        """Prompts whose places are exactly these fields.

        Raises:
            PromptError: they are not.
        """
        _check(f"{agent}/system.md", system, ())
        _check(f"{agent}/user.md", user, tuple(fields))
        return cls(agent, system.strip(), user.strip())

    @property
    def prompt_id(self) -> str:
        """The agent's name and a fingerprint of both texts: another wording is another id."""
        digest = hashlib.sha256(f"{self.system}\0{self.user}".encode()).hexdigest()
        return f"{self.agent}@{digest[:_FINGERPRINT]}"

    def filled(self, values: Mapping[str, str]) -> str:
        """The user message with each place replaced, once: what a value holds is never read as a place.

        Args:
            values: a text for every place.
        """
        return _PLACE.sub(lambda place: values[place[1]], self.user)


def _check(name: str, text: str, fields: tuple[str, ...]) -> None:
    if not text.strip():
        message = Phrase("the prompt {name} has no text", name=name)
        raise PromptError(message.text(), {"prompt": name})
    places = set(_PLACE.findall(text))
    missing, unknown = sorted(set(fields) - places), sorted(places - set(fields))
    if missing or unknown:
        message = Phrase(
            "the placeholders of the prompt {name} do not match the model: missing {missing}, unknown {unknown}",
            name=name,
            missing=_listed(missing),
            unknown=_listed(unknown),
        )
        raise PromptError(message.text(), {"prompt": name, "missing": missing, "unknown": unknown})
    rest = _PLACE.sub("", text)
    if any(mark in rest for mark in _MARKS):
        message = Phrase(
            "the prompt {prompt} has a placeholder that is not well formed; it is written {{{{name}}}}", prompt=name
        )
        raise PromptError(message.text(), {"prompt": name})


def _listed(names: list[str]) -> Message:
    return Phrase.joined("{one}, {other}", names) if names else Phrase("none")


JSON_SCHEMA_REQUIREMENT = """
# RESPONSE FORMAT (MANDATORY)

You MUST respond with valid JSON ONLY. No markdown, no code blocks, no extra text.

**CRITICAL**: Output ONLY the raw JSON object. Do NOT wrap in ```json or ``` markdown blocks.
"""
"""The part that is the same for every type that is an object: the text of the specification "unified JSON response
formats", to the character."""

_SHAPE = r"""- Inside a string, write a line break as \n, a double quote as \" and a backslash as \\.
- No comments, no trailing commas, no ellipsis in place of content. Keys exactly as given.

Shape of the <root> (what follows // describes a key and is not part of the answer):
"""
_ROOTS = {"object": "object", "array": "array", "any": "object or array", "scalar": "value"}
"""What the root of an answer is called in the prompt."""


def with_json_requirement(prompt: str, output_model: AnswerType[Any]) -> str:
    """Append the JSON requirement and the description of the target type to a prompt.

    Each of the two is appended unless the prompt already holds the whole of it, so that applying this again, or to a
    template that states the requirement itself, changes nothing. A prompt that quotes a part of either gets it all the
    same. The prompt itself is left as it is; one made for another type therefore still describes that type.
    """
    for part in requirement_of(output_model):
        if not _holds(prompt, part):
            prompt = f"{prompt}\n\n{part}" if prompt else part
    return prompt


@per_type
def requirement_of(output_model: AnswerType[Any]) -> tuple[str, str]:
    """The two parts that `with_json_requirement` appends: the requirement, and the description of the type."""
    root = _ROOTS[name_of_roots(roots_of(adapter_of(output_model).core_schema))]
    requirement = JSON_SCHEMA_REQUIREMENT.strip("\n").replace("JSON object", f"JSON {root}")
    return requirement, _SHAPE.replace("<root>", root) + describe_type(output_model)


def _holds(prompt: str, part: str) -> bool:
    """Whether the part stands in the prompt as whole lines: the beginning of a longer one is another text."""
    return f"\n{part}\n" in f"\n{prompt}\n"
