"""Known vulnerabilities of everything that `uv.lock` pins: `python -m tools.audit`.

pip-audit asks PyPI's advisories, in an environment of its own. What cannot be looked up fails as a vulnerability does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.environment import ENVIRONMENTS, make, python_of, requirements_of

GROUPS = ("dev", "instructor", "evaluations", "bench", "fuzz", "audit", "install")
"""Groups of `pyproject.toml` which hold all others."""
OPTIONS = ("--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json")


def main(files: list[Path] | None = None) -> int:
    """Audit each file, and print what was found; 0 only where everything was looked up and nothing found."""
    make("audit")
    ended = [_audit(file) for file in files or map(requirements_of, GROUPS)]
    if all(ended):
        print("no known vulnerabilities")
        return 0
    return 1


def _audit(file: Path) -> bool:
    command = (str(python_of(ENVIRONMENTS["audit"].folder)), "-m", "pip_audit", *OPTIONS, "--requirement", str(file))
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
    try:
        found = json.loads(run.stdout)["dependencies"]
    except ValueError:
        why = (run.stderr.strip() or "no answer").splitlines()[-1]
        print(f"{file.name}: NOT AUDITED, the advisories cannot be fetched: {why}")
        return False
    return told(file.name, found)


def told(name: str, found: list[dict[str, Any]]) -> bool:
    """Print what is wrong with one file's packages; whether that is nothing."""
    unknown = [each["name"] for each in found if "vulns" not in each]
    for each in found:
        for one in each.get("vulns", ()):
            fixed = ", ".join(one["fix_versions"]) or "no version"
            print(f"{name}: {each['name']} {each['version']} has {one['id']}, fixed in {fixed}")
    if unknown or not found:
        print(
            f"{name}: NOT AUDITED, no advisories for {len(unknown)} of {len(found)} packages: {', '.join(unknown)}"[
                :300
            ]
        )
    else:
        print(f"{name}: {len(found)} packages looked up")
    return bool(found) and not unknown and not any(each["vulns"] for each in found)


if __name__ == "__main__":
    sys.exit(main())
