"""Other tools, in an environment of their own (`make bench` makes it): some pin versions that shoal does not use."""

import json
import os
import subprocess
import sys
from pathlib import Path

PYTHON = Path(os.environ.get("SHOAL_PEERS", ".peers")) / "bin" / "python"


def there():
    """Tell whether the environment of the other tools exists, or say how to make it."""
    if not PYTHON.exists():
        print("skip the other tools: run `make bench`, which installs them into .peers")
    return PYTHON.exists()


def asked(code, *arguments):
    """Run code with the other tools and return its `result`; what it times, it times itself."""
    tail = "\nimport json\nprint(json.dumps(result))"
    call = [str(PYTHON), "-W", "ignore", "-c", code + tail, *map(str, arguments)]
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stderr}\nthe other tool failed")
    return json.loads(done.stdout.splitlines()[-1])
