"""Groups of customers whose rows are aligned, so that they can be released alike."""
