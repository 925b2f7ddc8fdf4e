"""python -m shoal is the command line."""

from shoal.cli.main import run

run()
