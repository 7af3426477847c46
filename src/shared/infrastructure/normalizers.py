"""Normalizers several agents share: each maps a decoded object to a decoded object before validation.

A normalizer never invents a value: it renames, reshapes or fills in the empty text a contract names.
What it does not recognise it leaves as it stands, for validation to refuse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Normalizer: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Takes the decoded object, returns the one to go on with."""
