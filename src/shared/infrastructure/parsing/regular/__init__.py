"""Regular damage: the same slip at every place, undone over the whole text at once and proved by the decoder.

`segment` divides a text into strings and gaps, `rules` has one row for each slip that stands in gaps, `strings` and
`quotations` have what stands in strings, `mend` puts the text together again, `value` reads a value by it, and `trace`
says afterwards, if somebody asks, what was done where.
"""
