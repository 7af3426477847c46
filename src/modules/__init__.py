"""The bounded contexts; none of them imports another."""
