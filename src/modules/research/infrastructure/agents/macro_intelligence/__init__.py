"""The macro intelligence officer (宏观情报员)."""
