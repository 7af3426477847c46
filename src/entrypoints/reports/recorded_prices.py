"""What a recorded run says of the price."""

from __future__ import annotations

from src.committee.domain.run_record import RecordedRun
from src.entrypoints.reports.ladder import LadderPrices
from src.modules.judge.application.public import prices_in
from src.modules.research.application.public import price_view_of


def prices_of(run: RecordedRun) -> LadderPrices:
    """Its price, levels and value range, and the amounts that the verdict's texts name."""
    results = [expert.result for expert in run.record.experts if expert.result]
    levels = [found.key_technical_levels for found in results if found.key_technical_levels]
    ranges = [found.estimated_intrinsic_value_range for found in results if found.estimated_intrinsic_value_range]
    view = price_view_of(run.dossier, levels, ranges)
    verdict = run.record.verdict
    if verdict is None:
        return LadderPrices(view)
    return LadderPrices(view, prices_in(verdict.stop_loss or ""), prices_in(verdict.take_profit or ""))
