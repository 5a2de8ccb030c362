"""The command line: checks the folder, then runs again in a clean environment, since the package reads its own on import."""

import argparse
import os
import random
import shutil
import sys
import time

from . import clean

KINDS = "constants,prompt,truncate,threat,frontmatter,memory,cache,subdir"
# What the package would take for the mark of a project, were it to stand above a case.
MARKERS = (
    ".git", "pyproject.toml", "package.json", "Cargo.toml", "Makefile", "AGENTS.md", "CLAUDE.md", ".cursorrules",
    ".hermes.md", "HERMES.md", "Dockerfile", "go.mod",
)


def arguments():
    parser = argparse.ArgumentParser(prog="generator")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True, type=os.path.realpath)
    parser.add_argument("--cases", type=int, default=48)
    parser.add_argument("--no-themes", action="store_true", help="all cases random; without, the scenarios come first")
    parser.add_argument("--kinds", default=KINDS)
    return parser.parse_args()


def refuse_markers_above(out):
    folder = os.path.dirname(out)
    while True:
        for marker in MARKERS:
            if os.path.exists(os.path.join(folder, marker)):
                sys.exit(f"refusing: {folder}/{marker} would leak into the cases; choose another --out")
        if folder == "/":
            return
        folder = os.path.dirname(folder)


def run_again(args):
    refuse_markers_above(args.out)
    shutil.rmtree(args.out, ignore_errors=True)
    os.makedirs(args.out)
    os.execve(sys.executable, [sys.executable, "-m", "generator", *sys.argv[1:]], clean.environment(args.out))


def generate(args):
    from . import constants, prompts, rows, sequences
    from .package import write_json

    kinds = set(args.kinds.split(","))
    if "constants" in kinds:
        constants.make(args.out)
    cases = prompts.make(args.out, args.seed, args.cases, not args.no_themes) if "prompt" in kinds else []
    others = {
        "memory": (sequences.memory, "mem"), "cache": (sequences.cache_control, "cache"),
        "truncate": (rows.truncate, "trunc"), "threat": (rows.threat, "threat"),
        "frontmatter": (rows.frontmatter, "fm"), "subdir": (sequences.subdir, "sub"),
    }
    for kind, (make, key) in others.items():
        if kind in kinds:
            make(args.out, random.Random(f"{args.seed}/{key}"))
    write_json(f"{args.out}/index.json", {
        "seed": args.seed, "hermes_agent": __import__("importlib.metadata").metadata.version("hermes-agent"),
        "python": sys.version.split()[0], "hash_seed": os.environ.get("PYTHONHASHSEED"), "cases": cases,
    })
    return cases


def main():
    args = arguments()
    if "_GENERATOR_SCRATCH" not in os.environ:
        run_again(args)
    start = time.time()
    cases = generate(args)
    os.chdir("/")
    shutil.rmtree(os.environ["_GENERATOR_SCRATCH"], ignore_errors=True)
    if cases:
        print(f"seed {args.seed}: {len(cases)} prompts in {time.time() - start:.1f} s", flush=True)
    os._exit(0)  # the package starts background threads; nothing is left to save


main()
