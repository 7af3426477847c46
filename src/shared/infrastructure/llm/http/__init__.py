"""What every provider is reached by: connections, bounds, limits, retries."""
