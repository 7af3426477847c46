"""The costs of departing from strict JSON. Only their proportions matter."""

EDIT = 10
"""One sign put, taken out or changed."""
OTHER_SIGN = 2
"""A sign in its full-width form: nothing competes with it, and where one stands there are many."""
OTHER_QUOTE = 5
"""A string in other quotes."""
AGAIN = 2
"""A slip of a kind that the reading has met before: who writes a comma twice does so everywhere."""
DOUBT = 5
"""What is evidence against a reading without being an edit."""
UNKNOWN = 18
"""Something that is not understood: more than one edit, and less than two."""
STRANGE_KEY = 30 * EDIT
"""A key that holds brackets or line ends."""
GOES_ON = 100 * EDIT
"""An end after which the same object goes on."""
MOST_BEHIND = 30
"""Readings dearer by more than this than one that is as far, or further, are given up."""
LEAD = EDIT - 1
"""The same behind a settled place: a reading dearer by an edit goes, a tie and a doubt stay."""
