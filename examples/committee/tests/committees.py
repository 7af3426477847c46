"""Committees whose agents answer by a script, on the dossier that is shipped."""

from examples.committee.committee import committee_of
from examples.committee.dossier import Dossier, load_dossier
from examples.committee.result import CommitteeResult
from src.shared.domain.llm_errors import LLMServerError
from tests.modules.answers import answering
from tests.modules.inputs import DOSSIER_FILE
from tests.shared.routed_llm import Answer, typed_llm

DOSSIER: Dossier = load_dossier(DOSSIER_FILE)
DOWN = LLMServerError("模型服务不可用 (the provider failed)")


async def sat(**scripts: Answer | list[Answer]) -> CommitteeResult:
    """The result of a committee whose agents all answer well, but for these."""
    return await committee_of(typed_llm(answering(**scripts))).run(DOSSIER)
