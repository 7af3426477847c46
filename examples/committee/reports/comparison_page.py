"""Runs side by side as one HTML file that needs nothing but itself; what the runs hold is always escaped."""

from __future__ import annotations

from examples.committee.reports.comparison_view import ComparisonView
from examples.committee.reports.templates_of import HTML


def comparison_page(view: ComparisonView) -> str:
    """The comparison as an HTML document."""
    return HTML.get_template("comparison.html.j2").render(view=view)
