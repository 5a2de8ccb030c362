"""How long `import promptc_cli` takes beside `import jinja2`, in new processes: the median of 21, in milliseconds."""

import statistics
import subprocess
import sys
import time


def took(code):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return (time.perf_counter() - start) * 1000


names = ("pass", "import promptc_cli", "import jinja2", "import json, dataclasses, datetime, subprocess")
rounds = [[took(code) for code in names] for _ in range(21)]
for name, times in zip(names, zip(*rounds)):
    print(f"{statistics.median(times):6.1f} ms  {name}")
