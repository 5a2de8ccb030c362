"""`python -m promptc` is the program itself."""

import subprocess
import sys

from . import program

sys.exit(subprocess.run([program(), *sys.argv[1:]]).returncode)
