"""The result as Markdown, for a repository, a wiki or a message; a model's text never acts as markup."""

from __future__ import annotations

from examples.committee.application.result import CommitteeResult
from examples.committee.domain.dossier import Dossier
from examples.committee.reports.templates_of import MARKDOWN
from examples.committee.reports.view import report_view


def markdown_report(dossier: Dossier, result: CommitteeResult) -> str:
    """The report as Markdown with the tables of GitHub's dialect."""
    return MARKDOWN.get_template("report.md.j2").render(view=report_view(dossier, result))
