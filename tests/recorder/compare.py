"""Compares the log of a recording with an import of what the provider wrote down: RECORDED IMPORTED.

The provider knows another order of what is sent at once, and not when a client sent it; both are left out, with all that is counted by them.
Nor does it know how much of an answer a client waited for: of one that broke off only the id is compared.
"""

import json
import sys


def exchanges(path, broken):
    """Each request with the answer to it, its parts written out; `broken` gets the ids of answers that broke off."""
    parts, requests = {}, {}
    for text in open(path, encoding="utf-8"):
        line = json.loads(text)
        if line["kind"] == "part":
            parts[line["hash"]] = line["json"]
        elif line["kind"] == "request":
            for name in ("time", "origin", "id", "number", "parent", "chain", "conversation", "messages"):
                line.pop(name, None)
            requests[len(requests) + 1] = [line, None]
        elif line["kind"] == "response":
            number = line.pop("request")
            line.pop("conversation")
            requests[number][1] = line
    written = lambda names: [parts[name] for name in names]  # noqa: E731
    out = []
    for request, response in requests.values():
        request["tools"], request["system"] = written(request["tools"]), written(request["system"])
        if response and response["state"] == "aborted":
            broken.add(response["id"])
        if response and response.get("id") in broken:
            response = response["id"]
            out.append(json.dumps([request, response], sort_keys=True))
            continue
        for message in (response or {}).get("output", []):
            message["parts"] = written(message["parts"])
        out.append(json.dumps([request, response], sort_keys=True))
    return sorted(out)


broken = set()
recorded, imported = (exchanges(path, broken) for path in sys.argv[1:])
missing = [one for one in imported if one not in recorded]
more = [one for one in recorded if one not in imported]
for what, ones in (("only the provider has", missing), ("only the log has", more)):
    for one in ones[:3]:
        print(f"{what}: {one[:2000]}", file=sys.stderr)
print(f"  {len(recorded)} exchanges in the log, {len(imported)} of the provider, {len(missing) + len(more)} differ")
sys.exit(recorded != imported)
