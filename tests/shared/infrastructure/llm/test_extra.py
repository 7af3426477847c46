"""Who lacks the packages for a real provider is told how to get them."""

import subprocess
import sys
from pathlib import Path

import pytest

from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.llm.provider_errors import needs_extra

ROOT = Path(__file__).parents[4]

IMPORT_WITHOUT = """
import sys
sys.modules[{package!r}] = None
from src.shared.domain.llm_errors import LLMConfigurationError
try:
    import src.shared.infrastructure.llm.openai_compatible
except LLMConfigurationError as error:
    print(error.details["package"], error.message)
"""


def test_missing_package_is_named_with_the_command_that_installs_it() -> None:
    with pytest.raises(LLMConfigurationError) as caught, needs_extra():
        import package_that_nobody_has  # type: ignore[import-not-found]  # noqa: F401, PLC0415 - that is the point

    assert caught.value.details["package"] == "package_that_nobody_has"
    assert 'pip install ".[llm]"' in caught.value.message


@pytest.mark.parametrize("package", ["openai", "httpx2", "httpcore2", "stamina", "pydantic_settings"])
def test_adapter_without_its_extra_says_so(package: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", IMPORT_WITHOUT.format(package=package)],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.stdout.startswith(package), done.stderr
    assert "[llm]" in done.stdout
