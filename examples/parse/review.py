"""A type of your own, for `--dto examples.parse.review:Review`."""

from pydantic import BaseModel, Field


class Review(BaseModel):
    """What the model is asked for."""

    title: str
    score: int = Field(ge=0, le=100)
    tags: list[str] = []
