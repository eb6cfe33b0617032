"""`python -m anyzero` is the command line."""

from anyzero.app.cli import main

main()
