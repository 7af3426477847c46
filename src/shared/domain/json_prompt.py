"""What a prompt needs to be answered in JSON: the requirement, and the shape of the answer."""

from __future__ import annotations

from typing import Any

from src.shared.domain.answer_type import AnswerType, adapter_of, per_type
from src.shared.domain.type_description import describe_type
from src.shared.domain.type_shapes import name_of_roots, roots_of

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
_ROOTS = {"object": "object", "array": "array", "any": "object or array"}
"""What the root of an answer is called in the prompt."""


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
    root = _ROOTS[name_of_roots(roots_of(adapter_of(output_model).core_schema))]
    requirement = JSON_SCHEMA_REQUIREMENT.strip("\n").replace("JSON object", f"JSON {root}")
    return requirement, _SHAPE.replace("<root>", root) + describe_type(output_model)


def _holds(prompt: str, part: str) -> bool:
    """Whether the part stands in the prompt as whole lines: the beginning of a longer one is another text."""
    return f"\n{part}\n" in f"\n{prompt}\n"
