"""What stands in every scored dimension of an analysis."""

from tests.modules.agent_contract import POINTS, Kind, Place, Text, Texts

SCORED_DIMENSION: dict[Place, Kind] = {
    ("dimension_analyses", 0, "dimension"): Text(),
    ("dimension_analyses", 0, "assessment"): Text(),
    ("dimension_analyses", 0, "score"): POINTS,
    ("dimension_analyses", 0, "key_findings"): Texts(),
}
