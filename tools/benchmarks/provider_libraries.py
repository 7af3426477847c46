"""What libraries that speak to many providers weigh: `tools.benchmarks.provider_libraries` (needs a package index).

Each is installed into an environment of its own, beside what the extra `llm` has already. docs/adr/0016-native-apis.md
weighs what it prints.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.benchmarks.start import seconds_of

HOME = Path(__file__).parents[2] / ".cache/provider-libraries"
ALREADY = ("httpx2>=2.12", "stamina>=25.1", "pydantic-settings>=2.6", "structlog>=24.1", "dependency-injector>=4.46")
LIBRARIES: dict[str, tuple[tuple[str, ...], str]] = {
    "the extra `llm`": ((), "import httpx2, stamina"),
    "pydantic-ai 2.68.0": (
        ("pydantic-ai-slim[anthropic,bedrock,google,mistral]==2.68.0",),
        "import pydantic_ai.direct, pydantic_ai.models.anthropic",
    ),
    "any-llm 1.40.2": (
        ("any-llm-sdk[anthropic,bedrock,gemini,mistral]==1.40.2",),
        "import any_llm; any_llm.AnyLLM.create('anthropic', api_key='k')",
    ),
    "litellm 1.83.0": (("litellm==1.83.0", "boto3"), "import litellm"),
}
"""What is installed, and the code that makes the library ready to ask Anthropic."""
_MEGABYTE = 1_000_000


def main() -> None:
    """Print a row for each library."""
    print("| library | packages | MB installed | seconds to import |\n| --- | --- | --- | --- |")
    for name, (requirements, ready) in LIBRARIES.items():
        python = _installed(name, requirements)
        packages = next(python.parents[1].glob("lib/python*/site-packages"))
        size = sum(file.stat().st_size for file in packages.rglob("*") if file.is_file())
        count = len(list(packages.glob("*.dist-info")))
        print(f"| {name} | {count} | {size / _MEGABYTE:.0f} | {seconds_of(str(python), '-c', ready):.1f} |")


def _installed(name: str, requirements: tuple[str, ...]) -> Path:
    """The Python of an environment with the requirements."""
    home = HOME / "".join(letter for letter in name if letter.isalnum())
    python = home / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)  # noqa: S603 - our own command
        pip = [f"{sys.base_prefix}/bin/python3", "-m", "pip"]
        subprocess.run([*pip, "--python", python, "install", "--quiet", *ALREADY, *requirements], check=True)  # noqa: S603 - as above
    return python


if __name__ == "__main__":
    main()
