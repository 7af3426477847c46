"""A string that ends with a typographic quote: what a stream shows of it stays in the answer."""

import pytest
from pydantic import BaseModel

from src.shared.infrastructure.llm_stream import LLMJsonStream


class Topic(BaseModel):
    topic: str


@pytest.mark.parametrize("sign", "”“＂")
@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_typographic_quote_at_the_end_is_not_shown_as_text(sign: str, size: int) -> None:
    text, stream = f'{{"topic": "AI{sign}\n}}', LLMJsonStream(Topic)
    shown = [(stream.feed(text[at : at + size]).data or {}).get("topic", "") for at in range(0, len(text), size)]
    assert set(shown) <= {"", "A", "AI"}
    assert stream.close(finished=True) == Topic(topic="AI")
