"""The addresses of the page: itself, its parts, the box that explains a text, and its files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.page.explaining import explain, marked
from src.entrypoints.http.page.overview import ROWS, WINDOWS, Filters, chart_of, displayed_name, overview, ranked_rates
from src.entrypoints.http.page.rendering import (
    COOKIE,
    PARAMETER,
    TAGS,
    assets,
    environment,
    language_of,
    own_name,
    ugly_texts,
)
from src.entrypoints.http.problems import Problem
from src.entrypoints.http.service import Service
from src.entrypoints.reports.words import said
from src.modules.monitoring.domain.exceptions import StoreError, StoreMissingError, StoreVersionError
from src.shared.domain.language import Language, speaking
from src.shared.infrastructure.events.library_log import write

if TYPE_CHECKING:
    from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms

ADDRESS = "X-Page-Address"
"""Header of the parts: the address at which the page has these numbers."""
EXAMPLE = "example"
"""The parameter that names the text that stands in the box."""
_YEAR = 31_536_000
_EMPTY = {"text": "", "agent": "", "schema": "", "finished": "unknown"}


def page_of(service: Service, alarms: WatchAlarms | None) -> APIRouter:
    """The routes of the page; they need no other route, and no file but the package's own.

    Args:
        service: reads the store and the texts.
        alarms: of the store; None where none is set.
    """
    page = _Page(service, alarms)
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    router.add_api_route("/", page.whole, methods=["GET"])
    router.add_api_route("/parts", page.parts, methods=["GET"])
    router.add_api_route("/explain", page.explained, methods=["POST"])
    router.add_api_route("/explain", back, methods=["GET"])
    router.add_api_route("/static/{name}", static, methods=["GET"])
    return router


async def back() -> Response:
    """To the page: somebody has opened the address of an explanation."""
    return RedirectResponse("./#explain", 303)


async def static(request: Request, name: str) -> Response:
    """A file; its name changes with its content, so that it is never asked for again."""
    asset = next((one for one in assets().values() if one.name == name), None)
    if asset is None:
        raise HTTPException(404)
    headers = {"Cache-Control": f"public, max-age={_YEAR}, immutable", "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=asset.media_type)
    return Response(asset.content, headers=headers, media_type=asset.media_type)


class _Page:
    """What is rendered; in threads, since that takes a moment."""

    def __init__(self, service: Service, alarms: WatchAlarms | None) -> None:
        self._service, self._alarms = service, alarms

    async def whole(self, request: Request) -> Response:
        """The page, with an example in its box where one is named."""
        example = ugly_texts().get(request.query_params.get(EXAMPLE, ""), {})
        return await self._whole(request, {name: example.get(name, default) for name, default in _EMPTY.items()})

    async def parts(self, request: Request) -> Response:
        """What changes in it, for the script that refreshes it; the address of the page becomes that of the filters."""
        filters = Filters.of(request.query_params)
        shown = await self._stored(filters)
        return await _html("parts", _language(request), shown, {ADDRESS: f"./{filters.address()}"})

    async def explained(self, request: Request) -> Response:
        """What became of a pasted text: alone for the script, else in the page."""
        language = _language(request)
        with speaking(language):
            try:
                form = await request.form(max_files=0, max_fields=8, max_part_size=self._service.settings.max_body)
            except HTTPException:
                pasted, found = _EMPTY, {"why": said("The form cannot be read; try again.")}
            else:  # a browser sends every line end as two characters, and the reader pasted one
                pasted = {name: str(form.get(name, default)).replace("\r\n", "\n") for name, default in _EMPTY.items()}
                size = len(pasted["text"]) + len(pasted["schema"])
                found = await self._service.pool.run(explain, pasted, size=size)
        if "hx-request" not in request.headers:
            return await self._whole(request, pasted, found)
        return await _html("explained", language, _explained(pasted, found))

    async def _whole(
        self, request: Request, pasted: Mapping[str, str], found: Mapping[str, Any] | None = None
    ) -> Response:
        language, filters = _language(request), Filters.of(request.query_params)
        other = Language.EN if language is Language.ZH else Language.ZH
        shown = {
            "tag": TAGS[language],
            "word": language.value,
            "other_tag": TAGS[other],
            "other_name": own_name(other),
            "other_address": "./" + filters.address(**{PARAMETER: other.value}),
            "assets": {file: asset.name for file, asset in assets().items()},
            "agents": [(name, f"{agent.output.label} · {name}") for name, agent in AGENTS.items()],
            "examples": ugly_texts().values(),
            "example": request.query_params.get(EXAMPLE, ""),
            **_explained(pasted, found),
        }
        response = await _html("page", language, await self._stored(filters) | shown)
        if request.query_params.get(PARAMETER) == language.value:
            path = request.scope.get("root_path") or "/"
            response.set_cookie(COOKIE, language.value, max_age=_YEAR, path=path, httponly=True, samesite="lax")
        return response

    async def _stored(self, filters: Filters) -> dict[str, Any]:
        """What the store says, or the name of the sentence that stands in its place, as `state`."""
        names = {"agent": {filters.agent}, "model": {filters.model}}  # the chosen one is always among them
        shown: dict[str, Any] = {"filters": filters, "windows": [*WINDOWS], "state": "no_store", "names": names}
        reading, alarms = self._service.rates, self._alarms
        if reading and alarms:
            try:
                found = await self._service.answers.ask(filters, partial(overview, filters, reading, alarms))
            except (StoreError, Problem) as error:
                return shown | {"state": _state_of(error)}
            shown["state"] = "" if found["facts"].newest is not None else "empty_store"
            shown |= {"found": found, "chart": chart_of(found["points"], filters, found["at"])}
            for scope, some in names.items():
                some |= {displayed_name(rate.name) for rate in ranked_rates(found[f"{scope}s"])[:ROWS]}
        return shown


def _state_of(error: StoreError | Problem) -> str:
    """What stands in the place of the numbers; the address and the reason are for the log alone."""
    if isinstance(error, StoreMissingError):
        return "empty_store"
    write("warning", "llm_store_unreadable", lambda: {"code": error.code, "reason": str(error)})
    return "old_store" if isinstance(error, StoreVersionError) else "unreadable_store"


def _language(request: Request) -> Language:
    return language_of(request.query_params, request.cookies, request.headers.get("accept-language", ""))


def _explained(pasted: Mapping[str, str], found: Mapping[str, Any] | None) -> dict[str, Any]:
    marks = marked(pasted["text"], found) if found and "why" not in found else {}
    return {"pasted": pasted, "explained": found, **marks}


async def _html(
    template: str, language: Language, shown: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """A page that nobody keeps; half of a surrogate pair, which UTF-8 cannot hold, is made visible before."""
    with speaking(language):
        text = await run_in_threadpool(environment().get_template(f"{template}.html.j2").render, shown)
    own = {"Cache-Control": "no-store", "Vary": "Accept-Language, Cookie, HX-Request"}
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), headers={**own, **(headers or {})})
