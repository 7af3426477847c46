"""What a user, a caller or a client of this project meets, as data: each change of it shows as a difference."""
