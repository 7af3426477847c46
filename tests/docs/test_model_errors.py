"""The page of errors has every error of the model, and says which of them make the transport send again."""

from collections.abc import Iterator

from src.shared.domain.llm_errors import LLMError
from src.shared.infrastructure.llm.http.transport import LASTING, TRANSIENT
from tests.docs.pages import PAGES, name_in, rows

TABLE = rows(PAGES["docs/reference/errors.md"], "error of the model")


def kinds_of(base: type[LLMError]) -> Iterator[type[LLMError]]:
    for kind in base.__subclasses__():
        if kind.__module__ == base.__module__:
            yield kind
            yield from kinds_of(kind)


def test_table_has_every_error_and_whether_it_is_sent_again() -> None:
    known = {
        kind.default_code: "yes" if issubclass(kind, TRANSIENT) and not issubclass(kind, LASTING) else "no"
        for kind in kinds_of(LLMError)
    }

    assert {name_in(code): again for code, _, again in TABLE} == known
