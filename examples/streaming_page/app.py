"""The page and its events: `python -m examples.streaming_page.app`, then http://127.0.0.1:8000.

It needs `fastapi` and `uvicorn` beside the extra `cli`, and no account: the answers are recorded.
"""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates

from examples.streaming_page.answers import RECORDED, Answer
from examples.streaming_page.events import events_of
from examples.streaming_page.report import Report
from examples.written_in_chunks import written_in_chunks

_FOLDER = Path(__file__).parent
_TEMPLATES = Jinja2Templates(_FOLDER)
_POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
}


def create_app(answers: Mapping[str, Answer] = RECORDED, *, size: int = 6, pause: float = 0.04) -> FastAPI:
    """The application.

    Args:
        answers: what may be shown, by name.
        size: characters of a chunk.
        pause: seconds after each chunk.
    """
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
        """An answer while it is written."""
        chunks = written_in_chunks(answer.text, size, pause)
        async for event in events_of(chunks, Report, finished=answer.finished):
            yield event

    return app


if __name__ == "__main__":
    uvicorn.run(create_app(), host="127.0.0.1", port=8000)
