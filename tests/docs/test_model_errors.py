"""The page of errors has every error of the model, and says which of them make the transport send again."""

from collections.abc import Iterator

from examples.committee.committee import CommitteeInterruptedError
from examples.committee.dossier import DossierError
from src.modules.cowriting.domain import EnvelopeParseError
from src.modules.research.domain.exceptions import MissingDataError, TooFewExpertsError
from src.shared.domain.llm_errors import LLMError
from src.shared.domain.prompt import PromptError
from src.shared.infrastructure.llm.transport import LASTING, TRANSIENT
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


def test_table_of_other_errors_has_every_code_beside_the_parsers() -> None:
    known = (
        *(MissingDataError, TooFewExpertsError, PromptError, EnvelopeParseError),
        *(DossierError, CommitteeInterruptedError),
    )
    described = {name_in(row[0]) for row in rows(PAGES["docs/reference/errors.md"], "code")}
    assert described == {kind.default_code for kind in known}
