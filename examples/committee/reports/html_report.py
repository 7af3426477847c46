"""The result as one HTML file without scripts or external fonts and pictures; a model's text is always escaped."""

from __future__ import annotations

from examples.committee.application.result import CommitteeResult
from examples.committee.domain.dossier import Dossier
from examples.committee.reports.templates_of import HTML
from examples.committee.reports.view import report_view


def html_report(dossier: Dossier, result: CommitteeResult) -> str:
    """The report as an HTML document that needs nothing but itself."""
    return HTML.get_template("report.html.j2").render(view=report_view(dossier, result))
