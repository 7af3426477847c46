"""The shipped examples do what they say."""
