"""`python -m suite PROMPTC JUDGE FOLDER PAIRS SEED right|broken`."""

import collections
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from . import model
from .engine import Engine
from .project import ATLAS, Project

# So many changes are made one on another before the project is as it was.
CHAIN = 8
DOCS = os.path.realpath(ATLAS + "/../../docs")


def main():
    promptc, judge, folder, pairs, seed, how = sys.argv[1:]
    start = time.monotonic()
    path = model.make(folder, learnt_from())
    with tempfile.TemporaryDirectory(prefix="engine-") as scratch:
        made = list(changed_pairs(promptc, scratch, int(pairs), random.Random(int(seed))))
        built = time.monotonic()
        with Engine(path, folder + "/engine.log") as engine:
            rows = [asked(engine, *pair) for pair in made]
    predicted = predictions(judge, rows)
    if how == "broken":
        predicted = [number + 1 for number in predicted]
    failed = sum(report(at, row, number) for at, (row, number) in enumerate(zip(rows, predicted)))
    summary(rows, failed)
    print(f"built in {built - start:.1f} s, asked in {time.monotonic() - built:.1f} s")
    return 1 if failed else 0


def learnt_from():
    """What the vocabulary is learnt from: texts like those that are built."""
    found = []
    for path in sorted(glob.glob(ATLAS + "/**/*.md", recursive=True) + [DOCS + "/language.md"]):
        with open(path, encoding="utf-8") as file:
            found.append(file.read())
    return "".join(found)


def changed_pairs(promptc, scratch, count, source):
    """Pairs of what is changed, both system prompts, and the bytes that `promptc diff` says are kept."""
    project = Project(promptc, scratch + "/atlas")
    before, number = project.build(scratch + "/0.json"), 0
    for at in range(count):
        if at % CHAIN == 0:
            project.reset()
            before = project.build(f"{scratch}/{number}.json")
        now = before
        # Not every change is one of the prompt: the text of a skill is only read when it is called.
        while now == before:
            what = project.change(source)
            now = project.build(f"{scratch}/{number + 1}.json")
        yield what, before, now, kept(promptc, f"{scratch}/{number}.json", f"{scratch}/{number + 1}.json")
        before, number = now, number + 1


def kept(promptc, old, new):
    command = [promptc, "diff", "--quiet", "--format", "json", old, new]
    run = subprocess.run(command, capture_output=True)
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr.decode())
    said = json.loads(run.stdout)["comparisons"][0]
    if said["break"]["channel"] != "system":
        raise SystemExit(f"the system prompt is another one, and `promptc diff` says {said}")
    return said["kept"]["bytes"]


def asked(engine, what, before, now, kept):
    """Sends both prompts as requests of one conversation have them: other words of the user behind each."""
    first, second = before + "\n\nWhich disk is full?", now + "\n\nAnd why?"
    tokens = [engine.tokens(text) for text in (first, second)]
    cold, _ = engine.reused(first, cold=True)
    reused, of = engine.reused(second, cold=False)
    return {"what": what, "before": [number for number, _ in tokens[0]], "now": [number for number, _ in tokens[1]],
            "bytes": sum(len(piece) for _, piece in tokens[1][:reused]), "cold": cold, "reused": reused, "of": of, "kept": kept,
            "common": len(engine.tokens(now.encode()[:kept].decode(errors="ignore")))}


def predictions(judge, rows):
    """What promptc says, by its rule."""
    lines = "".join(json.dumps({"before": row["before"], "now": row["now"]}) + "\n" for row in rows)
    run = subprocess.run([judge], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    answers = [int(line) for line in run.stdout.split()]
    if len(answers) != len(rows):
        raise SystemExit(f"{len(answers)} predictions of {len(rows)}")
    return answers


def report(at, row, predicted):
    """Prints a pair; whether something is wrong with it."""
    wrong = {
        "the first prompt was not cold": row["cold"] != 0,
        "the engine reads other tokens": row["of"] != len(row["now"]),
        f"predicted {predicted}": row["reused"] != predicted,
        # Tokens that are reused are text that promptc says is the same.
        f"promptc diff says that {row['kept']} bytes are kept": row["bytes"] > row["kept"],
    }
    problems = [what for what, is_so in wrong.items() if is_so]
    print(f"{at:>4} {row['what'][:36]:<36} {row['reused']:>5} of {row['of']:>5} tokens, {row['bytes']:>6} bytes  "
          f"{'; '.join(problems) or 'as predicted'}")
    return bool(problems)


def summary(rows, failed):
    behind = collections.Counter(row["common"] - row["reused"] for row in rows)
    print(f"{len(rows)} pairs: {failed} not as predicted; tokens of the text that is the same, less those reused: "
          f"{dict(sorted(behind.items()))}")



if __name__ == "__main__":
    sys.exit(main())
