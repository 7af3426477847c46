"""Who lacks the packages for a real provider is told how to get them."""

import subprocess
import sys
from pathlib import Path

import pytest

from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.llm.provider_errors import needs_extra

ROOT = Path(__file__).parents[4]

PACKAGES = ["anyio", "httpx2", "httpcore2", "pydantic_settings"]
IMPORT_WITHOUT_EACH = """
import sys
for package in sys.argv[1:]:
    for name in [name for name in sys.modules if name.partition(".")[0] in ("src", package)]:
        del sys.modules[name]
    sys.modules[package] = None
    from src.shared.domain.llm_errors import LLMConfigurationError
    try:
        import src.shared.infrastructure.llm.openai_compatible
    except LLMConfigurationError as error:
        print(package, error.details["package"], error.message)
    del sys.modules[package]
"""


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What one fresh process says without each of the packages: the package, and what else is printed of the error."""
    command = [sys.executable, "-c", IMPORT_WITHOUT_EACH, *PACKAGES]
    lines = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()  # noqa: S603 - our own command
    return dict(line.split(" ", 1) for line in lines)


def test_missing_package_is_named_with_the_command_that_installs_it() -> None:
    with pytest.raises(LLMConfigurationError) as caught, needs_extra():
        import package_that_nobody_has  # type: ignore[import-not-found]  # noqa: F401, PLC0415 - that is the point

    assert caught.value.details["package"] == "package_that_nobody_has"
    assert 'pip install ".[llm]"' in caught.value.message


@pytest.mark.parametrize("package", PACKAGES)
def test_adapter_without_its_extra_says_so(said: dict[str, str], package: str) -> None:
    assert said[package].startswith(package)
    assert "[llm]" in said[package]
