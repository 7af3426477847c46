"""The addresses of the page: itself, its parts, the box that explains a text, and its files."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.page.explained_view import explained_view
from src.entrypoints.http.page.explaining import Explained, Pasted, Unexplained, explained
from src.entrypoints.http.page.overview import WINDOWS, Filters, Overview, Overviews
from src.entrypoints.http.page.rendering import (
    COOKIE,
    EXAMPLE,
    PARAMETER,
    TAGS,
    WORDS,
    Assets,
    environment,
    language_of,
    ugly_texts,
)
from src.entrypoints.http.page.views import ROWS, overview_view
from src.entrypoints.http.service import Service
from src.modules.monitoring.application.read_rates import ReadRates
from src.modules.monitoring.container import alarm_store
from src.modules.monitoring.domain.exceptions import StoreError, StoreMissingError, StoreVersionError
from src.modules.monitoring.domain.ports import AlarmStore
from src.shared.domain.language import Language, speaking
from src.shared.infrastructure.events.library_log import write

Explain: TypeAlias = Callable[[Pasted], Awaitable[Explained | Unexplained]]

MOST_TEXT = 1_048_576
"""Most bytes of a field of the form, if the caller says nothing else."""
ADDRESS = "X-Page-Address"
"""Header of the parts: the address at which the page has these numbers."""
_FINISHED = {"yes": True, "no": False}
_YEAR = 31_536_000
_NOTHING = Pasted("")


def page_router(
    reading: ReadRates | None,
    alarms: AlarmStore | None,
    explain: Explain,
    agents: Sequence[tuple[str, str]],
    *,
    max_text: int = MOST_TEXT,
) -> APIRouter:
    """The routes of the page; they need no other route, and no file but the package's own.

    Args:
        reading: what the store says; None where none is set.
        alarms: the alarms in it; None where none is set.
        explain: explains a pasted text, without stopping the loop; what it raises is the service's to answer.
        agents: name and title of each agent whose type a text can be explained with.
        max_text: most bytes of a pasted text, and of a pasted schema.
    """
    page = _Page(Overviews(reading, alarms) if reading else None, explain, agents, max_text)
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    router.add_api_route("/", page.whole, methods=["GET"])
    router.add_api_route("/parts", page.parts, methods=["GET"])
    router.add_api_route("/explain", page.explained, methods=["POST"])
    router.add_api_route("/explain", page.back, methods=["GET"])
    router.add_api_route("/static/{name}", page.static, methods=["GET"])
    return router


@dataclass(frozen=True)
class _Page:
    overviews: Overviews | None
    explain: Explain
    agents: Sequence[tuple[str, str]]
    max_text: int
    assets: Assets = field(default_factory=Assets)

    def whole(self, request: Request) -> Response:
        """The page; in a thread, since the store takes its time."""
        return self._whole(request, _NOTHING, None)

    def parts(self, request: Request) -> Response:
        """What changes in it, for the script that refreshes it; the address of the page becomes that of the filters."""
        filters = Filters.of(request.query_params)
        with speaking(_language(request)):
            html = self._rendered("parts.html.j2", self._stored(request, filters))
        return _html(html, {ADDRESS: f"./{filters.address()}"})

    async def explained(self, request: Request) -> Response:
        """What became of a pasted text: alone for the script, else in the page."""
        try:
            form = await request.form(max_files=0, max_fields=8, max_part_size=self.max_text)
        except HTTPException:
            why = WORDS[_language(request)]["bad_form"]
            return await run_in_threadpool(self._answer, request, _NOTHING, Unexplained(_NOTHING, why))
        pasted = _pasted(form, _language(request))
        return await run_in_threadpool(self._answer, request, pasted, await self.explain(pasted))

    async def back(self) -> Response:
        """To the page: somebody has opened the address of an explanation."""
        return RedirectResponse("./#explain", 303)

    async def static(self, request: Request, name: str) -> Response:
        """A file; its name changes with its content, so that it is never asked for again."""
        asset = self.assets.named(name)
        if asset is None:
            raise HTTPException(404)
        headers = {"Cache-Control": f"public, max-age={_YEAR}, immutable", "Vary": "Accept-Encoding"}
        if asset.packed and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(asset.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=asset.media_type)
        return Response(asset.content, headers=headers, media_type=asset.media_type)

    def _answer(self, request: Request, pasted: Pasted, found: Explained | Unexplained) -> Response:
        if "hx-request" not in request.headers:
            return self._whole(request, pasted, found)
        language = _language(request)
        with speaking(language):
            shown = {"w": WORDS[language], "explained": _shown(found)}
            return _html(self._rendered("explained.html.j2", shown))

    def _whole(self, request: Request, pasted: Pasted, found: Explained | Unexplained | None) -> Response:
        language, filters = _language(request), Filters.of(request.query_params)
        example = ugly_texts().get(request.query_params.get(EXAMPLE, ""))
        if example and pasted is _NOTHING:
            pasted = Pasted(example["text"], schema=example["schema"], language=language)
        with speaking(language):
            shown = self._stored(request, filters) | {
                "other_tag": TAGS[_other(language)],
                "other_address": "./" + filters.address(**{PARAMETER: _other(language).value}),
                "assets": self.assets.names,
                "agents": self.agents,
                "pasted": pasted,
                "examples": ugly_texts().values(),
                "example": example and example["name"],
                "word": language.value,
                "finished": next((name for name, value in _FINISHED.items() if value is pasted.finished), "unknown"),
                "explained": found and _shown(found),
            }
            response = _html(self._rendered("page.html.j2", shown))
        if request.query_params.get(PARAMETER) == language.value:
            path = request.scope.get("root_path") or "/"
            response.set_cookie(COOKIE, language.value, max_age=_YEAR, path=path, httponly=True, samesite="lax")
        return response

    def _stored(self, request: Request, filters: Filters) -> dict[str, Any]:
        """What the store says, or the sentence that stands in its place."""
        language = _language(request)
        words = WORDS[language]
        answer = self.overviews.of(filters) if self.overviews else None
        shown: dict[str, Any] = {
            "w": words,
            "tag": TAGS[language],
            "filters": filters,
            "windows": tuple(WINDOWS),
            "names": {"agent": _options((), filters.agent), "model": _options((), filters.model)},
            "view": None,
            "has_excerpts": False,
            "sentence": None,
        }
        if not isinstance(answer, Overview):
            return shown | {"sentence": _sentence(answer, words)}
        if answer.facts.newest is None:
            return shown | {"sentence": words["empty_store"]}
        view = overview_view(answer, filters)
        names = {
            "agent": _options([row.name for row in view.agents], filters.agent),
            "model": _options([row.name for row in view.models], filters.model),
        }
        has_excerpts = any(one.excerpt is not None for one in view.refusals)
        return shown | {"view": view, "names": names, "has_excerpts": has_excerpts}

    def _rendered(self, template: str, shown: dict[str, Any]) -> str:
        return _environment().get_template(template).render(shown)


_environment = functools.cache(environment)


def _language(request: Request) -> Language:
    return language_of(request.query_params, request.cookies, request.headers.get("accept-language", ""))


def _other(language: Language) -> Language:
    return Language.EN if language is Language.ZH else Language.ZH


def _options(names: Sequence[str], chosen: str) -> list[str]:
    """Names to choose from, by name; the chosen one is always among them."""
    return sorted({name for name in (*names[:ROWS], chosen) if name})


def _sentence(error: StoreError | None, words: dict[str, str]) -> str:
    """What stands in the place of the numbers; the address and the reason are for the log alone."""
    if error is None:
        return words["no_store"]
    if isinstance(error, StoreMissingError):
        return words["empty_store"]
    write("warning", "llm_store_unreadable", lambda: {"code": error.code, "reason": error.message})
    return words["old_store" if isinstance(error, StoreVersionError) else "unreadable_store"]


def _pasted(form: FormData, language: Language) -> Pasted:
    """What the form holds; a browser sends every line end as two characters, and the reader pasted one."""
    text, agent, schema, finished = (str(form.get(name, "")) for name in ("text", "agent", "schema", "finished"))
    plain = text.replace("\r\n", "\n")
    return Pasted(plain, agent, schema.replace("\r\n", "\n"), _FINISHED.get(finished), language)


def _shown(found: Explained | Unexplained) -> Any:  # noqa: ANN401 - a template's
    return explained_view(found) if isinstance(found, Explained) else found


def _html(text: str, headers: dict[str, str] | None = None) -> HTMLResponse:
    """A page that nobody keeps; half of a surrogate pair, which UTF-8 cannot hold, is made visible before."""
    own = {"Cache-Control": "no-store", "Vary": "Accept-Language, Cookie, HX-Request"}
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), headers={**own, **(headers or {})})


def page_of(service: Service, store_url: str | None) -> APIRouter:
    """The page's routes.

    Args:
        service: reads the store and the texts.
        store_url: the address of the store; None where none is set.
    """

    async def explain(pasted: Pasted) -> Explained | Unexplained:
        size = len(pasted.text) + len(pasted.schema)
        return await service.pool.run(explained, pasted, size=size)

    alarms = alarm_store(store_url) if store_url else None
    titles = [(name, f"{agent.output.label} · {name}") for name, agent in AGENTS.items()]
    return page_router(service.rates, alarms, explain, titles, max_text=service.settings.max_body)
