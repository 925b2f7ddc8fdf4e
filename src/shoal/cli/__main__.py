"""Entry point of `python -m shoal.cli`, which is the command `shoal`."""

from shoal.cli import run

if __name__ == "__main__":
    run()
