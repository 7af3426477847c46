"""An answer in a page while the model writes it: `python -m examples.streaming_page.app`, then http://127.0.0.1:8000.

It needs `fastapi` and `uvicorn` beside the extra `cli`, and no account: the answers are recorded. With a provider, the
chunks and the finish reason come from its stream.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates
from pydantic import BaseModel, Field

from llm_output import LLMJsonParseError, LLMJsonStream, StreamSnapshot, StreamState

_FOLDER = Path(__file__).parent
_TEMPLATES = Jinja2Templates(_FOLDER)
_POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
}
CHUNK = 6
"""Characters."""


class Finding(BaseModel):
    """One thing that was found."""

    point: str
    weight: int = Field(ge=1, le=5)


class Report(BaseModel):
    """What the model is asked for: a judgement of a product, with its reasons."""

    title: str
    score: int = Field(ge=0, le=100)
    summary: str
    findings: list[Finding]


class Answer(NamedTuple):
    """A model's answer: its name for people, all that was written, and whether the model stopped by itself."""

    label: str
    text: str
    finished: bool = True


def _recorded(name: str, label: str, *, finished: bool = True) -> Answer:
    return Answer(label, (_FOLDER / f"answers/{name}.txt").read_text(encoding="utf-8"), finished)


RECORDED: Mapping[str, Answer] = {
    "damaged": _recorded("damaged", "A draft in front, and damaged JSON"),
    "wrong": _recorded("wrong", "A score that is no number"),
    "cut": _recorded("cut", "Cut off in the middle", finished=False),
}


def create_app(answers: Mapping[str, Answer] = RECORDED, pause: float = 0.04) -> FastAPI:
    """The application: the answers that may be shown, by name, and the seconds after each chunk of one."""
    app = FastAPI()
    app.mount("/static", StaticFiles(directory=_FOLDER / "static"))

    def known(name: str) -> Answer:
        if name not in answers:
            raise HTTPException(404)
        return answers[name]

    @app.get("/")
    def page(request: Request) -> Response:
        """The page: the names of the answers, and places for what is read."""
        labels = {name: answer.label for name, answer in answers.items()}
        return _TEMPLATES.TemplateResponse(request, "page.html", {"labels": labels}, headers=_POLICY)

    @app.get("/answers/{name}/events", response_class=EventSourceResponse)
    async def events(answer: Annotated[Answer, Depends(known)]) -> AsyncIterator[ServerSentEvent]:
        """An answer while it is written: events `snapshot`, then one event `accepted` or `refused`."""
        stream, sent, state = LLMJsonStream(Report), dict[str, int](), StreamState.WAITING
        for at in range(0, len(answer.text), CHUNK):
            snapshot = stream.feed(answer.text[at : at + CHUNK])
            if snapshot.changed or snapshot.state != state:
                state = snapshot.state
                parts = [_part(path, snapshot, sent) for path in snapshot.changed]
                yield ServerSentEvent(data={"state": state, "parts": parts}, event="snapshot")
            await asyncio.sleep(pause)
        try:
            value = stream.close(answer.finished)
        except LLMJsonParseError as error:
            yield ServerSentEvent(data={"message": error.message}, event="refused")
        else:
            yield ServerSentEvent(data={"value": value}, event="accepted")

    return app


def _part(path: str, snapshot: StreamSnapshot[Any], sent: dict[str, int]) -> dict[str, object]:
    """What is new at a path: what a string grew by, or another value as JSON; the members of others have their own.

    `sent` is how much of each string was told before: each character is sent once.
    """
    value, kind, text = snapshot.at(path), "other", ""
    if isinstance(value, str):
        kind, text = "string", value[sent.get(path, 0) :]
        sent[path] = len(value)
    elif isinstance(value, dict | list):
        kind = "object" if isinstance(value, dict) else "array"
    else:
        text = json.dumps(value)
    return {"path": path, "kind": kind, "text": text, "whole": path in snapshot.complete}


if __name__ == "__main__":
    uvicorn.run(create_app(), host="127.0.0.1", port=8000)
