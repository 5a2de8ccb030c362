"""The machine and the programs of a figure."""

import datetime
import os
import platform
import subprocess
import time


def read(path, prefix):
    with open(path, encoding="utf-8") as file:
        return next((line.split(":", 1)[-1].split("=", 1)[-1].strip().strip('"') for line in file if line.startswith(prefix)), "")


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def machine():
    memory = int(read("/proc/meminfo", "MemTotal").split()[0])
    return {
        "processor": read("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**20, 1),
        "system": read("/etc/os-release", "PRETTY_NAME"),
        "kernel": platform.release(),
        "virtual": " hypervisor" in open("/proc/cpuinfo", encoding="utf-8").read(),
    }


def pins(path):
    """The packages that a file of pins names, with their versions."""
    with open(path, encoding="utf-8") as file:
        return dict(line.strip().lower().replace("_", "-").split("==") for line in file)


def versions(here, peers, promptc, node, hermes):
    """Of promptc, the peers, and what runs them."""
    out = {"promptc": said(promptc, "--version").split()[-1], "python": platform.python_version(), "node": said(node, "--version").lstrip("v")}
    for peer, package in peers.items():
        if os.path.exists(f"{here}/{peer}/requirements.txt"):
            out[peer] = pins(f"{here}/{peer}/requirements.txt")[package]
        else:
            import json
            with open(f"{here}/{peer}/package.json", encoding="utf-8") as file:
                out[peer] = json.load(file)["dependencies"][package]
    out["hermes-agent"] = pins(hermes)["hermes-agent"]
    return out


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def load():
    """How many processes wanted to run in the last minute."""
    return round(os.getloadavg()[0], 2)


def calm(seconds):
    """Waits until hardly a process ran in the last minute, or so long: what was built or installed just before still counts."""
    end = time.monotonic() + seconds
    while load() > 0.7 and time.monotonic() < end:
        time.sleep(5)
    return load()
