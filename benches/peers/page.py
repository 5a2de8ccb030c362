#!/usr/bin/env python3
"""Writes the tables and curves of docs/benchmarks.md from results.json; `page.py --check` writes nothing and fails if one differs."""

import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from show import pictures, tables  # noqa: E402

DOCS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs")
START, END = "<!-- results: ", "<!-- end -->"


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def filled(page, blocks):
    """The page with each block between its marks replaced; every block has a place, and every place a block."""
    head, *rest = page.split(START)
    out, seen = [head], []
    for part in rest:
        name, old = part.split(" -->\n", 1)
        seen.append(name)
        out.append(f"{START}{name} -->\n{blocks[name]}{END}{old.split(END, 1)[1]}")
    if sorted(seen) != sorted(blocks):
        sys.exit(f"the page has places for {seen}, and there are {sorted(blocks)}")
    return "".join(out)


def main():
    results = json.loads(read(HERE + "/results.json"))
    files = {f"{DOCS}/benchmarks.md": filled(read(f"{DOCS}/benchmarks.md"), tables.blocks(results))}
    files.update((f"{DOCS}/images/{name}", svg) for name, svg in pictures.all_of(results).items())
    stale = [path for path, text in files.items() if read(path) != text]
    if "--check" in sys.argv[1:]:
        if stale:
            sys.exit("not what benches/peers/page.py makes of results.json: " + ", ".join(os.path.relpath(path) for path in stale))
        return
    os.makedirs(DOCS + "/images", exist_ok=True)
    for path in stale:
        with open(path, "w", encoding="utf-8") as file:
            file.write(files[path])


main()
