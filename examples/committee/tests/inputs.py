"""The dossier that is shipped, and who sits in the committee."""

from examples.committee.container import CommitteeContainer
from examples.committee.domain.dossier import Dossier
from examples.committee.infrastructure.dossier_reader import load_dossier
from tests.modules.inputs import DOSSIER_FILE
from tests.shared.routed_llm import RoutedLLM, typed_llm

SEATS = tuple(agent.label for agent in CommitteeContainer(llm=typed_llm(RoutedLLM({}))).agents())
"""The titles of the agents, in the order in which they are asked."""


def dossier() -> Dossier:
    """The dossier that is shipped."""
    return load_dossier(DOSSIER_FILE)
