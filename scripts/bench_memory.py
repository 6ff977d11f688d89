#!/usr/bin/env python3
"""The memory of programs that make garbage for long: peak memory, collections and pauses of bench/memory/*.jl.

    scripts/bench_memory.py [--share PERCENT] [--kiln PATH]

Each program has the size that its head says at 100 percent. Peak memory is the largest resident set, in megabytes."""

import argparse
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = ["objects", "arrays", "server", "live"]


def run(kiln, name, share):
    command = [kiln, "run", "--timings=json", os.path.join(ROOT, "bench", "memory", name + ".jl"), str(share)]
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate()
    seconds = time.monotonic() - start
    if process.returncode != 0:
        sys.exit(f"{name}: status {process.returncode}\n{err}")
    timings = next(json.loads(line) for line in reversed(err.splitlines()) if line.startswith("{"))
    return out.strip(), seconds, timings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=int, default=100)
    parser.add_argument("--kiln", default=os.path.join(ROOT, "target", "release", "kiln"))
    options = parser.parse_args()
    print(f"{'program':<10}{'s':>8}{'peak MB':>9}{'collections':>13}{'pauses':>8}"
          f"{'median ms':>11}{'99% ms':>9}{'longest ms':>12}{'share':>7}")
    for name in PROGRAMS:
        # The peak of one child each: a process of its own measures it.
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            import resource

            _, seconds, timings = run(options.kiln, name, options.share)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            os.write(write, json.dumps([seconds, peak, timings]).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as told:
            text = told.read()
        os.waitpid(child, 0)
        if not text:
            sys.exit(1)
        seconds, peak, timings = json.loads(text)
        spent = timings["seconds"]
        print(f"{name:<10}{seconds:>8.2f}{peak / 1024:>9.0f}{timings['collections']:>13}{timings['pauses']:>8}"
              f"{spent['pause_median'] * 1e3:>11.2f}{spent['pause_99_of_100'] * 1e3:>9.2f}"
              f"{spent['pause_longest'] * 1e3:>12.2f}{spent['collecting'] / seconds:>7.0%}")


main()
