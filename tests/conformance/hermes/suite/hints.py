"""Hints of subdirectories: each call of a tool, one process for each, with the session in a store."""

import glob
import json
import os
import pathlib
import re
import shlex
from concurrent.futures import ThreadPoolExecutor

from . import promptc
from .report import Result, compare

PATHS = ("path", "file_path", "workdir")
URLS = ("http://", "https://", "git@")
BETWEEN = "\n\n[Subdirectory context"
BLANK = re.compile(r"^(\[Subdirectory context.*\]\n)\s+", re.MULTILINE)  # between the line of a folder and its text
HOME = "/home/golden"  # that of the generator; like any home, it lies outside of the project


def run(program, manifest, goldens, scratch, exceptions, result=None):
    result = result or Result("subdir")
    store = scratch + "/store.db"
    os.makedirs(scratch, exist_ok=True)

    def judge(case):
        return case, list(steps(program, manifest, store, case))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, problems in pool.map(judge, sorted(glob.glob(goldens + "/subdir/*"))):
            for number, (step, problem, differing) in enumerate(problems):
                where = f"{os.path.basename(case)} step {number} {step['tool']} {step['args']}"
                recorded = {"begins_blank": BLANK.search(step["out"] or "") is not None}
                result.add(where, problem, exceptions.excuse("subdir", recorded, differing))
    return result


def steps(program, manifest, store, case):
    """The steps of a case in order, each with what differs in words, and whether that is blanks or more."""
    project = case + "/project"
    with open(case + "/steps.json", encoding="utf-8") as file:
        recorded = json.load(file)
    for step in recorded:
        paths = touched(step["tool"], step["args"], case, project)
        printed, error = b"", None
        if paths:
            roots = promptc.roots([f"workspace={project}"])
            printed, error = program.hint(manifest, os.path.basename(case), store, paths, *roots)
        if error:
            yield step, error, ["not made"]
            continue
        got = printed.decode()
        problem = judged(step, got)
        blanks = not judged(step, got, lambda text: BLANK.sub(r"\1", text or ""))
        yield step, problem, ["blanks" if blanks else "text"] if problem else []


def judged(step, got, seen=lambda text: text or ""):
    """None, or what differs. Of several folders in one call the package's order is that of a set."""
    got = "\n\n" + got if got else ""
    if step["hash_order"]:
        return compare(chunks(seen(got)), chunks(seen(step["out"])))
    return compare(seen(got), seen(step["out"]))


def chunks(text):
    return BETWEEN.join(sorted(text.split(BETWEEN)))


def touched(tool, args, case, project):
    """What the program around Hermes makes of a call: the paths in its arguments and in a command of the shell."""
    words = [args[key] for key in PATHS if isinstance(args.get(key), str) and args[key].strip()]
    command = args.get("command", "")
    if tool == "terminal" and isinstance(command, str):
        words += [word for word in split(command) if looks_like_path(word)]
    return [place(word.replace("@CASE@", case), project) for word in words]


def split(command):
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def looks_like_path(word):
    return not word.startswith("-") and ("/" in word or "." in word) and not word.startswith(URLS)


def place(word, project):
    """A path as promptc is given it. What is called as files are, such as the folder `x.y`, is a file to the package."""
    path = HOME + word[1:] if word == "~" or word.startswith("~/") else word
    real = pathlib.Path(project, path).resolve()
    return str(real.parent) if real.suffix and real.is_dir() else path
