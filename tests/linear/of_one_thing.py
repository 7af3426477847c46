"""The texts of `families.toml`."""

import tomllib
from pathlib import Path
from typing import Any

FAMILIES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("families.toml").read_text(encoding="utf-8"))
"""By what they are for: each is what stands before, what is repeated and what stands behind, or a unit alone."""
