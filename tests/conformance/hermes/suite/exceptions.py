"""The differences that are known and right: defects of Hermes that a compiler should not copy, each with its reason.

An exception covers a case only if the recorded facts match it and every layer that differs is one of its layers. One that
matches cases and is needed by none of them is stale, and fails the run.
"""

import json
import os

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "exceptions.json")
# Defects by the names that README.md gives them; nothing else is a reason.
DEFECTS = (
    "memory-not-utf8", "limit-of-4", "mark-before-blank", "delimiter-in-content", "replaces-by-duplicate",
    "adds-behind-delimiter", "not-read-again", "undivided-file",
)


class Exceptions:
    def __init__(self, path=FILE):
        with open(path, encoding="utf-8") as file:
            self.entries = json.load(file)
        for entry in self.entries:
            if entry["defect"] not in DEFECTS or not entry["reason"]:
                raise SystemExit(f"{path}: `{entry['id']}` stands for no known defect")
        self.met = {entry["id"]: [] for entry in self.entries}

    def excuse(self, kind, recorded, layers):
        """The exception that covers a case of which these layers differ; of none, it is noted that it was not needed."""
        covering = None
        for entry in self.entries:
            if entry["kind"] != kind or not all(holds(test, recorded) for test in entry["when"]):
                continue
            needed = bool(layers) and set(layers) <= set(entry["layers"])
            self.met[entry["id"]].append(needed)
            if needed and not covering:
                covering = entry["id"]
        return covering

    def stale(self):
        return [entry for entry, met in self.met.items() if met and not any(met)]


def holds(test, recorded):
    """`{"fact": NAME, …}` with `is` or `at-most`; a fact that is not recorded holds nothing."""
    value = recorded.get(test["fact"])
    if "is" in test:
        return value == test["is"]
    return value is not None and value <= test["at-most"]
