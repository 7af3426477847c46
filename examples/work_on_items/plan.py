"""What the model is asked for: terms to look up."""

from pydantic import BaseModel


class Lookup(BaseModel):
    """One thing to look up."""

    term: str
    why: str


class Plan(BaseModel):
    """What to look up, to answer a question."""

    question: str
    rows: list[Lookup]
