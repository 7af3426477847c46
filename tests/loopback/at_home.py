"""The surroundings of every test: no network but loopback, no proxy, and messages in the default language.

The only certificate is one of loopback's: each client reads all that it is to trust, which takes tens of milliseconds
where it is every authority of the system.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from src.shared.domain.language import VARIABLE
from tests.loopback.guard import only_loopback

CERTIFICATE = Path(__file__).parent / "certificates" / "elsewhere.pem"


@contextmanager
def at_home() -> Iterator[None]:
    """Refuse every network but loopback, and leave out of the environment what would change what tests see."""
    with pytest.MonkeyPatch.context() as patch, only_loopback():
        patch.delenv(VARIABLE, raising=False)
        patch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        patch.delenv("SSL_CERT_DIR", raising=False)
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        yield
