"""What the suite runs with besides what all suites share: the right Python, and the generator."""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(HERE))

import installed  # noqa: E402
from installed import ROOT, debug_binary, stop, target  # noqa: E402, F401

PYTHON = (3, 11)


def right_python():
    """Runs the suite again with the Python whose tables of Unicode Hermes' decisions are compared by, if this is another."""
    if sys.version_info[:2] != PYTHON:
        name = "python{}.{}".format(*PYTHON)
        # A name on the path can be a stand-in for a version that is not there.
        if subprocess.run([name, "--version"], capture_output=True).returncode if shutil.which(name) else True:
            stop(f"the suite needs {name}: Hermes' decisions depend on its tables of Unicode")
        os.execvp(name, [name, *sys.argv])


def python():
    """The Python that has the package; made once for each pin and version of Python."""
    return installed.python("hermes", HERE + "/requirements.txt")


def generate(python, out, arguments):
    """Has the generator fill the folder `out`, and answers it."""
    command = [python, "-m", "generator", "--out", out, *arguments]
    env = {**os.environ, "PYTHONPATH": HERE, "PYTHONDONTWRITEBYTECODE": "1"}
    if subprocess.run(command, env=env).returncode:
        stop("the goldens could not be made")
    return out
