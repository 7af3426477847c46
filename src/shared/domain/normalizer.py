"""What a caller may do to decoded data before it is validated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Normalizer: TypeAlias = Callable[[Any], Any]
"""Takes the decoded data, returns what to go on with: a dict, or a list where the type is read from an array."""
