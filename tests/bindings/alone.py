"""Where the extension does not fit, the package says what it has, and the program runs."""

import subprocess
import sys

import promptc_cli

ran = subprocess.run([promptc_cli.program(), "--version"], capture_output=True, check=True)
assert subprocess.run([sys.executable, "-m", "promptc_cli", "--version"], capture_output=True, check=True).stdout == ran.stdout
try:
    from promptc_cli import Project  # noqa: F401
except ImportError as error:
    assert "the program alone" in str(error), error
    print(error)
else:
    raise AssertionError("there is a Project")
