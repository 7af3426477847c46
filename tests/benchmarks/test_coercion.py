"""The table of what libraries make of values in another spelling."""

import subprocess
import sys


def test_command_prints_ours_and_the_others() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "tools.benchmarks.coercion"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    ).stdout
    _, _, ours, alone, baml, *_ = printed.splitlines()
    right, wrong, _, _, read = [cell.strip() for cell in ours.split("|")[2:-1]]

    assert int(right) >= 200
    assert (wrong, read) == ("0", "0")
    assert alone.startswith("| Pydantic alone")
    assert baml.startswith("| BAML")
