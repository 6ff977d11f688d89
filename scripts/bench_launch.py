#!/usr/bin/env python3
"""The time of a launch from Julia, form by form, beside the same from Rust and from C in one run, on one thread.

    scripts/bench_launch.py [--kiln PATH] [--launches 100000] [--rounds 3] [--cc clang-22]

Two kernels are launched on 256 items: one that does nothing, and saxpy. `bench/launch/forms.jl` times each form from a function, which
is compiled; rows `top-` are of a loop at the top level of a program, rows `interpreted-` of new loops there, which are interpreted, with
the loops. Rust asks for the kernel of a job and launches it (`crates/kiln/examples/launch_path.rs`). C calls what `kiln compile` makes,
with a context a launch: that is the device's own time, and `over C` is what a launch costs beyond it. Times are nanoseconds, each the
least of many batches, medians over the rounds."""

import argparse
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "bench/launch"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
WORK = TARGET / "bench/launch"
KERNELS = ["empty", "saxpy"]
# What a launch may cost beyond the device's own time, from compiled code and from code that is interpreted or knows no types.
COMPILED_MAX, UNTYPED_MAX = 500, 2000


def run(command, **settings):
    done = subprocess.run([*map(str, command)], env={**os.environ, **settings}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def c_program(kiln, cc):
    """Builds the program in C."""
    types = "CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1}"
    objects = [WORK / f"{name}.o" for name in KERNELS]
    for name, out in zip(KERNELS, objects):
        run([kiln, "compile", "--name", name, "-o", out, SOURCES / "kernels.jl", f"{name}!({types})"])
    program = WORK / "launches"
    run([cc, "-O2", f"-I{ROOT / 'include'}", SOURCES / "launches.c", *objects, "-lm", "-o", program])
    return program


def rust_rows(program, kiln):
    codegen = kiln.parent / "libkiln_codegen.so"
    for line in run([program], KILN_THREADS="1", KILN_CODEGEN=str(codegen)).splitlines():
        name, value = line.split()
        if name.startswith("launch_256_"):
            yield "rust", name.removeprefix("launch_256_"), float(value)


def rows(lines):
    for line in lines.splitlines():
        form, kernel, nanos = line.split()
        yield form, kernel, float(nanos)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kiln", type=Path, default=TARGET / "release/kiln")
    parser.add_argument("--launches", type=int, default=10**5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cc", default="clang-22")
    options = parser.parse_args()
    kiln = options.kiln.resolve()
    WORK.mkdir(parents=True, exist_ok=True)
    run(["cargo", "build", "-q", "--release", "-p", "kiln", "--example", "launch_path"])
    in_c, in_rust = c_program(kiln, options.cc), TARGET / "release/examples/launch_path"
    times = defaultdict(list)
    for _ in range(options.rounds):
        forms = run([kiln, "run", SOURCES / "forms.jl", options.launches], KILN_THREADS="1", KILN_CACHE="off")
        for form, kernel, nanos in (
            *rows(run([in_c, options.launches])),
            *rust_rows(in_rust, kiln),
            *rows(forms),
        ):
            times[form, kernel].append(nanos)
    least = {key: statistics.median(all) for key, all in times.items()}
    print(f"a launch of 256 items, nanoseconds, median of {options.rounds}")
    print(f"{'':20}" + "".join(f"{name:>8} {'over C':>7} {'/ Rust':>7} {'/ C':>6}" for name in KERNELS) + f" {'aim':>6}")
    for form in dict.fromkeys(it[0] for it in least):
        cells = ""
        for kernel in KERNELS:
            nanos, c, rust = (least[it, kernel] for it in (form, "c", "rust"))
            cells += f"{nanos:8.0f} {nanos - c:7.0f} {nanos / rust:7.2f} {nanos / c:6.1f}"
        is_untyped = form.startswith(("top-", "interpreted-"))
        aim = "" if form in ("c", "rust") else UNTYPED_MAX if is_untyped else COMPILED_MAX
        print(f"{form:20}{cells} {aim:>6}")


if __name__ == "__main__":
    main()
