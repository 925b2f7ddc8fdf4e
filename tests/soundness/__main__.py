"""``python -m soundness``: see run.py."""

import sys

from soundness.run import main

if __name__ == "__main__":
    sys.exit(main())
