"""What the suites run with: pinned packages in an environment of their own below the target folder, and promptc."""

import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def target():
    """The target folder."""
    command = ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return json.loads(run.stdout)["target_directory"]


def debug_binary():
    """The path of promptc's debug build, which is made first."""
    return build("--bin", "promptc") + "/promptc"


def example(name):
    """The path of the debug build of an example, which is made first."""
    return f"{build('--example', name)}/examples/{name}"


def build(*arguments):
    subprocess.run(["cargo", "build", "--quiet", "--locked", *arguments], cwd=ROOT, check=True)
    return target() + "/debug"


def package():
    """A folder with the package of Python, its extension from a debug build, which is made first."""
    library = build("-p", "promptc-python") + "/lib_native.so"
    place = folder("package") + "/python"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT + "/bindings/python/python", place)
    shutil.copy(library, place + "/promptc_cli/_native.abi3.so")
    return place


def stop(reason):
    """What keeps the question from being asked is no answer: another exit code than that of a difference."""
    print(reason, file=sys.stderr)
    sys.exit(2)


def folder(suite):
    """Where a suite keeps what it makes once: `target/SUITE-conformance`."""
    path = f"{target()}/{suite}-conformance"
    os.makedirs(path, exist_ok=True)
    return path


def wheel(suite, package):
    """The wheel of a pinned package, without the packages that it needs."""
    place = f"{folder(suite)}/{package}"
    if not glob.glob(place + "/*.whl"):
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--dest", place]
        if subprocess.run([sys.executable, "-m", "pip", "download", *options, package]).returncode:
            stop(f"{package} could not be had: it needs PyPI or its mirror")
    return glob.glob(place + "/*.whl")[0]


def python(suite, requirements):
    """The Python that has the packages of a file of pins; made once for each such file and version of Python."""
    with open(requirements, "rb") as file:
        key = hashlib.sha256(file.read() + sys.version.encode()).hexdigest()[:16]
    environment = f"{folder(suite)}/venv-{key}"
    made = environment + "/bin/python"
    if not os.path.exists(environment + "/complete"):
        shutil.rmtree(environment, ignore_errors=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]
        for command in ([sys.executable, "-m", "venv", environment], [made, *install]):
            if subprocess.run(command).returncode:
                stop("the packages could not be installed: it needs `venv`, and PyPI or its mirror")
        with open(environment + "/complete", "w", encoding="utf-8"):
            pass
    return made
