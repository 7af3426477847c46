"""An instructor client whose answers are read by the parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, overload

from instructor import AsyncInstructor, Instructor, Mode, Provider
from instructor.v2.core.errors import ModeError
from instructor.v2.core.patch import patch_v2
from openai import AsyncOpenAI, OpenAI

from src.integrations.instructor.handlers import BESIDE, MODES
from src.integrations.instructor.reading import Options, options_of_call
from src.shared.domain.normalizer import Normalizer
from src.shared.infrastructure.parsing.state import Several


@overload
def from_openai(
    client: OpenAI,
    mode: Mode = ...,
    model: str | None = ...,
    *,
    normalizers: Sequence[Normalizer] | None = ...,
    context_label: str = ...,
    several: Several = ...,
    coerce: bool = ...,
    **kwargs: Any,  # noqa: ANN401 - as instructor has it
) -> Instructor: ...


@overload
def from_openai(
    client: AsyncOpenAI,
    mode: Mode = ...,
    model: str | None = ...,
    *,
    normalizers: Sequence[Normalizer] | None = ...,
    context_label: str = ...,
    several: Several = ...,
    coerce: bool = ...,
    **kwargs: Any,  # noqa: ANN401 - as instructor has it
) -> AsyncInstructor: ...


def from_openai(
    client: OpenAI | AsyncOpenAI,
    mode: Mode = Mode.TOOLS,
    model: str | None = None,
    *,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    several: Several = "refuse",
    coerce: bool = False,
    **kwargs: Any,
) -> Instructor | AsyncInstructor:
    """An instructor client whose answers are read by the parser.

    A reply that is refused is asked for again by instructor, with the error's text for the model, up to `max_retries`
    times; then instructor raises `InstructorRetryException`. One that the model's length limit cut raises
    `IncompleteOutputException` at once. Both have the `LLMJsonParseError` in their chain of causes. A stream
    (`create_partial`, `create_iterable`) gives what is certain as it comes, or nothing before its end if an option may
    still change it: `normalizers`, `coerce`, the `last` of several. If the answer is refused in the end, it raises, and
    nobody is asked again.

    Args:
        client: a client of chat completions, of any provider that speaks OpenAI's API.
        mode: one of `MODES`.
        model: the model of requests that name none.
        normalizers: as for `parse_llm_json_output`.
        context_label: the client's name for the log.
        several: as for `parse_llm_json_output`.
        coerce: as for `parse_llm_json_output`.
        kwargs: as for `instructor.from_openai`.

    Raises:
        ModeError: the mode is another one.

    .. versionadded:: 0.1.0
    """
    if mode not in MODES:
        raise ModeError(mode=mode.value, provider=Provider.OPENAI.value, valid_modes=[known.value for known in MODES])
    options = Options(normalizers, context_label, several, coerce)
    create = patch_v2(client.chat.completions.create, provider=BESIDE, mode=mode, default_model=model)
    if isinstance(client, AsyncOpenAI):
        return AsyncInstructor(client=client, create=_async_with(options, create), mode=mode, **kwargs)
    return Instructor(client=client, create=_with(options, create), mode=mode, **kwargs)


def _with(options: Options, create: Callable[..., Any]) -> Callable[..., Any]:
    def created(**kwargs: Any) -> Any:  # noqa: ANN401 - what instructor passes on
        with _set(options):
            return create(**kwargs)

    return created


def _async_with(options: Options, create: Callable[..., Any]) -> Callable[..., Any]:
    async def created(**kwargs: Any) -> Any:  # noqa: ANN401 - what instructor passes on
        with _set(options):
            return await create(**kwargs)

    return created


@contextmanager
def _set(options: Options) -> Iterator[None]:
    token = options_of_call.set(options)
    try:
        yield
    finally:
        options_of_call.reset(token)
