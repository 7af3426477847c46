"""Fuzz the parser: `python -m tools.fuzz --minutes 5`, on Linux with Python 3.11 to 3.13.

It makes an environment of its own. A finding is written to `.cache/fuzz` and its path printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tools.environment import CACHE, ENVIRONMENTS, ROOT, python_of

FUZZER = Path(__file__).with_name("fuzz_llm_json.py")


def main() -> int:
    """Run the fuzzer; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    seconds = int(parser.parse_args().minutes * 60)
    made = subprocess.run([sys.executable, "-m", "tools.environment", "fuzz"], check=False, cwd=ROOT).returncode
    if made:
        return made
    limits = (f"-max_total_time={seconds}", "-max_len=4096", "-timeout=10", f"-artifact_prefix={CACHE / 'fuzz'}/")
    command = [str(python_of(ENVIRONMENTS["fuzz"].folder)), str(FUZZER), *limits, str(CACHE / "fuzz/corpus")]
    return subprocess.run(command, check=False, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}).returncode  # noqa: S603 - ours


if __name__ == "__main__":
    sys.exit(main())
