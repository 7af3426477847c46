"""The store, its writer's thread, and the webhook."""
