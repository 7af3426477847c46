"""A type, replies that give it or do not, and the parser's error in what a library raises."""

from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError


class Review(BaseModel):
    title: str
    score: int


DAMAGED = "<think>{'title': 'draft', 'score': 1}</think>\n```json\n{'title': '好书', “score”：5,}\n```"
"""A think block with a draft, a fence, single and full-width quotes, a full-width colon, a trailing comma."""
WHOLE = '{"title": "好书", "score": 5}'
GOOD = Review(title="好书", score=5)
"""What both are read as."""
NO_SCORE = '{"title": "好书"}'
FEEDBACK = "不符合契约 Review (does not match the contract)\n- $.score: Field required"
"""What a model is told of it."""


def parse_error_of(error: BaseException) -> LLMJsonParseError:
    """The parser's error in a chain of causes."""
    found: BaseException | None = error
    while not isinstance(found, LLMJsonParseError):
        assert found, f"{error!r} has no parse error among its causes"
        found = found.__cause__
    return found
