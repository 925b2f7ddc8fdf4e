"""Promise: `import shoal` takes less than 0.3 s and loads none of the heavy libraries."""

import subprocess
import sys

from benchmarks.measure import best, promise


def main(data=None):
    def load(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    plain, numpy, shoal = best(load("pass"), load("import numpy"), load("import shoal"), repeat=7)
    print(f"     python alone {plain:.3f} s, numpy {numpy - plain:.3f} s more, shoal {shoal - plain:.3f} s more")
    return promise("import shoal, seconds", shoal - plain, 0.3, most=True)


if __name__ == "__main__":
    sys.exit(not main())
