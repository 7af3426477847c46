"""What a batch came to as one HTML file without scripts or external files; what the inputs hold is escaped."""

from __future__ import annotations

from src.entrypoints.reports.batch.about import About
from src.entrypoints.reports.batch.page_view import page_view
from src.entrypoints.reports.templates_of import HTML
from src.modules.reparsing.domain.tally import Tally


def batch_page(tally: Tally, about: About) -> str:
    """The report as an HTML document that needs nothing but itself."""
    return HTML.get_template("batch/page.html.j2").render(view=page_view(tally, about))
