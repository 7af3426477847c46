"""Committees that have sat, to be reported on."""

from examples.committee.application.result import CommitteeResult
from examples.committee.tests.inputs import dossier
from examples.committee.tests.run import committee
from src.shared.domain.llm_errors import LLMServerError
from tests.modules.answers import answering
from tests.shared.routed_llm import Answer

DOWN = LLMServerError("模型服务不可用 (the provider failed)")
DOSSIER = dossier()


async def sat(**scripts: Answer | list[Answer]) -> CommitteeResult:
    """The result of a committee whose agents all answer well, but for these."""
    return await committee(answering(**scripts)).run(DOSSIER)
