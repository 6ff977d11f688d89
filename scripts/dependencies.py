#!/usr/bin/env python3
"""Checks the crates that kiln is built from: licences, where they come from, one version of each, the Rust they need, and
that a release builds each once, although its build script uses some of them too.

An exception stands in a table here, with its reason; one that is not needed any more fails too.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Licences that a program under MIT or Apache-2.0 may contain.
LICENCES = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}

# Crates of several versions, and why.
SEVERAL = {
    "hashbrown": "tests: rbpf 0.4 needs 0.16",
    "object": "build: psm, of stacker, reads archives with 0.39",
    "syn": "tests: thiserror 1, of filecheck 0.5, needs 2",
    "thiserror": "tests: filecheck 0.5 needs 1",
    "thiserror-impl": "tests: filecheck 0.5 needs 1",
}


def alternatives(expression):
    """The licences of which one is enough, each a list of those that all hold: `A OR (B AND C)`."""
    text = expression.replace("/", " OR ").replace("(", " ").replace(")", " ")
    return [[it.strip() for it in one.split(" AND ")] for one in text.split(" OR ")]


def is_allowed(expression):
    if expression is None:
        return False
    if "AND" in expression and "OR" in expression:
        # `(A OR B) AND C`: every part has an alternative that is allowed.
        return all(is_allowed(it) for it in expression.replace("(", "").replace(")", "").split(" AND "))
    return any(all(it in LICENCES for it in one) for one in alternatives(expression))


def version(text):
    return tuple(int(it) for it in (text.split(".") + ["0", "0"])[:3])


def built_twice():
    """The crates that `make build` builds more than once, for the program and for a build script: profiles or features differ."""
    command = ["cargo", "build", "--release", "--locked", "-p", "kiln-codegen", "-p", "kiln-cli"]
    command += ["--unit-graph", "-Z", "unstable-options"]
    env = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    said = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True).stdout
    units = [it for it in json.loads(said)["units"] if it["mode"] == "build" and "lib" in it["target"]["kind"]]
    packages = [it["pkg_id"].split("/")[-1] for it in units]
    return sorted({it for it in packages if packages.count(it) > 1})


def main():
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    host = next(
        line.split(": ")[1]
        for line in subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout.splitlines()
        if line.startswith("host: ")
    )
    command += ["--filter-platform", host]
    data = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    used = {node["id"] for node in data["resolve"]["nodes"]}
    packages = [it for it in data["packages"] if it["id"] in used]
    own = [it for it in packages if it["id"] in set(data["workspace_members"])]
    others = [it for it in packages if it not in own]
    problems = []

    rust = version(own[0]["rust_version"])
    versions = defaultdict(set)
    for it in others:
        name = f"{it['name']} {it['version']}"
        versions[it["name"]].add(it["version"])
        if not is_allowed(it["license"]):
            problems.append(f"{name}: the licence `{it['license']}` is not in the list")
        if not (it["source"] or "").startswith("registry+https://github.com/rust-lang/crates.io-index"):
            problems.append(f"{name}: it comes from {it['source']}, not from crates.io")
        if it["rust_version"] and version(it["rust_version"]) > rust:
            problems.append(f"{name}: it needs Rust {it['rust_version']}, and the workspace says {own[0]['rust_version']}")
    for name, found in sorted(versions.items()):
        if len(found) > 1 and name not in SEVERAL:
            problems.append(f"{name}: versions {', '.join(sorted(found))}")
    for name in SEVERAL:
        if len(versions[name]) < 2:
            problems.append(f"{name}: there is one version; take it from the list of exceptions")
    problems += [f"{name}: it is built twice" for name in built_twice()]

    for problem in problems:
        print(f"dependencies: {problem}", file=sys.stderr)
    print(f"dependencies: {len(others)} crates of others, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
