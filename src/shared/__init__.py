"""What every bounded context stands on; knows none of them."""
