"""What the suite runs with: the pinned package in an environment of its own, and the debug build of promptc."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PYTHON = (3, 11)


def target():
    command = ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return json.loads(run.stdout)["target_directory"]


def debug_binary():
    subprocess.run(["cargo", "build", "--quiet", "--locked", "--bin", "promptc"], cwd=ROOT, check=True)
    return target() + "/debug/promptc"


def stop(reason):
    """What keeps the question from being asked is no answer: another exit code than that of a difference."""
    print(reason, file=sys.stderr)
    sys.exit(2)


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
    with open(HERE + "/requirements.txt", "rb") as file:
        key = hashlib.sha256(file.read() + sys.version.encode()).hexdigest()[:16]
    folder = f"{target()}/hermes-conformance/venv-{key}"
    python = folder + "/bin/python"
    if not os.path.exists(folder + "/complete"):
        shutil.rmtree(folder, ignore_errors=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", HERE + "/requirements.txt"]
        for command in ([sys.executable, "-m", "venv", folder], [python, *install]):
            if subprocess.run(command).returncode:
                stop("the package could not be installed: it needs `venv`, and PyPI or its mirror; --installed does without")
        with open(folder + "/complete", "w", encoding="utf-8"):
            pass
    return python


def generate(python, out, arguments):
    """Has the generator fill the folder `out`, and answers it."""
    command = [python, "-m", "generator", "--out", out, *arguments]
    env = {**os.environ, "PYTHONPATH": HERE, "PYTHONDONTWRITEBYTECODE": "1"}
    if subprocess.run(command, env=env).returncode:
        stop("the goldens could not be made")
    return out
