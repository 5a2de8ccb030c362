"""`python -m promptc_cli` is the program itself."""

from ._program import run

if __name__ == "__main__":
    run()
