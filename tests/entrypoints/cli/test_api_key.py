"""`llm-output api-key`."""

from __future__ import annotations

import base64
import hashlib

import pytest

from src.entrypoints.http.service_settings import ServiceSettings
from tests.entrypoints.cli.harness import invoke


def test_a_key_is_new_shown_apart_and_what_is_kept_of_several_is_what_the_setting_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = (invoke("api-key", "orders") for _ in range(2))
    key = first.stderr.splitlines()[-1]

    assert first.stderr != second.stderr
    assert len(base64.urlsafe_b64decode(key + "=")) == 32
    assert first.stdout == f"orders:sha256:{hashlib.sha256(key.encode()).hexdigest()}\n"
    kept = (first.stdout.strip(), second.stdout.strip())
    for written in (first.stdout + second.stdout, f"{kept[0]}, {kept[1]}"):
        monkeypatch.setenv("OUTPUT_API_KEYS", written)
        assert ServiceSettings().api_keys == kept


@pytest.mark.parametrize("name", ["", "a b", "a:b", "x" * 65])
def test_a_name_that_the_setting_would_not_take_is_refused(name: str) -> None:
    assert invoke("api-key", name).code == 2
