"""The technical analyst (技术分析师)."""
