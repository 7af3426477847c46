"""What a prompt needs to be answered in JSON: the requirement, and the shape of the answer."""

from __future__ import annotations

from pydantic import BaseModel

from src.shared.application.type_description import describe_type

JSON_SCHEMA_REQUIREMENT = r"""# RESPONSE FORMAT (MANDATORY)

You MUST respond with valid JSON ONLY: one object, from its first { to its last }.

- Nothing around the object: no Markdown, no code fence, no text before or after it.
- Inside a string, write a line break as \n, a double quote as \" and a backslash as \\.
- No comments, no trailing commas, no ellipsis in place of content. Keys exactly as given."""
"""The part that is the same for every type. Source: specification "unified JSON response formats"."""

_SHAPE = "Shape of the object (what follows // describes a key and is not part of the answer):"


def with_json_requirement(prompt: str, output_model: type[BaseModel]) -> str:
    """Append the JSON requirement and the description of the target type to a prompt.

    Each of the two is appended unless the prompt already holds the whole of it, so that applying this again, or to a
    template that states the requirement itself, changes nothing. A prompt that quotes a part of either gets it all the
    same. The prompt itself is left as it is; one made for another type therefore still describes that type.
    """
    shape = f"{_SHAPE}\n{describe_type(output_model)}"
    for part in (JSON_SCHEMA_REQUIREMENT, shape):
        if not _holds(prompt, part):
            prompt = f"{prompt}\n\n{part}" if prompt else part
    return prompt


def _holds(prompt: str, part: str) -> bool:
    """Whether the part stands in the prompt as whole lines: the beginning of a longer one is another text."""
    return f"\n{part}\n" in f"\n{prompt}\n"
