"""Ice & Fire: the contest in three dimensions, live and replayed."""
