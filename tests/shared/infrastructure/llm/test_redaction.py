"""Keys and tokens do not get into a file; what only looks a little like one stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.infrastructure.llm.exchange import REDACTED, redact

SECRETS = {
    "an OpenAI key": "sk-proj-0123456789abcdefXYZ",
    "a GitHub token": "ghp_0123456789abcdefghijABCD",
    "a fine-grained GitHub token": "github_pat_0123456789abcdefghij_ABCD",
    "a Slack token": "xoxb-0123456789-abcdef",
    "an AWS key": "AKIAIOSFODNN7EXAMPLE",
    "a Google key": "AIza" + "a1B2_" * 7,
    "a JSON Web Token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0x.c2lnbmF0dXJl",
}

LABELLED = {
    "Authorization: Bearer abcdef123456==": f"Authorization: Bearer {REDACTED}",
    "bearer  abcdef123456": f"bearer  {REDACTED}",
    '{"api_key": "abcdef123456"}': f'{{"api_key": "{REDACTED}"}}',
    "API-KEY=abcdef123456": f"API-KEY={REDACTED}",
    "password: hunter2hunter2": f"password: {REDACTED}",
    "postgres://me:hunter2@db/x": f"postgres://{REDACTED}@db/x",
}

INNOCENT = [
    "task-oriented-dialogue-systems",
    "risk-adjusted_return_series",
    "the bearer of bad news",
    "password: ?",
    "api_key",
    "https://example.com:8080/a@b",
    "eyJ is how they start",
    '{"a": 1}',
    "",
]


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
@pytest.mark.parametrize("around", ["{}", "密钥{}。", '{{"k": "{}"}}', "a={}&b"])
def test_secret_is_taken_out_and_the_rest_stays(secret: str, around: str) -> None:
    assert redact(around.format(secret)) == around.format(REDACTED)


@pytest.mark.parametrize(("text", "redacted"), LABELLED.items())
def test_what_is_labelled_as_a_secret_is_taken_out(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize("text", INNOCENT)
def test_innocent_text_stays(text: str) -> None:
    assert redact(text) == text


def test_secret_in_use_is_taken_out_whatever_its_shape() -> None:
    assert redact("a hunter2 b", ["", "hunter2"]) == f"a {REDACTED} b"


@given(st.text(), st.sampled_from(list(SECRETS.values())), st.text())
def test_no_text_around_a_secret_in_use_saves_it(before: str, secret: str, after: str) -> None:
    assert secret not in redact(before + secret + after, [secret])
