"""Reports: scorecards for people."""
