"""What a prompt needs to be answered in JSON: the requirement, and the shape of the answer."""

from __future__ import annotations

from typing import Any

from src.shared.domain.answer_type import AnswerType, adapter_of, per_type
from src.shared.domain.type_description import describe_type
from src.shared.domain.type_shapes import name_of_roots, roots_of

_REQUIREMENT = r"""# RESPONSE FORMAT (MANDATORY)

You MUST respond with valid JSON ONLY: one <root>, from its first <first> to its last <last>.

- Nothing around the <root>: no Markdown, no code fence, no text before or after it.
- Inside a string, write a line break as \n, a double quote as \" and a backslash as \\.
- No comments, no trailing commas, no ellipsis in place of content. Keys exactly as given."""
_SHAPE = "Shape of the <root> (what follows // describes a key and is not part of the answer):"
_WORDS = {
    "object": {"root": "object", "first": "{", "last": "}"},
    "array": {"root": "array", "first": "[", "last": "]"},
    "any": {"root": "object or array", "first": "bracket", "last": "one"},
}


def _said(text: str, root: str) -> str:
    for name, word in _WORDS[root].items():
        text = text.replace(f"<{name}>", word)
    return text


JSON_SCHEMA_REQUIREMENT = _said(_REQUIREMENT, "object")
"""The part that is the same for every type that is an object. Source: specification "unified JSON response formats"."""


def with_json_requirement(prompt: str, output_model: AnswerType[Any]) -> str:
    """Append the JSON requirement and the description of the target type to a prompt.

    Each of the two is appended unless the prompt already holds the whole of it, so that applying this again, or to a
    template that states the requirement itself, changes nothing. A prompt that quotes a part of either gets it all the
    same. The prompt itself is left as it is; one made for another type therefore still describes that type.
    """
    for part in _parts(output_model):
        if not _holds(prompt, part):
            prompt = f"{prompt}\n\n{part}" if prompt else part
    return prompt


@per_type
def _parts(output_model: AnswerType[Any]) -> tuple[str, str]:
    """The requirement, and the description of the type."""
    root = name_of_roots(roots_of(adapter_of(output_model).core_schema))
    return _said(_REQUIREMENT, root), f"{_said(_SHAPE, root)}\n{describe_type(output_model)}"


def _holds(prompt: str, part: str) -> bool:
    """Whether the part stands in the prompt as whole lines: the beginning of a longer one is another text."""
    return f"\n{part}\n" in f"\n{prompt}\n"
