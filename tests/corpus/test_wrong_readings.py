"""The texts that an attack found: each is read as wanted, or refused, by its cluster of one root cause."""

from typing import Any

import pytest

from tests.beside import needs_corpus
from tests.corpus.reading import CORPUS, lines_of
from tests.corpus.wanted import is_as_wanted

FILE = "wrong_readings.jsonl"
ROWS: list[dict[str, Any]] = list(lines_of(FILE)) if (CORPUS / FILE).is_file() else []
NOT_YET = {"C10": 1}
"""By cluster: texts read otherwise than wanted; here one bracket of another kind is the nearest reading."""


def cluster_of(row: dict[str, Any]) -> str:
    return str(row["cluster"]).split()[0]


@needs_corpus
@pytest.mark.parametrize("cluster", dict.fromkeys(cluster_of(row) for row in ROWS))
def test_texts_of_a_cluster_are_read_as_wanted(cluster: str) -> None:
    others = [row["text"] for row in ROWS if cluster_of(row) == cluster and not is_as_wanted(row)]
    assert len(others) == NOT_YET.get(cluster, 0), others
