"""The papers' tables and figures, ours beside theirs."""
