"""The parser for the OpenAI SDK: typed objects from completions, responses and streams of its own client.

The finish reason and the refusal that the SDK tells of are respected: what was cut off is refused, whatever it looks
like, and a refusal is never read as an answer.
"""

from src.integrations.openai_sdk.answers import ModelRefusalError
from src.integrations.openai_sdk.completions import parse_completion, parse_tool_calls
from src.integrations.openai_sdk.streams import stream_completion

__all__ = ["ModelRefusalError", "parse_completion", "parse_tool_calls", "stream_completion"]
