"""What both advocates' answers need before validation: lists of text, however they were written."""

from typing import Any

from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.agents.normalizers import each_object, null_to_empty_list, wrap_single_text


def argument_normalizers(*text_lists: str) -> tuple[Normalizer, ...]:
    """Make an advocate's normalizers: for `supporting_arguments`, and for these lists of its own."""
    fields = ("supporting_arguments", *text_lists)
    return (
        null_to_empty_list(*fields),
        wrap_single_text(*fields),
        each_object("supporting_arguments", argument_text),
    )


def argument_text(item: dict[str, Any]) -> str | dict[str, Any]:
    """Render `{dimension, argument, evidence, strength}` as `"dimension: argument"`.

    The evidence stands in for an argument that is missing, null or blank; without a dimension the text stands
    alone. An item with neither argument nor evidence, or with something other than text in a part that is
    needed, is returned as it is.
    """
    dimension = item.get("dimension")
    text = item.get("evidence") if _is_absent(item.get("argument")) else item.get("argument")
    if not isinstance(text, str) or not text.strip():
        return item
    if _is_absent(dimension):
        return text
    return f"{dimension}: {text}" if isinstance(dimension, str) else item


def _is_absent(part: object) -> bool:
    return part is None or (isinstance(part, str) and not part.strip())
