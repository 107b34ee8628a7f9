"""What people do in a contest: each in one transaction, with its event and its audit note."""
