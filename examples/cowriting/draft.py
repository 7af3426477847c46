"""What the payload of this folder's envelopes must be."""

from pydantic import BaseModel


class Draft(BaseModel):
    """A paragraph that was rewritten."""

    title: str
    text: str
    changes: list[str]
