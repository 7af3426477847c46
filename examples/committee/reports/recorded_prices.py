"""What a recorded run says of the price."""

from __future__ import annotations

from examples.committee.domain.plan_prices import prices_in
from examples.committee.domain.price_view import price_view_of
from examples.committee.domain.run_record import RecordedRun
from examples.committee.reports.ladder import LadderPrices


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
