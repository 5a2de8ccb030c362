"""`python -m promptc_cli` is the program itself."""

import os
import subprocess
import sys

from . import program

command = [program(), *sys.argv[1:]]
# In place of this process, so that signals reach the program. On Windows exec is a new process that nobody waits for.
if os.name == "posix":
    os.execv(command[0], command)
sys.exit(subprocess.run(command).returncode)
