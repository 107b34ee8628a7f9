"""`python -m tokumei`."""

from tokumei.cli.main import main

main()
