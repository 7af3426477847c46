"""Takes keys and tokens out of a text before it is written to a file."""

from __future__ import annotations

import re
from collections.abc import Iterable

REDACTED = "[REDACTED]"

_SECRETS = (
    re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}+"),  # OpenAI and many others
    re.compile(r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}+"),
    re.compile(r"(?<![A-Za-z0-9])xox[abprs]-[A-Za-z0-9-]{10,}+"),
    re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"),
    re.compile(r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}"),
    re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+"),  # JSON Web Tokens
)
_LABELLED = (
    re.compile(r"(?i:(bearer\s{1,8}))[A-Za-z0-9._~+/=-]{8,}+"),
    re.compile(
        r"(?i:((?:api[_-]?key|access[_-]?token|client[_-]?secret|password)[\"']?\s{0,4}[:=]\s{0,4}[\"']?))"
        r"[A-Za-z0-9._~+/=-]{8,}+"
    ),
    re.compile(r"(://)[^\s/@:]{1,100}:[^\s/@]{1,100}(?=@)"),  # a URL's credentials
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the text with known secrets, and what has the shape of a key, replaced by REDACTED."""
    for secret in filter(None, secrets):
        text = text.replace(secret, REDACTED)
    for shape in _SECRETS:
        text = shape.sub(REDACTED, text)
    for shape in _LABELLED:
        text = shape.sub(rf"\1{REDACTED}", text)
    return text
