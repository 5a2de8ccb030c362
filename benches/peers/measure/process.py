"""Whole processes: their wall and CPU time and their peak memory, in turn."""

import os
import shutil
import subprocess
import time

NOWHERE = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
TIME = "/usr/bin/time"


def once(command, folder, env):
    """Wall and CPU milliseconds of one process and those that it waited for."""
    os.chdir(folder)
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, env, file_actions=NOWHERE)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"failed with {status}: {' '.join(command)[:300]}")
    return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def peak(command, folder, env):
    """The peak resident memory in KiB of the largest of the processes, or None without GNU time.

    A small program has to start it: the kernel counts the memory of the starter too, and a Python is larger than much of what is measured.
    """
    if not os.path.exists(TIME):
        return None
    ran = subprocess.run([TIME, "-f", "%M", *command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, check=True)
    return int(ran.stderr.split()[-1])


def in_turn(rows, rounds, env, peaks=3):
    """Samples of `rows`, name to (command, folder, what is done before it): A B C … A B C …, after one round that does not count."""
    samples = {name: {"wall_ms": [], "cpu_ms": [], "peak_kib": []} for name in rows}
    for number in range(rounds + 1):
        for name, (command, folder, before) in rows.items():
            before()
            wall, cpu = once(command, folder, env)
            if number:
                samples[name]["wall_ms"].append(round(wall, 3))
                samples[name]["cpu_ms"].append(round(cpu, 3))
    for _ in range(peaks):
        for name, (command, folder, before) in rows.items():
            before()
            kib = peak(command, folder, env)
            if kib is not None:
                samples[name]["peak_kib"].append(kib)
    return samples


def program(name):
    """The real path of a program on the path; a stand-in that only starts another would be measured too."""
    found = shutil.which(name)
    return found and os.path.realpath(found)


def nothing():
    pass
