"""The committee over the real adapter and HTTP: one agent is answered with damage, one with an error."""

import pytest

from examples.committee.container import CommitteeContainer
from examples.committee.tests.inputs import SEATS, dossier
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.llm_errors import LLMAuthenticationError
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.loopback.answers import Answer, ChatRequest, answer, status
from tests.loopback.server import ChatServer
from tests.modules.answers import GOOD
from tests.shared.routed_llm import NoEvents

pytestmark = pytest.mark.anyio


def respond(request: ChatRequest) -> Answer:
    system = request.body["messages"][0]["content"]
    title = next(title for title in GOOD if f"**{title}**" in system)
    if title == "宏观情报员":
        return status(401)
    text = GOOD[title][0]
    return answer(f"结论如下：\n```json\n{text[:-1]},}}\n```" if title == "裁决" else text)


async def test_committee_decides_over_http(chat_server: ChatServer) -> None:
    chat_server.respond(respond)
    settings = LLMSettings(base_url=chat_server.url, model="m-1")
    async with OpenAICompatibleLLM(settings) as llm:
        typed = TypedLLM(llm, output_of=plain_output, events=NoEvents())
        result = await CommitteeContainer(llm=typed).committee().run(dossier())
    assert result.decision().action == "BUY"
    assert result.research is not None
    (failed,) = [expert for expert in result.research.experts if expert.error]
    assert (failed.name, type(failed.error)) == ("macro_intelligence", LLMAuthenticationError)
    assert (result.totals.calls, result.totals.usage.total_tokens > 0) == (len(SEATS) - 1, True)
