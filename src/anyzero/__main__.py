"""`python -m anyzero` is the command line."""

from anyzero.cli import main

main()
