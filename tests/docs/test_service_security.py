"""The bounds on the page are those of the code."""

from src.entrypoints.http.connections import BOUNDS, LINGER
from src.entrypoints.http.guards import LEAST_BURST, MOST_NAMES, WRONG_KEYS
from tests.docs.pages import PAGES, rows


def test_table_of_bounds_is_that_of_the_code() -> None:
    written = [row[1] for row in rows(PAGES["docs/explanation/service-security.md"], "what")]

    expected = (
        BOUNDS.connections,
        BOUNDS.head_seconds,
        BOUNDS.head_bytes,
        BOUNDS.headers,
        BOUNDS.pipelined,
        BOUNDS.write_seconds,
        WRONG_KEYS,
        LEAST_BURST,
        MOST_NAMES,
        LINGER,
    )
    assert written == [f"{bound:,g}" if bound < 10_000 else f"{bound:,}" for bound in expected]
