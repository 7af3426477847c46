"""`llm-output api-key`."""

from __future__ import annotations

import base64
import hashlib

import pytest

from src.entrypoints.http.service_settings import ServiceSettings
from tests.entrypoints.cli.harness import invoke


def test_a_key_is_new_and_its_line_is_what_the_setting_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (invoke("api-key", "orders").stdout.splitlines() for _ in range(2))

    assert first != second
    assert len(base64.urlsafe_b64decode(first[0] + "=")) == 32
    assert first[1] == f"orders:sha256:{hashlib.sha256(first[0].encode()).hexdigest()}"
    monkeypatch.setenv("OUTPUT_API_KEYS", f"{first[1]}, {second[1]}")
    assert ServiceSettings().api_keys == (first[1], second[1])


@pytest.mark.parametrize("name", ["", "a b", "a:b", "x" * 65])
def test_a_name_that_the_setting_would_not_take_is_refused(name: str) -> None:
    assert invoke("api-key", name).code == 2
