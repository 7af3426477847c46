"""The unit of systemd and the Dockerfile name what there is, and the audit does not pretend."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.http.guards import OPEN_PATHS
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from tests.paths import ROOT
from tools import audit

UNIT = ROOT / "tools/deploy/llm-output.service"
DOCKERFILE = (ROOT / "tools/deploy/Dockerfile").read_text(encoding="utf-8")
SETTINGS = {f"OUTPUT_{name}".upper() for name in (*ServiceSettings.model_fields, *MonitoringSettings.model_fields)}


def test_both_set_only_settings_that_there_are() -> None:
    used = set(re.findall(r"\bOUTPUT_[A-Z_]+", UNIT.read_text(encoding="utf-8") + DOCKERFILE))

    assert used
    assert used <= SETTINGS


def test_unit_gives_the_service_more_time_to_stop_than_it_takes() -> None:
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)

    assert int(seconds) > ServiceSettings().stop_timeout


def test_unit_says_how_to_install_what_there_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, extra),) = re.findall(r'pip install "([^"\[]+)\[(\w+)\]"', UNIT.read_text(encoding="utf-8"))

    assert name in {".", project["name"]}
    assert extra in project["optional-dependencies"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze: apt install systemd")
def test_unit_is_valid_and_exposes_little(tmp_path: Path) -> None:
    there = tmp_path / UNIT.name
    there.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/llm-output/bin/llm-output", "/bin/true"), "utf-8")
    checked = subprocess.run(["systemd-analyze", "verify", there], check=False, capture_output=True)  # noqa: S603, S607 - systemd's
    judged = subprocess.run(  # noqa: S603 - systemd's
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", there],  # noqa: S607 - on the path
        check=False,
        capture_output=True,
    )

    assert (checked.returncode, checked.stderr) == (0, b"")
    assert judged.returncode == 0, judged.stdout.decode()


def test_image_copies_what_there_is_and_what_its_context_lets_through() -> None:
    copied = [
        word for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE) for word in line.split()
    ]
    allowed = (ROOT / "tools/deploy/Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()

    assert copied
    assert [path for path in copied if not (ROOT / path).exists() or f"!{path}" not in allowed] == []


def test_image_runs_as_a_numbered_user_without_a_shell_and_is_probed_where_no_key_is_needed() -> None:
    assert re.search(r"^USER [1-9]\d+:[1-9]\d+$", DOCKERFILE, re.MULTILINE)
    commands = re.findall(r"^(?:RUN|ENTRYPOINT|    CMD) (.+)$", DOCKERFILE, re.MULTILINE)
    assert [command for command in commands if not isinstance(json.loads(command), list)] == []
    assert re.findall(r"127\.0\.0\.1:8421(/\w+)'", DOCKERFILE)[0] in OPEN_PATHS


# --- the audit ---


def package(**facts: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"name": "one", "version": "1.0", **facts}


VULNERABLE = package(vulns=[{"id": "PYSEC-1", "fix_versions": ["1.1"]}])


@pytest.mark.parametrize(
    ("found", "is_clean", "said"),
    [
        ([package(vulns=[])], True, "1 packages looked up"),
        ([VULNERABLE], False, "one 1.0 has PYSEC-1, fixed in 1.1"),
        ([package(vulns=[]), package(skip_reason="not found")], False, "NOT AUDITED"),
        ([], False, "NOT AUDITED"),
    ],
)
def test_audit_is_clean_only_where_everything_was_looked_up(
    capsys: pytest.CaptureFixture[str],
    found: list[dict[str, Any]],
    is_clean: bool,  # noqa: FBT001 - the result
    said: str,
) -> None:
    assert audit.told("lock.txt", found) is is_clean
    assert said in capsys.readouterr().out
