"""The addresses of the page: itself, its parts, the box that explains a text, and its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.page.explaining import Explained, Pasted, Unexplained, explained, marked
from src.entrypoints.http.page.overview import (
    ROWS,
    WINDOWS,
    Filters,
    Overview,
    Overviews,
    chart_of,
    name_shown,
    ranked_rates,
)
from src.entrypoints.http.page.rendering import (
    COOKIE,
    EXAMPLE,
    PARAMETER,
    TAGS,
    Asset,
    environment,
    language_of,
    own_name,
    read_assets,
    ugly_texts,
    words_in,
)
from src.entrypoints.http.service import Service
from src.entrypoints.reports.words import said
from src.modules.monitoring.container import watch_alarms
from src.modules.monitoring.domain.exceptions import StoreError, StoreMissingError, StoreVersionError
from src.modules.monitoring.domain.rate import Rate
from src.shared.domain.language import Language, speaking
from src.shared.infrastructure.events.library_log import write

ADDRESS = "X-Page-Address"
"""Header of the parts: the address at which the page has these numbers."""
_FINISHED = {"yes": True, "no": False}
_YEAR = 31_536_000
_NOTHING = Pasted("")


def page_of(service: Service, store_url: str | None) -> APIRouter:
    """The routes of the page; they need no other route, and no file but the package's own.

    Args:
        service: reads the store and the texts.
        store_url: the address of the store; None where none is set.
    """
    alarms = watch_alarms(store_url) if store_url else None
    titles = [(name, f"{agent.output.label} · {name}") for name, agent in AGENTS.items()]
    page = _Page(service, Overviews(service.rates, alarms) if service.rates else None, titles)
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    router.add_api_route("/", page.whole, methods=["GET"])
    router.add_api_route("/parts", page.parts, methods=["GET"])
    router.add_api_route("/explain", page.explained, methods=["POST"])
    router.add_api_route("/explain", page.back, methods=["GET"])
    router.add_api_route("/static/{name}", page.static, methods=["GET"])
    return router


@dataclass(frozen=True)
class _Page:
    service: Service
    overviews: Overviews | None
    agents: Sequence[tuple[str, str]]
    assets: dict[str, Asset] = field(default_factory=read_assets)

    def whole(self, request: Request) -> Response:
        """The page; in a thread, since the store takes its time."""
        return self._whole(request, _NOTHING, None)

    def parts(self, request: Request) -> Response:
        """What changes in it, for the script that refreshes it; the address of the page becomes that of the filters."""
        filters = Filters.of(request.query_params)
        with speaking(_language(request)):
            html = environment().get_template("parts.html.j2").render(self._stored(request, filters))
        return _html(html, {ADDRESS: f"./{filters.address()}"})

    async def explained(self, request: Request) -> Response:
        """What became of a pasted text: alone for the script, else in the page."""
        try:
            form = await request.form(max_files=0, max_fields=8, max_part_size=self.service.settings.max_body)
        except HTTPException:
            with speaking(_language(request)):
                why = said("The form cannot be read; try again.")
            return await run_in_threadpool(self._answer, request, _NOTHING, Unexplained(_NOTHING, why))
        pasted = _pasted(form, _language(request))
        size = len(pasted.text) + len(pasted.schema)
        found = await self.service.pool.run(explained, pasted, size=size)
        return await run_in_threadpool(self._answer, request, pasted, found)

    async def back(self) -> Response:
        """To the page: somebody has opened the address of an explanation."""
        return RedirectResponse("./#explain", 303)

    async def static(self, request: Request, name: str) -> Response:
        """A file; its name changes with its content, so that it is never asked for again."""
        asset = next((one for one in self.assets.values() if one.name == name), None)
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
            shown = {"w": words_in(language), **_shown(found)}
            return _html(environment().get_template("explained.html.j2").render(shown))

    def _whole(self, request: Request, pasted: Pasted, found: Explained | Unexplained | None) -> Response:
        language, filters = _language(request), Filters.of(request.query_params)
        example = ugly_texts().get(request.query_params.get(EXAMPLE, ""))
        if example and pasted is _NOTHING:
            pasted = Pasted(example["text"], schema=example["schema"], language=language)
        with speaking(language):
            shown = self._stored(request, filters) | {
                "other_tag": TAGS[_other(language)],
                "other_name": own_name(_other(language)),
                "other_address": "./" + filters.address(**{PARAMETER: _other(language).value}),
                "assets": {file: asset.name for file, asset in self.assets.items()},
                "agents": self.agents,
                "pasted": pasted,
                "examples": ugly_texts().values(),
                "example": example and example["name"],
                "word": language.value,
                "finished": next((name for name, value in _FINISHED.items() if value is pasted.finished), "unknown"),
                **_shown(found),
            }
            response = _html(environment().get_template("page.html.j2").render(shown))
        if request.query_params.get(PARAMETER) == language.value:
            path = request.scope.get("root_path") or "/"
            response.set_cookie(COOKIE, language.value, max_age=_YEAR, path=path, httponly=True, samesite="lax")
        return response

    def _stored(self, request: Request, filters: Filters) -> dict[str, Any]:
        """What the store says, or the name of the sentence that stands in its place."""
        language = _language(request)
        found = self.overviews.of(filters) if self.overviews else None
        shown: dict[str, Any] = {
            "w": words_in(language),
            "tag": TAGS[language],
            "filters": filters,
            "windows": [*WINDOWS],
        }
        agents: Sequence[Rate] = ()
        models: Sequence[Rate] = ()
        if not isinstance(found, Overview):
            state = _state(found)
        elif found.facts.newest is None:
            state = "empty_store"
        else:
            state, agents, models = "", found.agents, found.models
            shown |= {"found": found, "chart": chart_of(found.points, filters, found.at)}
        names = {"agent": _options(agents, filters.agent), "model": _options(models, filters.model)}
        return shown | {"names": names, "state": state}


def _language(request: Request) -> Language:
    return language_of(request.query_params, request.cookies, request.headers.get("accept-language", ""))


def _other(language: Language) -> Language:
    return Language.EN if language is Language.ZH else Language.ZH


def _options(rates: Sequence[Rate], chosen: str) -> list[str]:
    """Names to choose from, by name; the chosen one is always among them."""
    return sorted({name for name in (*(name_shown(rate.name) for rate in ranked_rates(rates)[:ROWS]), chosen) if name})


def _state(error: StoreError | None) -> str:
    """What stands in the place of the numbers; the address and the reason are for the log alone."""
    if error is None:
        return "no_store"
    if isinstance(error, StoreMissingError):
        return "empty_store"
    write("warning", "llm_store_unreadable", lambda: {"code": error.code, "reason": error.message})
    return "old_store" if isinstance(error, StoreVersionError) else "unreadable_store"


def _pasted(form: FormData, language: Language) -> Pasted:
    """What the form holds; a browser sends every line end as two characters, and the reader pasted one."""
    text, agent, schema, finished = (str(form.get(name, "")) for name in ("text", "agent", "schema", "finished"))
    plain = text.replace("\r\n", "\n")
    return Pasted(plain, agent, schema.replace("\r\n", "\n"), _FINISHED.get(finished), language)


def _shown(found: Explained | Unexplained | None) -> dict[str, Any]:
    return marked(found) if isinstance(found, Explained) else {"explained": found}


def _html(text: str, headers: dict[str, str] | None = None) -> HTMLResponse:
    """A page that nobody keeps; half of a surrogate pair, which UTF-8 cannot hold, is made visible before."""
    own = {"Cache-Control": "no-store", "Vary": "Accept-Language, Cookie, HX-Request"}
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), headers={**own, **(headers or {})})
