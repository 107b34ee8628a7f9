"""Coverage-guided fuzzing of everything that reads what somebody else wrote."""
