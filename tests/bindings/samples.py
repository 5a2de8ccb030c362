#!/usr/bin/env python3
"""Makes what the bindings are compared on: samples.py PROGRAM FOLDER COUNT SEED

Each recorded scenario, and COUNT random manifests with random inputs, of which many are wrong. FOLDER/cases.jsonl has for each what is
given, and what the program answers: the artifact, and at times other documents, or its diagnostics.
"""

import json
import pathlib
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TOP = pathlib.Path(__file__).resolve().parents[2]
NOW = "2026-11-27T09:00:00Z"
WORDS = "harbor tide lantern ledger quiet number café Zürich 数 🙂 { } {{ }} {% %} # \\ \" & < >".split(" ")
CHANGES = "never deploy session day turn".split()


def prose(draw, most=12):
    return " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, most)))


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


class Sample:
    """A random manifest with its files and facts."""

    def __init__(self, draw, folder):
        self.draw = draw
        self.folder = folder
        self.names = [f"f{at}" for at in range(draw.randint(0, 5))]
        self.kinds = {name: draw.choice("string int float bool date list map".split()) for name in self.names}
        self.files = [f"d{at}.md" for at in range(draw.randint(1, 4))]

    def fact(self, name):
        settings = []
        if self.draw.random() < 0.8:
            settings.append("optional=#true")
        if self.draw.random() < 0.4:
            settings.append(f"changes={self.draw.choice(CHANGES[1:])}")
        if self.draw.random() < 0.1:
            settings.append("private=#true")
        return f"fact {name} {self.kinds[name]} {' '.join(settings)}"

    def content(self):
        roll = self.draw.random()
        if roll < 0.4 or not self.names:
            return f"text {quoted(prose(self.draw).replace('{', '').replace('}', ''))}"
        if roll < 0.7:
            name = self.draw.choice(self.names + (["nowhere"] if self.draw.random() < 0.02 else []))
            how = {"list": " | join(', ')", "map": " | length"}.get(self.kinds.get(name, ""), "")
            bare = self.draw.random() < 0.03
            how = "" if bare else f" | default([]){how}" if how else " | default('none')"
            return f'template "{self.draw.choice(["Of", "With", "Über"])} {{{{ {name}{how} }}}}."'
        missing = self.draw.choice([""] * 9 + [" missing=error"])
        file = self.draw.choice(self.files + ["none.md"])
        budget = " { budget 40 }" if self.draw.random() < 0.3 else ""
        return f"file {quoted(file)} root=project{missing}{budget}"

    def layer(self, number):
        when = ""
        if self.names and self.draw.random() < 0.3:
            when = f' when="{self.draw.choice(self.names)} is defined"'
        return f"    layer l{number}{when} {{ {self.content()} }}"

    def manifest(self):
        lines = ["promptc 1", "name sample", 'root project default="."', *map(self.fact, self.names)]
        number = 0
        for tier in range(self.draw.randint(1, 4)):
            deliver = self.draw.choice(["", "", "", " deliver=user", " deliver=tools"])
            lines.append(f"tier t{tier} changes={self.draw.choice(CHANGES[1:])}{deliver} {{")
            for _ in range(self.draw.randint(1, 4)):
                number += 1
                lines.append(self.layer(number))
            lines.append("}")
        lines.append("scenario plain { }")
        if self.draw.random() < 0.06:
            # A slip of the keyboard.
            at = self.draw.randrange(len(lines))
            lines[at] = lines[at][: self.draw.randrange(len(lines[at]) + 1)] + self.draw.choice('{}"=#x')
        return "\n".join(lines) + "\n"

    def value(self, kind):
        if self.draw.random() < 0.02:
            kind = self.draw.choice(["string", "list", "map", "int", "null"])
        number = self.draw.randint(-(10**9), 10**9)
        return {
            "string": prose(self.draw, 4),
            "int": number,
            "float": number / 1000,
            "bool": self.draw.random() < 0.5,
            "date": f"2026-0{self.draw.randint(1, 9)}-1{self.draw.randint(0, 9)}",
            "list": [prose(self.draw, 2) for _ in range(self.draw.randint(0, 4))],
            "map": {f"k{at}": prose(self.draw, 2) for at in range(self.draw.randint(0, 3))},
            "null": None,
        }[kind]

    def case(self):
        facts = {name: self.value(kind) for name, kind in self.kinds.items() if self.draw.random() < 0.95}
        if self.draw.random() < 0.05:
            facts["unknown"] = 1
        sets = {}
        if self.names and self.draw.random() < 0.1:
            sets[self.draw.choice(self.names)] = self.draw.choice(["7", "true", "[]", "{", "2026-01-01", "word"])
        return {
            "manifest": f"{self.folder}/promptc.kdl",
            "facts": facts if self.draw.random() < 0.95 else None,
            "set": sets,
            "scenario": self.draw.choice([None] * 6 + ["plain"] * 3 + ["plian"]),
        }

    def write(self, top):
        place = top / self.folder
        place.mkdir()
        for file in self.files:
            (place / file).write_text("\n".join(prose(self.draw, 20) for _ in range(self.draw.randint(0, 8))))
        (place / "promptc.kdl").write_text(self.manifest())


def snapshots():
    """Each recorded scenario; those of `layers` as scenarios of the built-ins."""
    for lock in sorted((TOP / "snapshots").rglob("*.lock")):
        head, *lines = map(json.loads, filter(None, lock.read_text().split("\n")))
        path = head["manifest"]
        for line in lines:
            if line["line"] != "record" or line["scenario"] == "default":
                continue
            name = line["scenario"]
            case = {"id": f"{path} {name}", "cwd": str(TOP), "manifest": path, "roots": {}, "facts": None, "set": {}, "scenario": name}
            if path.startswith("./layers/"):
                case |= {"manifest": f"builtin:{lock.stem}", "roots": {"workspace": "layers"}}
            texts = [*lock.with_suffix("").glob(f"{name}.txt"), *lock.with_suffix("").glob(f"{name}+*.txt")]
            case["texts"] = {(text.stem.split("+")[1:] or ["system"])[0]: text.read_bytes().decode() for text in texts}
            yield case


def answered(program, store, case):
    """The case with what the program answers."""
    given = ["-m", case["manifest"], "--now", NOW]
    given += [f"--set={name}={value}" for name, value in case["set"].items()]
    given += [f"--root={name}={path}" for name, path in case["roots"].items()]
    given += [] if case["scenario"] is None else ["--scenario", case["scenario"]]
    given += [] if case["facts"] is None else ["--facts", "-"]
    sent = json.dumps(case["facts"]).encode()

    def run(*command):
        ran = subprocess.run(
            [program, *command, "--message-format", "json", *given], cwd=case["cwd"], input=sent, capture_output=True
        )
        found = [json.loads(line) for line in ran.stderr.decode().splitlines() if line.startswith("{")]
        keys = ("code", "message", "path", "line", "column")
        errors = [[one[key] for key in keys] for one in found if one["severity"] == "error"]
        # Facts of the library are no standard input.
        errors = json.loads(json.dumps(errors).replace("<stdin>", "<facts>").replace("standard input", "`<facts>`"))
        # `check` fails where something was found, too.
        return {"json": ran.stdout.decode()} if ran.stdout else {"errors": errors}

    case["build"] = run("build", "--format", "json", "--no-inputs")
    if case["more"]:
        case["explain"] = run("explain", "--format", "json")
        case["check"] = run("check", "--format", "json")
        case["emit"] = run("emit", "anthropic", "--model", "claude-opus-5-5")
        case["diff"] = run("diff", ".", ".", "--format", "json")
        case["blame"] = run("blame", "--offset", "3", "--format", "json")
        case["session"] = run("build", "--format", "json", "--session", case["id"], "--store", str(store))
        case["again"] = run("build", "--format", "json", "--session", case["id"], "--store", str(store))
    return case


def main(program, folder, count, seed):
    top = pathlib.Path(folder)
    cases = list(snapshots())
    for number in range(int(count)):
        sample = Sample(random.Random(f"{seed}/{number}"), f"s{number}")
        sample.write(top)
        cases.append({"id": f"s{number}", "cwd": str(top), "roots": {}, "texts": {}, **sample.case()})
    for number, case in enumerate(cases):
        case["now"] = NOW
        case["more"] = number % 5 == 0 or "s" not in case["id"][:1]
    with ThreadPoolExecutor() as pool, open(top / "cases.jsonl", "w") as out:
        done = list(pool.map(lambda case: answered(program, top / "store.db", case), cases))
        out.writelines(json.dumps(case) + "\n" for case in done)
    wrong = sum("errors" in case["build"] for case in done)
    print(f"{len(done)} cases, of which {wrong} have an error")


main(*sys.argv[1:])
