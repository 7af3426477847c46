"""How hypothesis runs: the same examples every time, so that a failure in CI is a failure here.

`pytest --hypothesis-profile=explore` looks for new ones. No test leaves this machine.
"""

import gc
import signal
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.beside import INSTEAD, absent_folders, split_by_need
from tests.installed import missing_browser, missing_tesseract
from tests.loopback.at_home import at_home
from tests.loopback.server import ChatServer
from tests.thorough import at_length

settings.register_profile(
    "project",
    max_examples=at_length(25, 200),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", parent=settings.get_profile("project"), max_examples=3_000, derandomize=False)
settings.load_profile("project")


SLOW = (
    "examples",
    "tests/architecture/test_automation.py",
    "tests/architecture/test_import_time.py",
    "tests/architecture/test_vendor_imports.py",
    "tests/attack",
    "tests/benchmarks",
    "tests/corpus",
    "tests/deploy",
    "tests/docs",
    "tests/end_to_end",
    "tests/entrypoints",
    "tests/examples",
    "tests/integrations",
    "tests/linear",
    "tests/llm_output",
    "tests/modules/monitoring",
    "tests/modules/reparsing",
    "tests/modules/test_every_field.py",
    "tests/modules/visual_rag/test_end_marks.py",
    "tests/modules/visual_rag/test_hostile.py",
    "tests/modules/visual_rag/test_reasoning.py",
    "tests/modules/visual_rag/test_seed_000_properties.py",
    "tests/mutation",
    "tests/packaging",
    "tests/playground",
    "tests/properties",
    "tests/recorded_readings",
    "tests/reference_reader",
    "tests/shared/application/repair_agent/test_proof.py",
    "tests/shared/application/test_budget.py",
    "tests/shared/application/test_finish.py",
    "tests/shared/application/test_loop_goes_on.py",
    "tests/shared/domain/coercion/test_pairs_and_traps.py",
    "tests/shared/domain/reading/test_dialect_pairs.py",
    "tests/shared/domain/reading/test_several_slips.py",
    "tests/shared/domain/test_catalogue.py",
    "tests/shared/domain/test_described_shapes.py",
    "tests/shared/infrastructure/json_schema/test_compile_bounds.py",
    "tests/shared/infrastructure/llm",
    "tests/shared/infrastructure/test_bounds.py",
    "tests/shared/infrastructure/test_leaked_calls.py",
    "tests/shared/infrastructure/test_llm_json_hostile.py",
    "tests/shared/infrastructure/test_tool_call_dialects.py",
    "tests/shared/infrastructure/test_tool_call_stream.py",
    "tests/surfaces",
    "tests/typing",
)
"""Folders and files whose tests take too long for `make quick`."""


@cache
def _is_in(place: Path, places: tuple[str, ...]) -> bool:
    path = place.relative_to(Path(__file__).parent)
    return not {path.as_posix(), *(folder.as_posix() for folder in path.parents)}.isdisjoint(places)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what nobody asks for: that takes as long as the tests."""
    return ("not slow" in config.option.markexpr and _is_in(collection_path, SLOW)) or None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of what is slow."""
    if _is_in(item.path, SLOW):
        item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while the tests are collected, and not among them afterwards: they stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose program is not installed, and say what to install."""
    for marker in item.iter_markers():
        missing = ""
        if marker.name == "browser":
            missing = missing_browser(*marker.args)
        elif marker.name == "tesseract":
            missing = missing_tesseract(*marker.args)
        if missing:
            pytest.skip(missing)


def pytest_report_header() -> list[str]:
    """One line for each folder beside the project that is absent."""
    return [f"../shared/{name} is absent: {INSTEAD[name]}" for name in absent_folders()]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests whose data is not there; see tests/beside.py."""
    items[:], left_out = split_by_need(items)
    if left_out:
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Coroutines marked `anyio` run on asyncio."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _only_loopback() -> Iterator[None]:
    """Every network but loopback is blocked, and no proxy stands in between."""
    with at_home():
        yield


@pytest.fixture(scope="session")
def _running_chat_server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def chat_server(_running_chat_server: ChatServer) -> ChatServer:
    """A chat-completions server on loopback without a script; see tests/loopback/server.py."""
    _running_chat_server.reset()
    return _running_chat_server


@pytest.fixture
def ignored_sigint() -> Iterator[None]:
    """Start each child as a shell starts what runs in the background: SIGINT is ignored until the child handles it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)
