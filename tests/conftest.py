"""How hypothesis runs: the same examples every time, so that a failure in CI is a failure here.

`pytest --hypothesis-profile=explore` looks for new ones.
"""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "project", max_examples=200, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", parent=settings.get_profile("project"), max_examples=3_000, derandomize=False)
settings.load_profile("project")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Coroutines marked `anyio` run on asyncio."""
    return "asyncio"
