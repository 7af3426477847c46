"""The settings name the provider, and only its packages are loaded."""

import json
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.llm.exchange import RecordingLLM
from src.shared.infrastructure.llm.models import ModelFactory, connect
from src.shared.infrastructure.llm.native_llm import NativeLLM
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from src.shared.infrastructure.llm.provider import ModelAddress, Provider
from src.shared.infrastructure.llm.replay import ReplayLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from src.shared.infrastructure.llm.traced import TracedLLM
from tests.shared.infrastructure.llm.asking import KEY

ROOT = Path(__file__).parents[4]
URL = "http://127.0.0.1:9/v1"
PACKAGES: dict[Provider, set[str]] = {
    Provider.OPENAI_COMPATIBLE: set(),
    Provider.ANTHROPIC: {"anthropic", "pydantic_ai"},
    Provider.GEMINI: {"google.genai", "pydantic_ai"},
    Provider.MISTRAL: {"mistralai", "pydantic_ai"},
    Provider.BEDROCK: {"boto3", "pydantic_ai"},
}
CONNECT = """
import json
import sys
from src.shared.infrastructure.llm.exchange import RecordingLLM
from src.shared.infrastructure.llm.models import ModelFactory, connect
from src.shared.infrastructure.llm.settings import LLMSettings

packages = {provider: set(own) for provider, own in json.loads(sys.argv[1]).items()}
known = set().union(*packages.values())

def said(provider):
    settings = LLMSettings(provider=provider, base_url="http://127.0.0.1:9/v1", model="m-1", api_key="k")
    try:
        return repr(connect(settings))
    except Exception as error:
        return f"{type(error).__name__} {error}"

def without(package, provider):
    sys.modules[package] = None
    try:
        return said(provider)
    finally:
        del sys.modules[package]

def forget(package):
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]

native = [provider for provider in packages if provider != "openai_compatible"]
missing = {f"{provider} pydantic_ai": without("pydantic_ai", provider) for provider in native}
loaded = {}
for provider, own in packages.items():
    if provider in native:
        import src.shared.infrastructure.llm.native_llm
        loaded.setdefault("every native provider", [name for name in known if name in sys.modules])
        missing |= {f"{provider} {package}": without(package, provider) for package in own - {"pydantic_ai"}}
    said(provider)
    loaded[provider] = [name for name in known if name in sys.modules]
    for package in own - {"pydantic_ai"}:
        forget(package)
print(json.dumps([missing, loaded]))
"""


class Connected(NamedTuple):
    """What a fresh process says that connects to one provider after the other.

    Attributes:
        missing: the error, for a provider and a package that it lacked.
        loaded: packages that were loaded once a provider was connected, without those that only an earlier one had
            loaded; and those that every native provider loads.
    """

    missing: dict[str, str]
    loaded: dict[str, list[str]]


@pytest.fixture(scope="module")
def connected() -> Connected:
    packages = json.dumps({provider.value: sorted(PACKAGES[provider]) for provider in Provider})
    command = [sys.executable, "-c", CONNECT, packages]
    return Connected(*json.loads(subprocess.check_output(command, cwd=ROOT, text=True)))  # noqa: S603 - our own command


@pytest.mark.parametrize("provider", Provider)
def test_provider_of_the_settings_is_connected(provider: Provider) -> None:
    llm = connect(LLMSettings(provider=provider, base_url=URL, model="m-1", api_key=KEY))

    assert type(llm) is (OpenAICompatibleLLM if provider is Provider.OPENAI_COMPATIBLE else NativeLLM)
    assert repr(llm) == f"{type(llm).__name__}(base_url={URL!r}, model='m-1')"


@pytest.mark.parametrize("provider", Provider)
def test_packages_of_the_other_providers_are_not_loaded(connected: Connected, provider: Provider) -> None:
    assert set(connected.loaded[provider.value]) == PACKAGES[provider]


def test_package_of_no_provider_is_loaded_before_it_is_named(connected: Connected) -> None:
    assert set(connected.loaded["every native provider"]) == {"pydantic_ai"}


@pytest.mark.parametrize(("provider", "package"), [
    *[(provider, "pydantic_ai") for provider in Provider if provider is not Provider.OPENAI_COMPATIBLE],
    (Provider.ANTHROPIC, "anthropic"), (Provider.GEMINI, "google.genai"), (Provider.MISTRAL, "mistralai"),
    (Provider.BEDROCK, "boto3"),
])  # fmt: skip
def test_missing_package_is_named_with_the_command_that_installs_it(
    connected: Connected, provider: Provider, package: str
) -> None:
    said = connected.missing[f"{provider.value} {package}"]

    assert said.startswith("LLMConfigurationError")
    assert package in said
    assert 'pip install ".[providers]"' in said


def test_unknown_provider_is_named() -> None:
    with pytest.raises(LLMConfigurationError) as caught:
        LLMSettings(provider="anybody", base_url=URL, model="m-1")

    assert caught.value.details["variables"] == ["LLM_PROVIDER"]


@pytest.mark.parametrize("provider", [Provider.ANTHROPIC, Provider.GEMINI, Provider.MISTRAL])
def test_key_is_needed_where_no_provider_does_without(provider: Provider) -> None:
    with pytest.raises(LLMConfigurationError) as caught:
        LLMSettings(provider=provider, model="m-1")

    assert caught.value.details["variables"] == ["LLM_API_KEY"]


@pytest.mark.parametrize(
    ("provider", "url"),
    [
        (Provider.ANTHROPIC, "https://api.anthropic.com"),
        (Provider.GEMINI, "https://generativelanguage.googleapis.com"),
        (Provider.MISTRAL, "https://api.mistral.ai"),
        (Provider.BEDROCK, "bedrock-runtime"),
    ],
)
def test_provider_has_an_address_of_its_own(provider: Provider, url: str) -> None:
    assert f"base_url={url!r}" in repr(connect(LLMSettings(provider=provider, model="m-1", api_key=KEY)))


@pytest.mark.parametrize(
    ("provider", "name", "host"),
    [
        (Provider.ANTHROPIC, "anthropic", "api.anthropic.com"),
        (Provider.GEMINI, "gcp.gemini", "generativelanguage.googleapis.com"),
        (Provider.MISTRAL, "mistral_ai", "api.mistral.ai"),
        (Provider.BEDROCK, "aws.bedrock", ""),
    ],
)
def test_traces_name_the_provider_whose_api_is_spoken(provider: Provider, name: str, host: str) -> None:
    settings = LLMSettings(provider=provider, model="m-1", api_key=KEY)

    own = ModelAddress.of(settings.address, settings.model, provider)
    behind_a_gateway = ModelAddress.of(URL, settings.model, provider)

    assert (own.provider, own.host, behind_a_gateway.provider) == (name, host, name)


def test_address_is_needed_for_chat_completions() -> None:
    with pytest.raises(LLMConfigurationError) as caught:
        LLMSettings(model="m-1")

    assert caught.value.details["problems"] == {"LLM_BASE_URL": "Field required"}


# --- what stands around each adapter of an application ------------------------------------------------------------

SETTINGS = {"base_url": "http://127.0.0.1:9/v1", "model": "first"}


@pytest.mark.anyio
async def test_model_is_traced_where_that_is_asked_for() -> None:
    async with AsyncExitStack() as open_things:
        assert isinstance(ModelFactory(open_things, SETTINGS, None, None, "on").first(), TracedLLM)
        assert isinstance(ModelFactory(open_things, SETTINGS, None, None, "off").first(), OpenAICompatibleLLM)


@pytest.mark.anyio
async def test_model_is_recorded_in_every_file_that_is_named(tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    async with AsyncExitStack() as open_things:
        model = ModelFactory(open_things, SETTINGS, None, files, "off").first()

    assert isinstance(model, RecordingLLM)
    assert all(file.exists() for file in files)


@pytest.mark.anyio
async def test_recording_answers_for_every_model(tmp_path: Path) -> None:
    recording = tmp_path / "recording.jsonl"
    recording.write_text('{"prompt": "?", "reply": {"text": "{}"}}\n', encoding="utf-8")
    async with AsyncExitStack() as open_things:
        models = ModelFactory(open_things, None, recording, None, None)

        assert isinstance(models.first(), ReplayLLM)
        assert models.other("other") is None
