"""A home of an ordinary size, for those who time both builders on it."""

import json
import os
import subprocess

from generator import clean

from . import facts, overlay, promptc


class Home:
    """A home with so many skills, its recorded case, and the commands that build its prompt; `program` is promptc."""

    def __init__(self, python, scratch, skills, base, program):
        self.python, self.program, self.root = python, program, f"{scratch}/case-{skills}"
        self.env = clean.environment(self.root)
        self.hermes("make", str(skills))
        self.case = facts.Case(self.root)
        self.manifest = overlay.write(self.root + "/overlay", scratch + "/goldens/constants", base)
        tables = facts.load(scratch + "/goldens/constants/tables.json")
        self.facts = json.dumps(self.case.facts(tables)).encode()
        overlay.write_file(self.root + "/given.json", self.facts.decode())
        self.roots = [*self.case.roots(), f"text={self.root}/overlay/text"]

    def hermes(self, command, *more):
        line = [self.python, "-m", "generator.bench", command, self.root, *more]
        return subprocess.run(line, env=self.env, check=True, capture_output=True).stdout

    def promptc(self, manifest):
        command = [self.program, "build", "--quiet", "--hermetic", "--manifest", manifest]
        return [*command, *promptc.roots(self.roots), "--facts", self.root + "/given.json"]

    def processes(self):
        def forget():
            snapshot = self.root + "/home/.skills_prompt_snapshot.json"
            if os.path.exists(snapshot):
                os.remove(snapshot)

        hermes = [self.python, "-m", "generator.bench", "once", self.root]
        return {
            "promptc build": (self.promptc(self.manifest), lambda: None),
            "hermes-agent, with its skills snapshot": (hermes, lambda: None),
            "hermes-agent, without": (hermes, forget),
        }
