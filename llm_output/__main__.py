"""The command `llm-output`, as `python -m llm_output`; needs the extra `cli`."""

from __future__ import annotations

from src.entrypoints.cli.main import run

__all__ = ["run"]

if __name__ == "__main__":
    run()
