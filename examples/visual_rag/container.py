"""The composition root of this context: which adapter stands behind which port.

Everything is made on first use, and the adapters that need the extra `visual-rag` are imported then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from dependency_injector import containers, providers

from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.transcript.json_lines import JsonLinesTranscript
from examples.visual_rag.transcript.replayed_models import TranscriptModels
from examples.visual_rag.visual_rag_settings import VisualRagSettings, settings_of
from src.bootstrap import Application
from src.modules.visual_rag.application.execute_predictions import Tools
from src.modules.visual_rag.application.generation_manager import LLMGenerationManager, OneModel
from src.modules.visual_rag.domain.ports import CropPort, EpisodeModelsPort, ImagesPort, OcrPort, SearchPort
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from src.shared.application.requests import ObservedLLM
from src.shared.domain.ports.events import EventPort
from src.shared.domain.ports.llm import LLMPort

if TYPE_CHECKING:
    from examples.visual_rag.search.sqlite_search import Progress

INDEX, CROPS, LOADED = "index.sqlite", "crops", "loaded"
"""Names in the folder of a run."""


def _settings() -> VisualRagSettings:
    return settings_of(os.environ)


def _folder(pages: Path, settings: VisualRagSettings) -> PageFolder:
    """The pages; there may be none where a search service has them."""
    return PageFolder(pages, least=0 if settings.search_url else 1)


def _crop(folder: PageFolder, output: Path) -> CropPort:
    from examples.visual_rag.pillow_images import PillowCrop  # noqa: PLC0415 - needs the extra

    return PillowCrop(folder, output / CROPS)


def _images(folder: PageFolder, settings: VisualRagSettings) -> ImagesPort:
    from examples.visual_rag.pillow_images import PillowImages  # noqa: PLC0415 - as above

    return PillowImages(folder, settings.viewing, settings.image_bytes)


def _ocr(folder: PageFolder, settings: VisualRagSettings) -> OcrPort:
    from examples.visual_rag.ocr.tesseract_ocr import TesseractOcr  # noqa: PLC0415 - needs the extra

    return TesseractOcr(folder, settings.ocr_languages, settings.ocr_timeout)


def _search(
    open_things: AsyncExitStack,
    folder: PageFolder,
    ocr: OcrPort,
    settings: VisualRagSettings,
    output: Path,
    progress: Progress | None,
) -> SearchPort:
    """The service of the settings; without one the local index."""
    if settings.search_url:
        from examples.visual_rag.search.http_search import HttpSearch  # noqa: PLC0415 - as above
        from examples.visual_rag.search.service import Service  # noqa: PLC0415 - as above
        from examples.visual_rag.search.service_images import ServiceImages  # noqa: PLC0415 - as above

        service = Service(settings.search_url, settings.search_timeout)
        return HttpSearch(service, ServiceImages(service, folder, output / LOADED))
    from examples.visual_rag.search.page_index import PageIndex  # noqa: PLC0415 - a database driver
    from examples.visual_rag.search.sqlite_search import SqliteSearch  # noqa: PLC0415 - as above

    index = open_things.enter_context(PageIndex(output / INDEX))
    return SqliteSearch(folder, index, ocr, languages=settings.ocr_languages, progress=progress)


def _models(
    replay: Path | None, model: Callable[[], LLMPort], fallback: Callable[[], LLMPort | None], events: EventPort
) -> EpisodeModelsPort:
    """A transcript where there is one; else the model and the one for its failures, whose every request is told of."""
    if replay:
        return TranscriptModels(replay)
    first, other = model(), fallback()
    return OneModel(ObservedLLM(first, events), other and ObservedLLM(other, events))


class VisualRag(containers.DeclarativeContainer):
    """The visual RAG agent on a folder of page images.

    `config.pages`: the folder. `config.output`: the folder of the run, for index, crops and transcript; both are
    `pathlib.Path`. `config.replay`: a transcript to play again instead of asking the model. `config.rules`: the
    `EpisodeRules`, where the usual ones do not do. `config.progress`: is told how many pages of how many have been
    read for the index. `fallback`: the model that goes on with an episode where the first one's provider fails.
    """

    config = providers.Configuration()
    open_things = providers.Dependency(instance_of=AsyncExitStack)
    model: providers.Dependency[LLMPort] = providers.Dependency()
    fallback: providers.Provider[LLMPort | None] = providers.Object(None)
    events: providers.Dependency[EventPort] = providers.Dependency()

    settings = providers.Singleton(_settings)
    folder = providers.Singleton(_folder, config.pages, settings)
    ocr = providers.Singleton(_ocr, folder, settings)
    crop = providers.Singleton(_crop, folder, config.output)
    search = providers.Singleton(_search, open_things, folder, ocr, settings, config.output, config.progress)
    images = providers.Singleton(_images, folder, settings)
    tools = providers.Singleton(
        Tools, search, crop, ocr, images, settings.provided.viewing, settings.provided.search_pages
    )

    models = providers.Singleton(_models, config.replay, model.provider, fallback.provider, events)
    transcript = providers.Singleton(JsonLinesTranscript, config.output)
    manager = providers.Factory(
        LLMGenerationManager,
        models,
        providers.Singleton(VisualRagActionParser),
        tools,
        transcript,
        rules=config.rules,
        events=events,
    )


def visual_rag_of(app: Application) -> VisualRag:
    """The agent over an application's model, which closes what the agent opens."""
    return VisualRag(open_things=app.open_things(), model=app.model, fallback=app.fallback, events=app.events())
