"""The financial auditor (财务审计员)."""
