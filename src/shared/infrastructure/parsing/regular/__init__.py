"""Regular damage: the same slip everywhere, undone over the whole text at once and proved by the decoder.

`segment` divides a text into strings and gaps, `rules` has one row for each slip in the gaps, `strings` and
`quotations` handle slips inside strings, `mend` puts the text together again, `value` reads a value with all of this,
and `trace` computes afterwards, on demand, what was changed where.
"""
