"""The memory tool: sequences of calls, each through `promptc agent memory apply`, with the files that they leave.

Answers are compared by what they say, not by their words: whether the call was refused and why, how full the memory is, how
many entries it has, which ones are shown. A refusal of the package is known by its keys, by the ids of its own table and by
the names of the fields that it speaks of.
"""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor

from . import promptc
from .overlay import write_file
from .report import Result, compare

FILES = ("MEMORY.md", "USER.md")
DELIMITER = "\n§\n"
FIELDS = {"missing-old-text": "old_text", "missing-content": "content", "unknown-action": "action"}

SHOWN = ("no-match", "over-capacity", "missing-old-text")


def run(program, manifest, goldens, scratch, exceptions, result=None, every=1):
    result = result or Result("memory")
    with open(goldens + "/constants/threat_patterns.json", encoding="utf-8") as file:
        ids = [row["id"] for row in json.load(file)]

    def judged(name):
        with open(f"{goldens}/memory/{name}", encoding="utf-8") as file:
            record = json.load(file)
        return name, list(differences(program, manifest, record, f"{scratch}/{name.removesuffix('.json')}", ids))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, calls in pool.map(judged, sorted(os.listdir(goldens + "/memory"))[::every]):
            for number, problem, facts in calls:
                excuse = exceptions.excuse("memory", facts, sorted(problem))
                told = "; ".join(f"{aspect}: {text}" for aspect, text in sorted(problem.items()))
                result.add(f"{name} call {number}", told or None, excuse)
    return result


def differences(program, manifest, record, home, ids):
    """Of each call its number, what differs by aspect, and the facts that exceptions are asked by."""
    os.makedirs(home + "/memories")
    for name, text in record["init"].items():
        if text is not None:
            write_file(f"{home}/memories/{name}", text)
    settings = {"memory_char_limit": record["limits"][0], "user_char_limit": record["limits"][1]}
    arguments = ["--layer", "memory", *promptc.roots([f"home={home}"])]
    failed, unread = 0, set()
    for number, step in enumerate(record["steps"]):
        call = step["op"]
        if call == "TURN":
            failed = 0
        elif call == "RELOAD":
            unread.clear()
        elif "EXTERNAL" in call:
            write_file(f"{home}/memories/{call['EXTERNAL']}", call["text"])
            unread.add(call["EXTERNAL"])
        else:
            file = "USER.md" if call["target"] == "user" else "MEMORY.md"
            facts = known(call, read(f"{home}/memories/{file}") or "", file in unread)
            wanted = json.loads(step["returned"])
            answer = program.memory(manifest, call, settings, *arguments, "--failed", str(failed))
            yield number, {**answered(answer, wanted, call, ids), **left(home, step)}, facts
            if facts["delimiter_in_content"] and wanted["success"]:
                # The file has more entries now than Hermes holds.
                unread.add(file)
            failed = 0 if wanted["success"] else answer["failed"]
            restore(home + "/memories", step)


def restore(folder, step):
    """Whatever differs, the next call finds the files as the package left them."""
    for name in FILES:
        if step[name] is not None:
            write_file(f"{folder}/{name}", step[name])
    for name in os.listdir(folder):
        if not names([name]) <= names(step["files"]):
            os.remove(f"{folder}/{name}")


def known(call, text, unread):
    """What exceptions are asked by: of the call, and of the file that it is about."""
    steps = call.get("operations") or [call]
    contents = [(step.get("content") or "").strip() for step in steps]
    replacing = [content for step, content in zip(steps, contents) if step.get("action") == "replace"]
    entries = [entry.strip() for entry in text.replace("\r\n", "\n").split(DELIMITER)]
    return {
        "replaces_by_duplicate": any((entries + contents).count(content) > 1 for content in replacing),
        "delimiter_in_content": any(DELIMITER in content for content in contents),
        "adds_behind_delimiter": text.rstrip().endswith(DELIMITER.rstrip()) and any(s.get("action") == "add" for s in steps),
        "takes_from_undivided": len(entries) == 1 and sum(1 for line in entries[0].splitlines() if line.strip()) > 1
        and any(s.get("action") in ("replace", "remove") for s in steps),
        # Hermes reads a file again when it gets to change it.
        "not_read_again": unread and call.get("action") in ("replace", "remove") and not call.get("old_text"),
    }


def left(home, step):
    """What the files and the folder have differently."""
    problem = {name: compare(read(f"{home}/memories/{name}"), step[name]) for name in FILES}
    files = os.listdir(home + "/memories")
    if names(files) != names(step["files"]):
        problem["names"] = f"promptc {sorted(files)}, Hermes {step['files']}"
    return {aspect: text for aspect, text in problem.items() if text}


def answered(answer, wanted, call, ids):
    """What two answers say differently, by aspect."""
    said = {
        "success": (answer["success"], wanted["success"]),
        "refusal": refusal(answer, wanted, call, ids),
        "operation": (answer.get("operation"), operation(wanted)),
    }
    if "usage" in wanted:
        numbers = [int(digits.replace(",", "")) for digits in re.findall(r"[\d,]+", wanted["usage"])]
        keys = ("percent", "chars", "capacity")[3 - len(numbers):]
        said["usage"] = ([answer["usage"][key] for key in keys], numbers)
    if "entry_count" in wanted:
        said["count"] = (answer["count"], wanted["entry_count"])
    for key, theirs in (("entries", "current_entries"), ("matches", "matches")):
        # Each of the two shows them with some mistakes with which the other does not.
        if theirs in wanted and (key in answer or answer["code"] in SHOWN):
            said[key] = (unhidden(answer.get(key, []), wanted[theirs]), wanted[theirs])
    return {aspect: f"promptc {got}, Hermes {other}" for aspect, (got, other) in said.items() if got != other}


def refusal(answer, wanted, call, ids):
    """The code, and the same again if the package refuses for that reason."""
    code, keys = answer["code"], set(wanted)
    if wanted["success"]:
        return ("", "")
    error = wanted["error"]
    first = re.search("'(" + "|".join(map(re.escape, ids)) + ")'|U\\+[0-9A-F]{4}", error)
    if "drift_backup" in keys:
        reason = "drifted"
    elif "done" in keys:
        reason = "too-many-failures"
    elif "matches" in keys:
        reason = "ambiguous"
    elif call["target"] not in ("memory", "user", None):
        reason = "unknown-target"
    elif first and "current_entries" not in keys:
        reason = "scan-found"
        if not (answer.get("findings") or [""])[0].endswith(first[0].strip("'")):
            return (answer.get("findings"), first[0])
    elif code in FIELDS and (FIELDS[code] in error.lower() or lacks_all(call)):
        reason = code
    elif re.search(r"[\d,]+/[\d,]+", error):
        reason = "over-capacity"
    elif "multiple" in error:
        reason = "ambiguous"
    elif "current_entries" in keys:
        reason = "no-match"
    else:
        reason = error
    return (code, reason)


def lacks_all(call):
    """Of two fields that a call lacks, each of the two names the one that it looks at first."""
    return not (call.get("old_text") or "").strip() and not (call.get("content") or "").strip()


def operation(wanted):
    """Which operation of a list the package speaks of."""
    named = re.match(r"Operation (\d+)", wanted.get("error", ""))
    return int(named[1]) if named else None


def unhidden(shown, wanted):
    """The entries shown, with the package's in place of those that promptc shows to no model."""
    if len(shown) != len(wanted):
        return shown
    return [theirs if re.match(r"\[left out: ", ours) else ours for ours, theirs in zip(shown, wanted)]


def names(files):
    """Without locks: promptc takes one only to write."""
    return {re.sub(r"\.bak\.[\d.]+$", ".bak", name) for name in files if not name.endswith(".lock")}


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()
