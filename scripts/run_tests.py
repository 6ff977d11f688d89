#!/usr/bin/env python3
"""Builds the workspace's tests and runs them, two test binaries at once, since many have one test that is much longer than
the others.

    scripts/run_tests.py [NAME...]

The output of a binary is printed whole, when it has ended. A failure stops no other binary; the names of those that failed stand at
the end, and the exit code is 1. Names choose test binaries (`programs`, `kiln_opt`); the tests in documentation are left out then.
`cargo test` runs the same tests, one binary after the other.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo")
AT_ONCE = 2
# They take longest, so they begin first: a long one that begins last would run alone at the end.
LONGEST = ["programs", "boundary", "differential", "sanitizer"]


def binaries():
    """Builds, and returns each test binary: its name, its file and the folder of its crate."""
    command = [CARGO, "test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit(built.returncode)
    messages = map(json.loads, built.stdout.splitlines())
    tests = [it for it in messages if it.get("executable") and it["profile"]["test"]]
    return [(it["target"]["name"], it["executable"], Path(it["manifest_path"]).parent) for it in tests]


def ended_well(name, folder, command):
    """Runs a command in a folder, prints its output when it has ended, and returns whether it succeeded."""
    started = time.monotonic()
    env = {**os.environ, "CARGO": CARGO, "CARGO_MANIFEST_DIR": str(folder)}
    done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    title = f"{folder.relative_to(ROOT)}: {name} ({time.monotonic() - started:.1f} s)"
    print(f"\n     Running {title}\n{done.stdout}", end="", flush=True)
    return done.returncode == 0


def main():
    names = sys.argv[1:]
    tests = binaries()
    if unknown := set(names) - {name for name, _, _ in tests}:
        sys.exit(f"error: no test binary is named {', '.join(sorted(unknown))}")
    tests = [it for it in tests if not names or it[0] in names]
    tests.sort(key=lambda it: LONGEST.index(it[0]) if it[0] in LONGEST else len(LONGEST))
    runs = [(name, folder, [file]) for name, file, folder in tests]
    if not names:
        runs.append(("documentation", ROOT, [CARGO, "test", "--workspace", "--doc", "--no-fail-fast"]))
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        passed = list(pool.map(lambda it: ended_well(*it), runs))
    if failed := [name for (name, _, _), well in zip(runs, passed) if not well]:
        sys.exit(f"error: {len(failed)} of {len(runs)} test binaries failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
