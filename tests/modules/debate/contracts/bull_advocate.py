"""The contract of the bull advocate."""

from src.modules.debate.domain.dtos.bull_bear_argument import BullArgument
from src.modules.debate.infrastructure.agents.bull_advocate.adapter import BullAdvocateAdapter
from tests.modules.agent_contract import AgentContract, Texts
from tests.modules.debate.argument import ARGUMENT
from tests.modules.inputs import DEBATE

CONTRACT = AgentContract(
    agent="bull_advocate",
    label="多头辩护人",
    dto=BullArgument,
    ask=lambda llm: BullAdvocateAdapter(llm).advocate(DEBATE),
    answer={
        "direction": "BULLISH",
        "confidence": 0.78,
        "core_thesis": "品牌护城河稳固，直销占比提升将持续推高吨价。",
        "supporting_arguments": ["财务：ROE连续五年高于30%", "技术：放量突破年线"],
        "acknowledged_risks": ["高端消费复苏不及预期"],
        "price_catalysts": ["中报业绩超预期", "提价落地"],
        "narrative_report": "看多逻辑成立。",
    },
    places={
        **ARGUMENT,
        ("acknowledged_risks",): Texts(lenient=True),
        ("price_catalysts",): Texts(lenient=True),
    },
)
