"""The parser in an instructor client: `from_openai(OpenAI(), mode=Mode.JSON)` in place of `instructor.from_openai`.

instructor looks up, by provider and mode, a handler that prepares the request, reads the response and asks again. The
handlers of `handlers.py` are its own but for the reading. They are registered beside the built-in ones, under a
provider that has none, so that other clients in the process stay as they are.
"""

from src.shared.infrastructure.extras import needs_package

with needs_package("instructor"):
    from src.integrations.instructor.client import from_openai
    from src.integrations.instructor.handlers import MODES

__all__ = ["MODES", "from_openai"]
