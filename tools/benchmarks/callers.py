"""The clients whose calls are compared, and what each of them is asked.

Each gets the type and the same words, puts them into a request in its own way, and returns the object. The bare client
sends the prompt that ours sends, and decodes the answer with `json.loads`: less cannot be done.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.modules.research.domain.dtos.macro_dtos import MacroIntelligenceResultDTO
from src.modules.workbench.domain.response_formats import IntentResponse
from src.shared.domain.prompt import with_json_requirement

_RECORDINGS = Path(__file__).parents[2] / "src/entrypoints/cli/recordings"
_KEY = "none"

Ask = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked.

    Attributes:
        name: what it is called in the tables; the model's name in the request, by which the server chooses its answer.
        dto_type: the type of the answer.
        answer: the text that the server answers with.
    """

    name: str
    dto_type: type[BaseModel]
    answer: str

    @property
    def prompt(self) -> str:
        """A prompt of a few words."""
        return f"Give a {self.name}."


ASKED = {
    asked.name: asked
    for asked in (
        Asked("intent", IntentResponse, '{"action": "train", "reason": "用户要求开始训练。"}'),
        Asked("verdict", VerdictResult, (_RECORDINGS / "verdict/clean.txt").read_text("utf-8")),
        Asked("macro", MacroIntelligenceResultDTO, (_RECORDINGS / "macro_intelligence/clean.txt").read_text("utf-8")),
    )
}
"""A small type of the workbench, and two of the agents."""


@asynccontextmanager
async def bare_client(url: str, asked: Asked) -> AsyncIterator[Ask]:
    """The `openai` client and `json.loads`."""
    from openai import AsyncOpenAI  # noqa: PLC0415 - each client is imported where it is measured

    prompt = with_json_requirement(asked.prompt, asked.dto_type)
    request: dict[str, Any] = {"model": asked.name, "messages": [{"role": "user", "content": prompt}]}
    async with AsyncOpenAI(base_url=url, api_key=_KEY, max_retries=0) as client:

        async def ask() -> object:
            completion = await client.chat.completions.create(**request, temperature=0.7)
            return json.loads(completion.choices[0].message.content or "")

        yield ask


@asynccontextmanager
async def ours(url: str, asked: Asked) -> AsyncIterator[Ask]:
    """`call_with_json` of the application, with its events, its log and its budgets."""
    from src.bootstrap import Application  # noqa: PLC0415 - as above

    app = Application()
    app.config.from_dict({"settings": {"base_url": url, "model": asked.name, "api_key": _KEY}, "repair": "agent"})
    llm = app.typed_llm()
    try:

        async def ask() -> object:
            return await llm.call_with_json(asked.prompt, output_model=asked.dto_type)

        yield ask
    finally:
        await app.open_things().aclose()


@asynccontextmanager
async def instructor(url: str, asked: Asked) -> AsyncIterator[Ask]:
    """The JSON mode of instructor, made from the `openai` client."""
    import instructor  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - as above
    from openai import AsyncOpenAI  # noqa: PLC0415 - as above

    async with AsyncOpenAI(base_url=url, api_key=_KEY, max_retries=0) as openai:
        client = instructor.from_openai(openai, mode=instructor.Mode.JSON)

        async def ask() -> object:
            messages = [{"role": "user", "content": asked.prompt}]
            return await client.chat.completions.create(
                model=asked.name, messages=messages, response_model=asked.dto_type, temperature=0.7
            )

        yield ask


@asynccontextmanager
async def pydantic_ai(url: str, asked: Asked) -> AsyncIterator[Ask]:
    """An agent of pydantic-ai with the type as `PromptedOutput`, made once."""
    from openai import AsyncOpenAI  # noqa: PLC0415 - as above
    from pydantic_ai import Agent, PromptedOutput  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415
    from pydantic_ai.models.openai import (  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415
        OpenAIChatModel,
    )
    from pydantic_ai.providers.openai import (  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415
        OpenAIProvider,
    )

    async with AsyncOpenAI(base_url=url, api_key=_KEY, max_retries=0) as client:
        model = OpenAIChatModel(asked.name, provider=OpenAIProvider(openai_client=client))
        agent = Agent(model, output_type=PromptedOutput(asked.dto_type))

        async def ask() -> object:
            return (await agent.run(asked.prompt, model_settings={"temperature": 0.7})).output

        yield ask


Caller = Callable[[str, Asked], AbstractAsyncContextManager[Ask]]
BARE = "bare client"
CALLERS: dict[str, tuple[Caller, str]] = {
    BARE: (bare_client, "openai"),
    "ours": (ours, "stamina"),
    "pydantic-ai": (pydantic_ai, "pydantic-ai-slim"),
    "instructor": (instructor, "instructor"),
}
"""By the name in the tables: the caller, and the package without which it is not measured."""
