# What an app does in a turn with the calls of the memory tool: a model's arguments go in, the answer for the model comes out.
import json
import subprocess

calls = [
    '{"target": "memory", "action": "remove", "old_text": "pier 9"}',
    '{"target": "memory", "operations": [{"action": "remove", "old_text": "port 5433"}, {"action": "add", "content": "The slip is closed."}]}',
]
command = ["promptc", "agent", "memory", "apply", "--manifest", "examples/hermes/promptc.kdl", "--format", "json", "--failed"]
failed = 0
for arguments in calls:
    made = subprocess.run([*command, str(failed)], input=arguments, stdout=subprocess.PIPE, text=True)
    failed = json.loads(made.stdout)["failed"]
    print(made.stdout)
