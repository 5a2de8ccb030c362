"""Fetches the files of a source, of a package of PyPI or of a commit on GitHub, once.

Of a package the archive is read; nothing of it is installed or run but what pip needs for an archive of sources.
"""

import os
import re
import subprocess
import sys
import tarfile
import zipfile


def fetch(source, place):
    """The folder with the files of a source, or None with the reason told."""
    folder = place / "files" / source["name"]
    made = folder / "made"
    key = source.get("commit") or source["version"]
    if made.exists() and made.read_text() == key + source["files"]:
        return folder
    files = of_github(source, place) if "github" in source else of_pypi(source, place)
    if files is None:
        return None
    for name, data in files:
        path = folder / "all" / name
        if not path.resolve().is_relative_to(folder.resolve()):
            sys.exit(f"{source['name']}: {name} leads out of its folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    made.write_text(key + source["files"])
    return folder


def of_pypi(source, place):
    wanted = f"{source['pypi']}=={source['version']}"
    kind = "--no-binary" if source.get("sdist") else "--only-binary"
    packages = place / "packages" / source["name"]
    ran = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", kind, source["pypi"]]
    subprocess.run([*ran, "--dest", packages, wanted], check=True)
    (archive,) = packages.iterdir()
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as all_:
            return [(name, all_.read(name)) for name in all_.namelist() if re.search(source["files"], name)]
    with tarfile.open(archive) as all_:
        return [(m.name, all_.extractfile(m).read()) for m in all_ if m.isfile() and re.search(source["files"], m.name)]


def of_github(source, place):
    clone = os.path.join(os.environ.get("CLONES", place / "clones"), source["github"].replace("/", "+"))
    inner = os.path.join(clone, "repo")
    clone = inner if os.path.isdir(inner) else clone
    git = ["git", "-C", clone]
    if not os.path.isdir(clone):
        subprocess.run(["git", "init", "--quiet", "--bare", clone], check=True)
    if subprocess.run([*git, "cat-file", "-e", source["commit"]], stderr=subprocess.DEVNULL).returncode:
        url = f"https://github.com/{source['github']}"
        if subprocess.run([*git, "fetch", "--quiet", "--depth=1", url, source["commit"]], timeout=900).returncode:
            print(f"{source['name']}: not reached")
            return None
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", source["commit"]], check=True, capture_output=True, text=True).stdout
    files = []
    with subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as read:
        for line in listed.split("\0"):
            head, _, name = line.partition("\t")
            if not re.search(source["files"], name):
                continue
            read.stdin.write(head.split()[2].encode() + b"\n")
            read.stdin.flush()
            kind = read.stdout.readline().split()
            if kind[1] == b"missing":
                print(f"{source['name']}: {name} is not in the clone")
                continue
            files.append((name, read.stdout.read(int(kind[2]))))
            read.stdout.read(1)
        read.stdin.close()
    return files
