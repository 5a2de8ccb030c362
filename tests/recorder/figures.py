"""What the recorder adds to a request, and its memory: PORT-OF-RECORDER PORT-OF-PROVIDER CERTIFICATE PID."""

import http.client
import json
import ssl
import statistics
import sys
import time

through, direct, certificate, pid = sys.argv[1:]
context = ssl.create_default_context(cafile=certificate)


def body(size, i):
    text = "Berth 4 is free. " * (size // 17)
    # A hundred requests are one conversation.
    user = json.dumps({"session_id": f"s-{i // 100}"})
    messages = [{"role": "user", "content": f"number {i}"}]
    return json.dumps({"model": "claude-opus-5-5", "max_tokens": 9, "metadata": {"user_id": user}, "system": text, "messages": messages})


def asked(connection, path, text):
    start = time.perf_counter()
    connection.request("POST", path, text, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200, answer.status
    return (time.perf_counter() - start) * 1000


def memory():
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


ways = {
    "direct": (http.client.HTTPSConnection("localhost", int(direct), context=context), "/v1/messages"),
    "through": (http.client.HTTPConnection("127.0.0.1", int(through)), "/anthropic/v1/messages"),
}
times = {name: [] for name in ways}
for i in range(320):
    for name, (connection, path) in ways.items():
        took = asked(connection, path, body(100_000, i))
        if i >= 20:
            times[name].append(took)
        # What is written down after a request is not a part of it.
        time.sleep(0.005)
middle = {name: statistics.median(all) for name, all in times.items()}
added = middle["through"] - middle["direct"]
print(f"  100 KB bodies: {middle['direct']:.2f} ms direct, {middle['through']:.2f} ms through the recorder, {added:.2f} ms more (medians of 300)")
connection, path = ways["through"]
seen = []
for i in range(10_000):
    asked(connection, path, body(2_000, i))
    if (i + 1) % 1_000 == 0:
        seen.append(memory())
print(f"  10,000 requests: {seen[0]:.0f} MiB after 1,000, {seen[-1]:.0f} MiB after 10,000, {max(seen):.0f} MiB at most")
sys.exit(added > 2 or seen[-1] > seen[0] + 10)
