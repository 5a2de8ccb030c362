"""An agent that answers questions about a harbour. Its system prompt has a line that is another at each call."""

import json
import os
import urllib.request
from datetime import datetime

SYSTEM = """You are Harbor, and answer questions about berths in one sentence.
It is {now}.
"""


def ask(question, history=()):
    """Asks a question after a history; gives the history with the answer."""
    messages = [*history, {"role": "user", "content": question}]
    system = SYSTEM.format(now=datetime.now().isoformat())
    body = {"model": "claude-opus-5-5", "max_tokens": 500, "cache_control": {"type": "ephemeral"}, "system": system, "messages": messages}
    base = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com")
    headers = {"Content-Type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": os.environ.get("ANTHROPIC_API_KEY", "none")}
    request = urllib.request.Request(f"{base}/v1/messages", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    return [*messages, {"role": "assistant", "content": answer["content"]}]


if __name__ == "__main__":
    talk = ask("Is there a berth for 12 metres?")
    print(ask("And for 20?", talk)[-1]["content"][0]["text"])
