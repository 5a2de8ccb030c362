"""Calls the program promptc, which is installed beside this module. Its warnings go to sys.stderr."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from typing import Any, Optional, cast

__all__ = ["Error", "Facts", "build", "diff", "program", "session"]

#: Facts for one call. They go to standard input, where no list of processes shows them; None sends nothing.
Facts = Optional[Mapping[str, Any]]


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


def _run(*args: str, manifest: str | None, facts: Facts) -> str:
    given = [] if facts is None else ["--facts", "-"]
    given += [] if manifest is None else ["--manifest", manifest]
    sent = b"" if facts is None else json.dumps(dict(facts)).encode()
    ran = subprocess.run([program(), *args, *given], input=sent, capture_output=True)
    said = ran.stderr.decode(errors="replace")
    if ran.returncode != 0:
        raise Error(ran.returncode, said)
    if sys.stderr is not None:
        sys.stderr.write(said)
    return ran.stdout.decode()


def build(*options: str, manifest: str | None = None, facts: Facts = None) -> dict[str, Any]:
    """The artifact: the prompt with its map."""
    made = _run("build", "--format", "json", *options, manifest=manifest, facts=facts)
    return cast("dict[str, Any]", json.loads(made))


def diff(a: str, b: str = ".", *options: str, manifest: str | None = None, facts: Facts = None) -> dict[str, Any]:
    """What `promptc diff` says of two operands: `comparisons`, for each pair where it breaks and why."""
    made = _run("diff", a, b, "--format", "json", *options, manifest=manifest, facts=facts)
    return cast("dict[str, Any]", json.loads(made))


def session(id: str, *options: str, manifest: str | None = None, facts: Facts = None) -> dict[str, str]:
    """The texts of a session by channel (`tools`, `system`, `user`): the same bytes at each call, until something asks for new ones."""
    made = _run("build", "--format", "json", f"--session={id}", *options, manifest=manifest, facts=facts)
    texts = {"tools": "", "system": "", "user": ""}
    return texts | {channel["channel"]: channel["text"] for channel in json.loads(made)["channels"]}
