"""What `reading_as` puts into a type is in every library's integration, since each takes a type."""

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from src.integrations import langchain, llama_index
from src.integrations.pydantic_ai import unified_output
from src.shared.domain.read_as import reading_as

pytestmark = pytest.mark.anyio


class Review(BaseModel):
    title: str
    formula: str = ""


WRAPPED = r'{"output": {"title": "A", "formula": "\frac{1}{2}"}}'
TYPE = reading_as(Review, unwrap=True, escapes="latex")
REVIEW = Review(title="A", formula=r"\frac{1}{2}")


def test_langchain_reads_so() -> None:
    parser = langchain.UnifiedOutputParser(TYPE)

    assert parser.parse(WRAPPED) == REVIEW
    assert '"title"' in parser.get_format_instructions()


def test_llama_index_reads_so() -> None:
    assert llama_index.UnifiedOutputParser(TYPE).parse(WRAPPED) == REVIEW


async def test_pydantic_ai_reads_so() -> None:
    agent = Agent(TestModel(custom_output_text=WRAPPED), output_type=unified_output(TYPE))

    assert (await agent.run("Review.")).output == REVIEW
