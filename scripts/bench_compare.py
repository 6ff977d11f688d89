#!/usr/bin/env python3
"""Compares two builds of kiln: the rows of `make bench`, measured in turn, old and new, so that both see the same machine.

    scripts/bench_compare.py OLD_DIR NEW_DIR [--rounds 9] [--only TEXT]

A directory is one that `cargo build --release -p kiln-codegen -p kiln-cli` and `cargo build --release -p kiln --example
launch_path` wrote: it holds `kiln`, `libkiln_codegen.so` and `examples/launch_path`. Each row shows both medians, the median
of the ratios of pairs, the spread (the range of the middle half of the ratios) and a mark where the median is worse by more
than 5 % and by more than that spread.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"


class Build:
    """One of the two builds, with directories of its own for caches and images."""

    def __init__(self, release, work):
        self.kiln = str(Path(release).resolve() / "kiln")
        self.library = str(Path(release).resolve() / "libkiln_codegen.so")
        self.launch_path = str(Path(release).resolve() / "examples/launch_path")
        self.work = work
        work.mkdir()

    def run(self, *args, cache=None, **env):
        """Runs `kiln ARGS`; returns what it printed, both streams."""
        settings = {**os.environ, "KILN_THREADS": "1", "KILN_CACHE": "off", **env}
        if cache:
            settings |= {"KILN_CACHE": "rw", "KILN_CACHE_DIR": str(self.work / cache)}
        done = subprocess.run([self.kiln, *map(str, args)], env=settings, cwd=self.work, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{self.kiln} {' '.join(map(str, args))}: {done.stderr.strip()}")
        return done.stdout + done.stderr

    def wall(self, *args, **options):
        """Milliseconds of a process."""
        started = time.perf_counter()
        self.run(*args, **options)
        return (time.perf_counter() - started) * 1e3

    def timing(self, field, *args, **options):
        """A field of `--timings=json`, the first of that name, in milliseconds."""
        said = self.run("run", "--timings=json", *args, **options)
        return float(re.search(rf'"{field}":([0-9.e-]+)', said)[1]) * 1e3

    def kernel_timing(self, field, *args):
        """A stage of the first kernel, in milliseconds."""
        said = self.run("run", "--timings=json", *args)
        return float(re.search(rf'"kernels":\[\{{[^}}]*?"{field}":([0-9.e-]+)', said)[1]) * 1e3


def prepared(build):
    """Makes what rows read: a filled cache, images, projects."""
    for name in ("saxpy", "small"):
        build.run("run", BENCH / f"{name}.jl", cache="cache")
        build.run("image", "build", "-o", f"{name}.kimg", BENCH / f"{name}.jl")
    for name, kernels in (("big", 200), ("small", 50)):
        build.run("run", BENCH / "project.jl", build.work / name, kernels)
    build.run("run", "big/main.jl", cache="cache-big")
    edited = build.work / "edited"
    shutil.copytree(build.work / "big", edited)
    part = edited / "part_1.jl"
    part.write_text(re.sub(r"(?s)(function kernel_7!.*?)7f0", r"\g<1>7.5f0", part.read_text(), count=1))


def emptied(build, name):
    """Removes a cache; returns its name."""
    shutil.rmtree(build.work / name, ignore_errors=True)
    return name


def copied(build, source, name):
    """Makes a cache a copy of another; returns its name."""
    shutil.copytree(build.work / source, build.work / emptied(build, name))
    return name


def rows():
    """Name and measurement of each row; a measurement returns one sample."""
    device = ["compile", "--json", "--timings=json", "-t", "sm_90,spirv64,gfx1100", "-o", "made", BENCH / "device/all.jl"]
    vector = "CuDeviceVector{Float32,1}"
    yield "process start (ms)", lambda b: b.wall("-e", "")
    yield "cold saxpy (ms)", lambda b: b.wall("run", BENCH / "saxpy.jl")
    yield "saxpy, second process (ms)", lambda b: b.wall("run", BENCH / "saxpy.jl", cache="cache")
    yield "four elements, second process (ms)", lambda b: b.wall("run", BENCH / "small.jl", cache="cache")
    yield "saxpy, image (ms)", lambda b: b.wall("run", "--image", "saxpy.kimg", BENCH / "saxpy.jl", KILN_CODEGEN="/none")
    yield "four elements, image (ms)", lambda b: b.wall("run", "--image", "small.kimg", BENCH / "small.jl", KILN_CODEGEN="/none")
    for name in ("saxpy", "nbody", "reduction"):
        yield f"compile {name} (ms)", lambda b, name=name: b.kernel_timing("compile", BENCH / f"{name}.jl")
    yield "empty launch (ns)", lambda b: b.timing("launch_min", BENCH / "empty.jl", 2000) * 1e6
    yield "@cuda in a host loop (ns)", lambda b: float(b.run("run", BENCH / "launches.jl").split()[-1])
    for name in ("saxpy", "nbody", "mandelbrot"):
        yield f"throughput {name} (ms a pass)", lambda b, name=name: b.timing("launch_min", BENCH / f"{name}.jl", 20)
    yield "examples/matmul_tiled (ms)", lambda b: b.wall("run", ROOT / "examples/matmul_tiled.jl")
    yield "50 kernels, nothing cached (ms)", lambda b: b.wall("run", "small/main.jl", cache=emptied(b, "cache-empty"))
    yield "200 kernels, second process (ms)", lambda b: b.wall("run", "big/main.jl", cache="cache-big")
    yield "200 kernels, one edited (ms)", lambda b: b.wall("run", "edited/main.jl", cache=copied(b, "cache-big", "cache-edited"))
    for name, signature in (
        ("saxpy", f"saxpy!({vector},Float32,{vector})"),
        ("reduce", f"reduce!({vector},{vector})"),
        ("mandelbrot", "mandelbrot!(CuDeviceMatrix{Int32,1},Float32,Float32,Int32)"),
    ):
        yield f"compile {name} for 3 GPUs (ms)", lambda b, it=signature: b.wall(*device, it)


def launch_path_rows(builds, rounds):
    """Samples of the rows that `launch_path` prints, one list a build."""
    samples = {}
    for _ in range(rounds):
        for at, build in enumerate(builds):
            if not Path(build.launch_path).exists():
                return {}
            env = {**os.environ, "KILN_THREADS": "1", "KILN_CODEGEN": build.library}
            said = subprocess.run([build.launch_path], env=env, capture_output=True, text=True, check=True).stdout
            for name, value in (line.split() for line in said.splitlines()):
                samples.setdefault(f"launch path: {name}", ([], []))[at].append(float(value))
    return samples


def report(name, old, new):
    """Prints a row; returns whether it is worse by more than 5 % and by more than its spread."""
    ratios = sorted(b / a if a else 1.0 for a, b in zip(old, new))
    ratio = statistics.median(ratios)
    low, _, high = statistics.quantiles(ratios, n=4)
    worse = ratio > 1.05 and ratio - 1 > high - low
    mark = "  WORSE" if worse else ""
    medians = f"{statistics.median(old):12.2f} {statistics.median(new):12.2f}"
    print(f"{name:44} {medians} {ratio:7.2f}  {low:.2f}..{high:.2f}{mark}", flush=True)
    return worse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="the release directory of the old build")
    parser.add_argument("new", help="the release directory of the new build")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="rows whose names have this text")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        builds = [Build(options.old, Path(work) / "old"), Build(options.new, Path(work) / "new")]
        for build in builds:
            prepared(build)
        print(f"{'':44} {'old':>12} {'new':>12} {'new/old':>7}  middle half")
        worse = 0
        for name, measure in rows():
            if options.only not in name:
                continue
            samples = ([], [])
            for round in range(-1, options.rounds):  # the first warms files up
                for at in (0, 1) if round % 2 else (1, 0):
                    value = measure(builds[at])
                    if round >= 0:
                        samples[at].append(value)
            worse += report(name, *samples)
        if options.only in "launch path":
            for name, samples in launch_path_rows(builds, options.rounds).items():
                if all(samples):
                    worse += report(name, *samples)
                else:
                    print(f"{name:44} only one build prints this row")
    print(f"{worse} rows are worse" if worse else "no row is worse")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
