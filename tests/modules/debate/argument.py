"""What both advocates' cases have in common."""

from tests.modules.agent_contract import DIRECTION, FRACTION, Kind, Place, Text, Texts

ARGUMENT: dict[Place, Kind] = {
    ("direction",): DIRECTION,
    ("confidence",): FRACTION,
    ("core_thesis",): Text(),
    ("supporting_arguments",): Texts(lenient=True),
}
