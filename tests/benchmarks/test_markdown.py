"""Content laid out as Markdown: all of it, as a model would, and not longer than need be."""

from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from tools.benchmarks.markdown import as_markdown

LONG = "这段话比六十个字符长，" * 8
KEYS = st.text("abcdefgh_", min_size=1, max_size=8)
WORDS = st.text("xyz 股价", min_size=1, max_size=90).filter(str.strip)
VALUES = st.recursive(
    WORDS | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def scalars_in(value: object) -> list[str]:
    """Every text and number inside a value."""
    if isinstance(value, dict):
        return [each for member in value.values() for each in scalars_in(member)]
    if isinstance(value, list):
        return [each for item in value for each in scalars_in(item)]
    return [str(value)]


def laid_out(expected: str) -> str:
    """Write an expected text."""
    return dedent(expected).strip()


def test_short_values_are_bullets_and_long_texts_have_a_heading() -> None:
    answer = {"stop_loss": 41.6, "reasoning": LONG, "is_done": True, "code": None}
    assert as_markdown(answer) == laid_out(f"""
        - **Stop loss**: 41.6
        - **Is done**: yes
        - **Code**: -

        ## Reasoning

        {LONG}
        """)


def test_lists_are_bullets_and_objects_in_them_have_a_heading() -> None:
    answer = {"risks": ["一", "二"], "rows": [{"risk": "断供", "odds": 0.3, "steps": ["a", "b"]}, {"note": LONG}]}
    assert as_markdown(answer) == laid_out(f"""
        ## Risks

        - 一
        - 二

        ## Rows


        ### 断供

        - **Odds**: 0.3
        - **Steps**:
          - a
          - b

        ---

        - **Note**: {LONG}
        """)


def test_object_in_an_object_is_a_section() -> None:
    assert as_markdown({"levels": {"support": 43.5}}) == "## Levels\n\n- **Support**: 43.5"


def test_code_stands_in_a_fence_as_it_is() -> None:
    assert as_markdown({"thought": "t", "code": 'x = "1"\ny\n'}) == (
        '- **Thought**: t\n\n## Code\n\n```python\nx = "1"\ny\n```'
    )


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_no_value_is_left_out(answer: dict[str, object]) -> None:
    written = as_markdown(answer)
    missing = [each for each in scalars_in(answer) if each.strip() not in written]
    assert missing == []
