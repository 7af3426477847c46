"""Import root of the unified LLM output parser: `shared`, the bounded contexts in `modules`, `entrypoints`."""
