"""The contract of the bear advocate."""

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument
from src.modules.debate.infrastructure.agents.bear_advocate.adapter import BearAdvocateAdapter
from tests.modules.agent_contract import AgentContract, Texts
from tests.modules.debate.argument import ARGUMENT
from tests.modules.inputs import DEBATE

CONTRACT = AgentContract(
    agent="bear_advocate",
    label="空头辩护人",
    dto=BearArgument,
    ask=lambda llm: BearAdvocateAdapter(llm).advocate(DEBATE),
    answer={
        "direction": "BEARISH",
        "confidence": 0.55,
        "core_thesis": "渠道库存高企，批价下行将侵蚀业绩确定性。",
        "supporting_arguments": ["估值：PE高于行业均值40%", "宏观：可选消费承压"],
        "acknowledged_strengths": ["账面现金充裕，无有息负债"],
        "risk_triggers": ["批价跌破2000元", "三季度预收款环比下降"],
        "narrative_report": "看空逻辑需要批价验证。",
    },
    places={
        **ARGUMENT,
        ("acknowledged_strengths",): Texts(lenient=True),
        ("risk_triggers",): Texts(lenient=True),
    },
)
