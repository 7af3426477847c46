"""The valuation modeler (估值建模师)."""
