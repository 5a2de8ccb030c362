"""Calls the program promptc, which is installed beside this module."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from typing import Any, cast

__all__ = ["Error", "build", "diff", "program", "session"]


class Error(Exception):
    """A call that failed: its exit code, and what stood on stderr."""

    def __init__(self, code: int, stderr: str) -> None:
        super().__init__(stderr)
        self.code = code
        self.stderr = stderr


def program() -> str:
    """The path of the program: PROMPTC_BIN if that is set, else that of this package, else the first on the path."""
    name = "promptc.exe" if os.name == "nt" else "promptc"
    beside = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"), beside]
    places = [os.path.join(folder, name) for folder in folders]
    found = os.environ.get("PROMPTC_BIN") or next(filter(os.path.isfile, places), None) or shutil.which(name)
    if found is None:
        raise FileNotFoundError(name)
    return found


def _run(*args: str, manifest: str | None = None) -> str:
    given = [] if manifest is None else ["--manifest", manifest]
    ran = subprocess.run([program(), *args, *given], stdin=subprocess.DEVNULL, capture_output=True)
    if ran.returncode != 0:
        raise Error(ran.returncode, ran.stderr.decode())
    return ran.stdout.decode()


def build(*options: str, manifest: str | None = None) -> dict[str, Any]:
    """The artifact: the prompt with its map."""
    return cast("dict[str, Any]", json.loads(_run("build", "--format", "json", *options, manifest=manifest)))


def diff(a: str, b: str = ".", *options: str, manifest: str | None = None) -> dict[str, Any]:
    """What differs between two operands of `promptc diff`, where it breaks, and why."""
    return cast("dict[str, Any]", json.loads(_run("diff", a, b, "--format", "json", *options, manifest=manifest)))


def session(id: str, *options: str, manifest: str | None = None) -> str:
    """The system text of a session: the same bytes at each call, until something asks for a new one."""
    return _run("build", "--session", id, *options, manifest=manifest)
