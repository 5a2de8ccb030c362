"""Where the program promptc is."""

from __future__ import annotations

import os
import sys


def program() -> str:
    """The path of the program: PROMPTC_BIN if that is set, else that of this package, else the first on the path."""
    # Imported here, since few call this and all import the package.
    import shutil
    import sysconfig

    name = "promptc.exe" if os.name == "nt" else "promptc"
    beside = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"), beside]
    places = [os.path.join(folder, name) for folder in folders]
    found = os.environ.get("PROMPTC_BIN") or next(filter(os.path.isfile, places), None) or shutil.which(name)
    if found is None:
        raise FileNotFoundError(name)
    return found


def run() -> None:
    """Runs the program with the arguments of this process."""
    import subprocess

    command = [program(), *sys.argv[1:]]
    if os.name == "posix":
        # In place of this process, so that signals reach the program. On Windows exec is a new process, which no one
        # waits for.
        os.execv(command[0], command)
    else:
        sys.exit(subprocess.run(command).returncode)
