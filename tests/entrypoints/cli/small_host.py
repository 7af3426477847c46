"""A code base with a package `src` and an `AppException` of its own, a hand-written parser, and tests of both."""

import os
import subprocess
import sys
from pathlib import Path

ERRORS = "src/shared/domain/exceptions.py"
PARSER = "src/modules/rating/rating_parser.py"

FILES = {
    "src/__init__.py": "",
    "src/shared/__init__.py": "",
    "src/shared/domain/__init__.py": "",
    ERRORS: '''\
"""Errors of the application; the handler of its API turns them into responses."""


class AppException(Exception):
    def __init__(self, message, code="APP_ERROR", status_code=400, details=None):
        super().__init__(message)
        self.message = message
        self.code = code
        self.status_code = status_code
        self.details = details or {}


def response(error):
    return error.status_code, {"code": error.code, "message": error.message, "details": error.details}
''',
    "src/modules/__init__.py": "",
    "src/modules/rating/__init__.py": "",
    "src/modules/rating/errors.py": """\
from src.shared.domain.exceptions import AppException


class RatingParseError(AppException):
    def __init__(self, message, *, details=None):
        super().__init__(message, "RATING_PARSE_ERROR", 422, details)
""",
    PARSER: """\
import json

from src.modules.rating.errors import RatingParseError


def parse_rating(raw):
    text = raw[raw.find("{") : raw.rfind("}") + 1]
    try:
        return json.loads(text)["score"]
    except (ValueError, KeyError) as error:
        raise RatingParseError(str(error), details={"raw_length": len(raw)}) from error
""",
    "tests/test_rating.py": """\
import pytest

from src.modules.rating.rating_parser import parse_rating
from src.shared.domain.exceptions import AppException, response


def test_score_is_read_from_prose():
    assert parse_rating('I say: {"score": 4}. Done.') == 4


@pytest.mark.parametrize("raw", ["", "no idea", '{"scores": 4}'])
def test_what_holds_no_score_is_an_error_of_the_application(raw):
    with pytest.raises(AppException) as caught:
        parse_rating(raw)
    status, body = response(caught.value)
    assert (status, body["code"], body["details"]["raw_length"]) == (422, "RATING_PARSE_ERROR", len(raw))
""",
}

JOINED = """\
from pydantic import BaseModel

from src.llm_output import AgentOutput
from src.modules.rating.errors import RatingParseError


class Rating(BaseModel):
    score: int


RATING = AgentOutput("rating", Rating, error_type=RatingParseError)


def parse_rating(raw):
    return RATING.parse(raw).score
"""
"""The same parser over the copy."""


def write_host(folder: Path) -> None:
    """Write the code base into a folder."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def run_its_tests(folder: Path) -> str:
    """What the code base's own tests print at the end, such as `4 passed`."""
    alone = ["-c", os.devnull, "--rootdir=.", "--confcutdir=."]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *alone]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run([*command, "tests"], cwd=folder, env=environment, check=False, capture_output=True, text=True)  # noqa: S603 - our own code
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()[-1]


def run_python(folder: Path, code: str) -> str:
    """What a piece of code prints in the code base."""
    return subprocess.check_output([sys.executable, "-c", code], cwd=folder, text=True)  # noqa: S603 - our own code
