"""Whatever the type: an answer that fills in its description is one that the type accepts."""

import json
import re
from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from src.shared.domain.type_description import describe_type
from tests.thorough import at_length

WORDS = st.text(st.characters(categories=["Ll", "Lo"], max_codepoint=0x9FFF), min_size=1, max_size=8)
TEXTS = st.text(st.characters(categories=["L", "N", "P", "Z", "Cc"]), max_size=20)
SCALARS = {"string": '"s"', "integer": "3", "number": "0.5", "boolean": "true", "null": "null", "any": "[]"}


def literals() -> st.SearchStrategy[Any]:
    """A `Literal` of a few texts."""
    return st.lists(WORDS, min_size=1, max_size=3, unique=True).map(lambda members: Literal[tuple(members)])


def models(of: st.SearchStrategy[Any]) -> st.SearchStrategy[type[BaseModel]]:
    """A model whose fields are of these types, required or not, described in any text."""
    field = st.tuples(of, TEXTS, st.booleans()).map(
        lambda drawn: (drawn[0], Field(description=drawn[1]) if drawn[2] else Field(default=None, description=drawn[1]))
    )
    return st.lists(field, min_size=1, max_size=4).map(
        lambda fields: create_model("Made", **{f"f{at}": field for at, field in enumerate(fields)})  # type: ignore[call-overload]  # names made at run time
    )


TYPES = st.recursive(
    st.sampled_from([str, int, float, bool, Any]) | literals(),
    lambda inner: st.one_of(
        inner.map(lambda type_: list[type_]),  # type: ignore[valid-type]  # drawn at run time
        inner.map(lambda type_: type_ | None if isinstance(type_, type) else type_),
        st.tuples(inner, inner).map(lambda pair: tuple[pair]),  # type: ignore[valid-type]  # drawn at run time
        models(inner),
    ),
    max_leaves=8,
)


def filled_in(description: str) -> str:
    """Fill a description in as a model is to read it: no comments, the first of several types, a value for each."""
    skeleton = "\n".join(line.partition(" // ")[0] for line in description.splitlines())
    skeleton = skeleton.replace(" (items =2)", "")
    skeleton = re.sub(r'(?: \| (?:"[^"]*"|[a-z]+))+', "", skeleton)
    return re.sub(r'"[^"]*"|[a-z]+', lambda word: SCALARS.get(word[0], word[0]), skeleton)


def names_in(model: type[BaseModel]) -> list[str]:
    """The field names of a model, in order."""
    return list(model.model_fields)


@settings(max_examples=at_length(20, 80))  # each makes classes, which is slow
@given(models(TYPES))
def test_description_filled_in_is_an_answer(model: type[BaseModel]) -> None:
    described = describe_type(model)
    if "Made" in described:  # a type made twice under one name is written apart, and this reader reads one object
        return
    answer = json.loads(filled_in(described))
    assert list(answer) == names_in(model)
    model.model_validate(answer)


@settings(max_examples=at_length(20, 80))  # each makes classes, which is slow
@given(models(TYPES))
def test_comments_end_with_their_line(model: type[BaseModel]) -> None:
    """Whatever a description holds, every line is a member, an opening or a closing one."""
    lines = [line.strip() for line in describe_type(model).splitlines()]
    assert all(re.match(r'"f\d": |\{|[}\]]|\w+ = ', line) for line in lines)
