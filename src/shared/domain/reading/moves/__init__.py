"""What may be tried at each place of the grammar; a repair kind has one owner."""
