"""One webhook: that it has taken an event stands on the event."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, inspect

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Bring the tables that an earlier program made: an event that any receiver has taken counts as taken."""
    if not inspect(op.get_bind()).has_table("llm_delivery"):
        return
    op.add_column("llm_alarm_event", Column("next_try", BigInteger))
    op.add_column("llm_alarm_event", Column("delivered_at", BigInteger))
    op.execute(
        "UPDATE llm_alarm_event SET delivered_at = "
        "(SELECT max(delivered) FROM llm_delivery WHERE event = llm_alarm_event.id)"
    )
    op.drop_table("llm_delivery")
    op.drop_table("llm_webhook")
