# What an app does for each conversation: facts go in as JSON, the prompt comes out.
import json
import subprocess

facts = {"platform": "telegram", "model": "claude-opus-4.8", "tools": ["agent", "memory", "skill_view"], "today": "2026-03-30"}
command = ["promptc", "build", "--manifest", "examples/hermes/promptc.kdl", "--facts", "-"]
made = subprocess.run(command, input=json.dumps(facts).encode(), stdout=subprocess.PIPE, check=True)
print(made.stdout.decode())
