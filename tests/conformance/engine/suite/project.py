"""A copy of `examples/atlas` that is changed again and again, and the prompts that promptc builds of it."""

import json
import os
import shutil
import subprocess

ATLAS = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../../../examples/atlas"))
FACTS = {
    "today": "2026-11-23", "user_name": "Imani", "platform": "chat", "duty": "incident", "model": "house-large",
    "region": "eu-1", "dry_run": False, "runbooks": ["runbooks/mail-queue.md", "runbooks/tls-expiry.md"],
    "tools": ["read_file", "search_logs", "query_metrics", "run_step"], "recalled": "INC-158: a form was abused.",
    "workspace_path": "/srv/atlas",
}
VALUES = {
    "today": ["2026-11-22", "2026-11-24", "2027-01-01"], "user_name": ["Ann", "Jérôme", "Imani O.", "明"],
    "platform": ["cli", "chat", "pager"], "duty": ["normal", "incident", "quiet"], "model": ["house-small", "house-large"],
    "region": ["eu-2", "us-1"], "dry_run": [True, False],
    "runbooks": [["runbooks/disk-full.md"], ["runbooks/tls-expiry.md", "runbooks/mail-queue.md"], ["runbooks/*.md"]],
    "tools": [["read_file"], ["read_file", "search_logs", "page_oncall"], ["search_logs", "run_step"]],
    "recalled": ["", "INC-160: the same again."], "workspace_path": ["/srv/atlas-2", "/home/atlas"],
}
WORDS = ["disk", " mail-1", "9", "\n\n## More\n", "é", "日本", "😀", " ", "- one more line\n", "The proxy waits."]


class Project:
    def __init__(self, promptc, folder):
        self.promptc = promptc
        self.folder = folder
        self.reset()

    def reset(self):
        """As it is shipped."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(ATLAS, self.folder)
        self.facts = dict(FACTS)

    def build(self, artifact):
        """Writes the artifact of a build, and answers its system prompt."""
        command = [self.promptc, "build", "--quiet", "--hermetic", "--manifest", self.folder + "/promptc.kdl", "--root",
                   "workspace=" + self.folder + "/workspace", "--facts", "-", "--format", "json", "--output", artifact]
        subprocess.run(command, input=json.dumps(self.facts).encode(), check=True)
        with open(artifact, encoding="utf-8") as file:
            channels = json.load(file)["channels"]
        return next(channel["text"] for channel in channels if channel["channel"] == "system")

    def change(self, random):
        """Changes something, and says what."""
        kind = random.choice(["fact", "edit", "edit", "edit", "file", "rename"])
        return getattr(self, kind)(random)

    def fact(self, random):
        name = random.choice(sorted(VALUES))
        self.facts[name] = random.choice(VALUES[name])
        return f"fact {name}"

    def edit(self, random):
        """Changes the text of a document at a random place, behind its front matter."""
        path = random.choice(self.documents())
        with open(path, encoding="utf-8") as file:
            text = file.read()
        head = text.index("\n---", 3) + 5 if text.startswith("---") else 0
        at = random.randrange(head, len(text) + 1)
        kind = random.choice(["insert", "delete", "replace", "append", "swap"])
        if kind == "insert":
            text = text[:at] + random.choice(WORDS) + text[at:]
        elif kind == "delete":
            text = text[:at] + text[at + random.randint(1, 200):]
        elif kind == "replace":
            text = text[:at] + random.choice("xyzQ7 ") + text[at + 1:]
        elif kind == "append":
            text += "\n" + random.choice(WORDS) + "\n"
        else:
            lines = text[head:].split("\n")
            random.shuffle(lines)
            text = text[:head] + "\n".join(lines)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return f"{kind} in {os.path.basename(path)}"

    def file(self, random):
        """A document comes or goes."""
        name = random.choice(["FREEZE.md", "runbooks/new.md", "rules/05-new.md", "rules/99-new.md", "memory.md", "USER.md"])
        path = f"{self.folder}/workspace/{name}"
        if os.path.exists(path):
            os.remove(path)
            return f"without {name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"# {name}\n\nNothing may be changed before the {random.randint(1, 30)}th.\n")
        return f"with {name}"

    def rename(self, random):
        """A document goes to another place in the order of names."""
        folder = f"{self.folder}/workspace/{random.choice(['runbooks', 'rules'])}"
        old = random.choice(sorted(os.listdir(folder)))
        os.rename(f"{folder}/{old}", f"{folder}/{random.randint(10, 99)}-{old[-12:]}")
        return f"another name for {old}"

    def documents(self):
        found = (os.path.join(where, name) for where, _, names in os.walk(self.folder + "/workspace") for name in names)
        return sorted(path for path in found if path.endswith(".md"))
