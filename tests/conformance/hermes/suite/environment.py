"""What the suite runs with: the pinned package in an environment of its own, and the debug build of promptc."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


def target():
    command = ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return json.loads(run.stdout)["target_directory"]


def debug_binary():
    subprocess.run(["cargo", "build", "--quiet", "--locked", "--bin", "promptc"], cwd=ROOT, check=True)
    return target() + "/debug/promptc"


def python():
    """The Python that has the package; made once for each pin and version of Python."""
    if sys.version_info[:2] != (3, 11):
        sys.exit("the suite needs Python 3.11: its tables of Unicode are what Hermes' decisions depend on")
    with open(HERE + "/requirements.txt", "rb") as file:
        key = hashlib.sha256(file.read() + sys.version.encode()).hexdigest()[:16]
    folder = f"{target()}/hermes-conformance/venv-{key}"
    python = folder + "/bin/python"
    if not os.path.exists(folder + "/complete"):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", HERE + "/requirements.txt"]
        subprocess.run([python, *install], check=True)
        with open(folder + "/complete", "w", encoding="utf-8"):
            pass
    return python
