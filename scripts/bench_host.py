#!/usr/bin/env python3
"""Times ordinary host code of kiln beside CPython 3: the programs of `bench/host`, in turn, each pair with the same data.

    scripts/bench_host.py [--kiln PATH] [--rounds 3] [--scale 1.0] [--only NAME,...] [--timeout 120] [--cc clang-22]

A row is a program in Julia and the same algorithm in Python. Both print their data, which must be equal, and the seconds of their work,
without the start of the process; kiln's hold what it compiles on the way, into a store of its own, which the later rounds find filled. Cells
are medians over the rounds. `--scale` multiplies the sizes. `interpreted` is the share of the time that was spent in the interpreter,
if `kiln run --timings` says it. Numeric rows have the same algorithm in C beside them, by `--cc` with `-O2`, if there is one: there kiln's
best round is compared with C's best, as both take a few milliseconds. The exit code is 1 if data differ or a program fails.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "bench/host"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
WORK = TARGET / "bench/host"

# The size of each row, and the file it reads.
ROWS = {
    "fib": (30, None),
    "sieve": (10**7, None),
    "sort_lt": (10**6, None),
    "sort_key": (10**6, None),
    "sort_cmp": (10**6, None),
    "dict_int": (10**6, None),
    "dict_string": (10**6, None),
    "strings": (10**6, None),
    "csv": (300_000, "table.csv"),
    "lines": (10**6, "lines.txt"),
    "json": (20_000, "data.json"),
    "closures": (10**6, None),
    "dispatch": (10**6, None),
    "queens": (12, None),
    "matmul": (300, None),
    "globals": (10**6, None),
    "printf": (10**5, None),
}
# Work that grows faster than the size, which is therefore scaled by a root, or by a difference.
POWERS = {"matmul": 1 / 3}
LOGARITHMIC = {"fib": 1.618, "queens": 4.0}


def scaled(name, size, scale):
    if name in LOGARITHMIC:
        steps = 0
        while scale < 1:
            scale *= LOGARITHMIC[name]
            steps += 1
        return max(size - steps, 1)
    return max(int(size * scale ** POWERS.get(name, 1.0)), 1000 if name == "dispatch" else 1)


def numbers(state=1):
    while True:
        state = (state * 1103515245 + 12345) % 2147483648
        yield state


def write_table(file, rows):
    """Three columns, 33 bytes a line."""
    r = numbers()
    for i in range(rows):
        file.write(f"{next(r):010d},{next(r) / 1024:.6f},{'abcdefgh'[: 1 + next(r) % 8]}\n")


def write_lines(file, rows):
    r = numbers()
    for i in range(rows):
        file.write(f"line {i} of a text {next(r)}\n")


def write_json(file, rows):
    r = numbers()
    items = (
        {"id": i, "name": f"item {next(r)}", "tags": ["a", "bc", "def"][: next(r) % 4], "price": next(r) / 64, "sold": next(r) % 3 == 0, "next": None}
        for i in range(rows)
    )
    file.write("[" + ",\n".join(json.dumps(it) for it in items) + "]\n")


WRITERS = {"table.csv": write_table, "lines.txt": write_lines, "data.json": write_json}


class Failed(Exception):
    """A process failed; the text says how."""


def run(command, timeout, **settings):
    """Runs a program; returns its data, its seconds, and the rest of its standard error."""
    try:
        done = subprocess.run(
            [*map(str, command)], env={**os.environ, **settings}, cwd=SOURCES, capture_output=True, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"more than {timeout} s") from None
    lines = done.stderr.splitlines()
    seconds = [it.split()[1] for it in lines if it.startswith("seconds ")]
    if done.returncode != 0 or len(seconds) != 1:
        said = [it for it in lines if it.strip()]
        raise Failed(said[0] if said else f"exit status {done.returncode}")
    return done.stdout, float(seconds[0]), [it for it in lines if not it.startswith("seconds ")]


def interpreted(lines):
    """The share of the time in the interpreter, from `--timings=json`; a dash if it is not told."""
    for line in lines:
        if line.startswith("{"):
            seconds = json.loads(line).get("seconds", {})
            if "interpreted" in seconds and seconds.get("total"):
                return f"{100 * seconds['interpreted'] / seconds['total']:.1f} %"
    return "-"


def in_c(name, options):
    """The program of a row in C, compiled; nothing if there is none or no compiler."""
    source, program = SOURCES / f"{name}.c", WORK / name
    if not source.exists() or not shutil.which(options.cc):
        return None
    subprocess.run([options.cc, "-O2", "-o", program, source], check=True)
    return program


def measure(name, size, file, options, store):
    arguments = [size] + ([WORK / file] if file else [])
    kiln = [options.kiln, "run", "--timings=json", SOURCES / f"{name}.jl", *arguments]
    python = [sys.executable, SOURCES / f"{name}.py", *arguments]
    times, share, first = {"kiln": [], "python": [], "c": []}, "-", None
    compiled = in_c(name, options)
    for _ in range(options.rounds):
        expected, seconds, _ = run(python, options.timeout, PYTHONDONTWRITEBYTECODE="1")
        times["python"].append(seconds)
        data, seconds, lines = run(kiln, options.timeout, KILN_CACHE="rw", KILN_CACHE_DIR=str(store))
        times["kiln"].append(seconds)
        first = seconds if first is None else first
        share = interpreted(lines)
        if compiled:
            other, seconds, _ = run([compiled, *arguments], options.timeout)
            times["c"].append(seconds)
            if other != expected:
                raise Failed(f"C's data differ: {other.strip()[:60]!r} and {expected.strip()[:60]!r}")
        if data != expected:
            raise Failed(f"data differ: {data.strip()[:60]!r} and {expected.strip()[:60]!r}")
    ours, theirs = (statistics.median(times[it]) for it in ("kiln", "python"))
    by_c = f"{min(times['kiln']) / min(times['c']):.2f}" if compiled else "-"
    return ours, theirs, first, share, by_c


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kiln", type=Path, default=TARGET / "release/kiln")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--cc", default="clang-22")
    options = parser.parse_args()
    options.kiln = options.kiln.resolve()
    rows = [it for it in ROWS if not options.only or it in options.only.split(",")]
    WORK.mkdir(parents=True, exist_ok=True)
    store = WORK / "store"
    shutil.rmtree(store, ignore_errors=True)
    print(f"host code beside CPython {sys.version.split()[0]}, seconds, median of {options.rounds}, sizes times {options.scale:g}")
    print(f"{'':12} {'size':>9} {'kiln':>9} {'CPython':>9} {'ratio':>7} {'first run':>9} {'interpreted':>11} {'by C':>6}")
    failed = False
    for name in rows:
        size, file = ROWS[name]
        size = scaled(name, size, options.scale)
        if file:
            with open(WORK / file, "w") as out:
                WRITERS[file](out, size)
        try:
            ours, theirs, first, share, by_c = measure(name, size, file, options, store)
        except Failed as problem:
            print(f"{name:12} {size:9} {problem}", flush=True)
            failed = True
            continue
        print(f"{name:12} {size:9} {ours:9.3f} {theirs:9.3f} {ours / theirs:7.2f} {first:9.3f} {share:>11} {by_c:>6}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
