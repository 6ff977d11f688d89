#!/usr/bin/env python3
"""Times kiln's kernels on this processor beside other compilers: the programs of `bench/peers`, in turn, each result checked.

    scripts/bench_peers.py [--kiln PATH] [--rounds 5] [--threads 1,2] [--only TEXT] [--peers NAMES] [--contract on|off]

Peers of the eight kernels are clang-22 on plain loops (`c`) and on loops that are vectorized over items by hand (`spmd`, 8 lanes,
and `spmd16`, where the processor has AVX-512), Intel's OpenCL runtime (`intel`, if `scripts/opencl.sh` has installed it),
pocl (`pocl`, Debian's pocl-opencl-icd) and numba (`numba`, if the python3 here or that of `scripts/bench_device.sh` has it). kiln runs
them in the style of KernelAbstractions.jl (`kiln`), of CUDA.jl (`cuda`), and, on Intel's runtime, as SPIR-V (`spirv`). A second set
of patterns runs on kiln, Intel's runtime and pocl. What is not installed is skipped, by name.

A cell is the median over the rounds of the least of a process's launches, in milliseconds. Every output is compared with that of plain C
without contraction, or, for the patterns, with sums in double precision: kiln's must have the same bits where no
function of libm and no other order of a sum is in them. The exit code is 1 if one is wrong. clang and OpenCL may contract
`a * b + c` to one rounding, which kiln never does; `--contract off` forbids it to them as well.
"""

import argparse
import functools
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "bench/peers"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
WORK = TARGET / "bench/peers"
TOOLS = Path(os.environ.get("KILN_TOOLS", TARGET / "tools"))

# Launches that a process times, and the greatest error, as a part of the greatest number of the output; of `mandelbrot`, which
# counts, the part of the counts that may differ by contraction.
KERNELS = {
    "triad": (7, 1e-6),
    "nbody": (7, 1e-5),
    "black_scholes": (7, 1e-5),
    "matmul": (5, 1e-5),
    "matmul_tiled": (5, 1e-5),
    "stencil": (5, 1e-6),
    "reduce": (5, 1e-6),
    "mandelbrot": (5, 5e-3),
}
PATTERNS = {
    "warp_reduce": (5, 1e-6),
    "scan": (5, 1e-6),
    "histogram": (5, 0),
    "bitonic_sort": (5, 0),
    "convolution": (5, 1e-6),
    "transpose": (5, 0),
    "transpose_tiled": (5, 0),
    "spmv": (5, 1e-6),
}
# A plain sum is less work than `reduce`: its time is shown, and is no peer's.
PLAIN_SUM = {"total": (5, 1e-2)}
COUNTS = {"mandelbrot", "histogram"}
# Rounded in another order, or by another library, than the reference.
INEXACT = {"black_scholes", "warp_reduce", "scan", "convolution", "spmv"}
OURS = {"kiln", "cuda", "spirv"}
# Each of 16 Mi items passes so many barriers.
REDUCE_BARRIERS = 9 * (16 << 20)


class Failed(Exception):
    """A process failed; the text says how."""


def run(command, threads=None, **settings):
    """Runs a command with these settings on so many processors; returns its output."""
    cpus = sorted(os.sched_getaffinity(0))[-threads:] if threads else None
    pin = functools.partial(os.sched_setaffinity, 0, cpus) if cpus else None
    env = {**os.environ, **settings}
    done = subprocess.run([*map(str, command)], env=env, cwd=WORK, preexec_fn=pin, capture_output=True, text=True)
    if done.returncode != 0:
        lines = [it for it in done.stderr.splitlines() if it.strip()]
        raise Failed(lines[0] if lines else f"exit status {done.returncode}")
    return done.stdout


class Peer:
    """A compiler, and how its program of a kernel is run: `command(kernel, threads)` takes the number of launches and the file
    of the output as further arguments."""

    def __init__(self, name, command, settings=lambda threads: {}):
        self.name, self.command, self.settings = name, command, settings

    def least(self, kernel, threads, reps, *out):
        """Milliseconds of the fastest launch of one process."""
        said = run([*self.command(kernel, threads), reps, *out], threads, **self.settings(threads))
        return min(float(it) for it in said.split())

    def checked(self, kernel, threads, reference, bound):
        """Runs the kernel once; raises `Failed` if it does, and returns what is wrong with the output, or nothing."""
        out = WORK / f"{kernel}.{self.name}"
        out.unlink(missing_ok=True)
        self.least(kernel, threads, 1, out)
        kind = "int" if kernel in COUNTS else "float"
        count, differ, error = run([WORK / "compare", kind, reference, out]).split()
        out.unlink()
        if self.name in ("kiln", "cuda") and kernel not in INEXACT:
            return f"{differ} of {count} words differ" if int(differ) else None
        error = int(differ) / int(count) if kernel in COUNTS else float(error)
        return None if error <= bound else f"the error is {error:.2g}, and may be {bound:.2g}"


def clang(output, *arguments, **settings):
    run(["clang-22", "-march=native", *arguments, "-o", WORK / output], **settings)


def c_peers(contract):
    """Builds `kernels.c` in each form, without threads and with OpenMP's."""
    forms = {"c": [], "spmd": ["-DSPMD", "-DLANES=8"]}
    if " avx512f " in Path("/proc/cpuinfo").read_text():
        forms["spmd16"] = ["-DSPMD", "-DLANES=16"]
    for name, flags in forms.items():
        libm = ["-fno-math-errno", "-fveclib=libmvec"] if flags else []
        for threads, openmp in (("1", ["-fopenmp-simd"]), ("n", ["-fopenmp"])):
            clang(f"{name}.o", "-O3", *contract, *flags, *libm, *openmp, "-c", SOURCES / "kernels.c")
            libraries = ["-lmvec", "-lm"] + (["-fopenmp"] if threads == "n" else [])
            clang(f"{name}.{threads}", "-O1", SOURCES / "main.c", WORK / f"{name}.o", *libraries)
        program = lambda threads, name=name: WORK / f"{name}.{'1' if threads == 1 else 'n'}"
        yield Peer(name, lambda kernel, threads, program=program: [program(threads), kernel, threads])


def loader():
    """Settings by which programs find Intel's driver; nothing if it is not installed."""
    homes = sorted(it for it in TOOLS.glob("opencl-*") if (it / "installed").exists())
    if not homes:
        return None
    driver = str(homes[-1] / "lib/libintelocl.so")
    library = homes[-1] / "lib"
    return {
        "LD_LIBRARY_PATH": f"{library}:{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(":"),
        "OPENCL_DYLIB_PATH": str(library / "libOpenCL.so.1"),
        "OCL_ICD_FILENAMES": driver,
        "OCL_ICD_VENDORS": driver,
    }


def opencl_peers(intel, contract):
    """Builds `opencl.c` once; the settings choose the driver."""
    pocl = Path("/etc/OpenCL/vendors/pocl.icd")
    has_pocl = pocl.exists() and "libOpenCL.so.1 " in run(["/sbin/ldconfig", "-p"])
    if intel:
        library = [intel["OPENCL_DYLIB_PATH"]]
    elif has_pocl:
        library = ["-l:libOpenCL.so.1"]
    else:
        library = None
    if library:
        clang("opencl", "-O1", SOURCES / "opencl.c", *library, **(intel or {}))
    options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" + (" -DSTRICT" if contract else "")

    def command(kernel, _):
        source = "kernels.cl" if kernel in KERNELS else "patterns.cl"
        return [WORK / "opencl", SOURCES / source, options, kernel]

    if intel:
        yield Peer("intel", command, lambda threads: intel)
    else:
        print("skipped: Intel's OpenCL runtime (scripts/opencl.sh installs it)")
    if has_pocl:
        limit = lambda threads: {"OCL_ICD_VENDORS": str(pocl), "POCL_MAX_PTHREAD_COUNT": str(threads)}
        yield Peer("pocl", command, limit)
    else:
        print("skipped: pocl (apt install pocl-opencl-icd ocl-icd-libopencl1)")


def numba_peers():
    """The first python that has numba."""
    for python in (sys.executable, TARGET / "bench/numba/bin/python"):
        try:
            run([python, "-c", "import numba"])
        except (Failed, FileNotFoundError):
            continue
        program = SOURCES / "numba_kernels.py"
        settings = lambda threads: {"NUMBA_NUM_THREADS": str(threads)}
        yield Peer("numba", lambda kernel, _: [python, program, kernel], settings)
        return
    print("skipped: numba (pip install numba)")


def kiln_peers(kiln, intel):
    """kiln with either style and, on Intel's runtime, as SPIR-V."""

    def settings(threads, **more):
        cache = {"KILN_CACHE": "rw", "KILN_CACHE_DIR": str(WORK / "cache")}
        return {"KILN_THREADS": str(threads), "KILN_DEVICE": "cpu", **cache, **more}

    cuda = lambda kernel, _: [kiln, "run", SOURCES / ("cuda.jl" if kernel in KERNELS else "patterns.jl"), kernel]
    yield Peer("kiln", lambda kernel, _: [kiln, "run", SOURCES / "kernels.jl", kernel], settings)
    yield Peer("cuda", cuda, settings)
    if intel:
        yield Peer("spirv", cuda, lambda threads: settings(threads, **{**intel, "KILN_DEVICE": "opencl"}))


def reference(kernel):
    """Writes the expected output; returns its file."""
    out = WORK / f"{kernel}.expected"
    out.unlink(missing_ok=True)
    run([WORK / "strict", kernel, 1, 1, out] if kernel in {*KERNELS, *PLAIN_SUM} else [WORK / "reference", kernel, out])
    return out


class Bench:
    """Measures kernels, and remembers what was wrong and what was left out."""

    def __init__(self, rounds):
        self.rounds, self.wrong, self.left_out = rounds, [], []

    def medians(self, peers, kernel, threads, reps, bound):
        """Milliseconds of each peer, by name; those that fail or are wrong are not among them."""
        expected, good = reference(kernel), []
        for peer in peers:
            try:
                problem = peer.checked(kernel, threads, expected, bound)
            except Failed as failure:
                problem = str(failure)
                if peer.name not in OURS:
                    self.left_out.append(f"skipped: {kernel} with {peer.name}: {problem}")
                    continue
            if problem:
                self.wrong.append(f"wrong: {kernel} with {peer.name}, {threads} threads: {problem}")
            else:
                good.append(peer)
        expected.unlink()
        samples = {it.name: [] for it in good}
        for round in range(self.rounds):
            for peer in good if round % 2 else reversed(good):
                samples[peer.name].append(peer.least(kernel, threads, reps))
        return {name: statistics.median(times) for name, times in samples.items()}

    def table(self, title, peers, kernels, threads, last):
        """Measures and prints a table; `last` is the ratios at the end of each row. Returns the times by kernel."""
        names = [it.name for it in peers]
        print(f"\n{title}, {threads} {'thread' if threads == 1 else 'threads'}; milliseconds")
        print(f"{'':16}" + "".join(f"{it:>11}" for it in [*names, *last]))
        all_times = {}
        for kernel, (reps, bound) in kernels.items():
            times = all_times[kernel] = self.medians(peers, kernel, threads, reps, bound)
            cells = [f"{times[it]:.2f}" if it in times else "-" for it in names]
            cells += [text(times) for text in last.values()]
            print(f"{kernel:16}" + "".join(f"{it:>11}" for it in cells), flush=True)
        return all_times


def best(times):
    """The name of the fastest peer that is not kiln; nothing if there is none."""
    others = [it for it in times if it not in OURS]
    return min(others, key=times.get, default=None)


def ratio(times, ours, theirs):
    return f"{times[ours] / times[theirs]:.2f}" if ours in times and theirs in times else "-"


def report_scaling(results):
    """Prints what the second thread gives, and what a barrier costs at most."""
    one, two = results.get(1), results.get(2)
    if one and two:
        both = [it for it in one if "kiln" in one[it] and "kiln" in two.get(it, {})]
        print("\none thread / two threads: " + ", ".join(f"{it} {one[it]['kiln'] / two[it]['kiln']:.2f}" for it in both))
    reduce = (one or {}).get("reduce", {})
    barriers = [f"{it} {time * 1e6 / REDUCE_BARRIERS:.3f}" for it, time in reduce.items()]
    if barriers:
        print("a barrier of reduce, its work included, ns an item: " + ", ".join(barriers))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kiln", default=TARGET / "release/kiln", help="the program to measure")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", default="1,2", help="the numbers of threads")
    parser.add_argument("--only", default="", help="kernels whose names have this text")
    parser.add_argument("--peers", default="", help="these alone, by name: c,spmd,intel,kiln")
    parser.add_argument("--contract", choices=("on", "off"), default="on", help="whether clang and OpenCL may contract")
    return parser.parse_args()


def main():
    options = arguments()
    kiln = Path(options.kiln).resolve()
    wanted = [it for it in options.peers.split(",") if it]
    if not shutil.which("clang-22"):
        sys.exit("bench_peers: clang-22 is not there (KILN_SETUP=bench scripts/setup.sh installs it)")
    if not kiln.exists() and (not wanted or OURS & set(wanted)):
        sys.exit(f"bench_peers: {kiln} is not there (make build)")
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    strict = ["-ffp-contract=off"]
    contract = strict if options.contract == "off" else []
    clang("strict.o", "-O2", *strict, "-c", SOURCES / "kernels.c")
    clang("strict", "-O2", SOURCES / "main.c", WORK / "strict.o", "-lm")
    clang("reference", "-O2", *strict, SOURCES / "reference.c")
    clang("compare", "-O2", SOURCES / "compare.c", "-lm")
    intel = loader()
    peers = [*c_peers(contract), *opencl_peers(intel, contract), *numba_peers(), *kiln_peers(kiln, intel)]
    unknown = set(wanted) - {it.name for it in peers}
    if unknown:
        sys.exit(f"bench_peers: not among the peers here: {', '.join(sorted(unknown))}")
    peers = [it for it in peers if not wanted or it.name in wanted]
    chosen = lambda kernels: {name: it for name, it in kernels.items() if options.only in name}
    bench, results = Bench(options.rounds), {}
    for threads in map(int, options.threads.split(",")):
        results[threads] = bench.table("kernels", peers, chosen(KERNELS), threads, {
            "best": lambda times: best(times) or "-",
            "kiln/best": lambda times: ratio(times, "kiln", best(times)),
            "cuda/kiln": lambda times: ratio(times, "cuda", "kiln"),
            "spirv/ocl": lambda times: ratio(times, "spirv", "intel"),
        })
        plain = [it for it in peers if it.name in ("c", "spmd", "spmd16")]
        if plain and options.only in "reduce":
            times = bench.medians(plain, "total", threads, *PLAIN_SUM["total"])
            print("a plain sum of reduce's numbers: " + ", ".join(f"{it} {time:.2f}" for it, time in times.items()))
        of_patterns = [it for it in peers if it.name in ("intel", "pocl", "cuda", "spirv")]
        bench.table("patterns", of_patterns, chosen(PATTERNS), threads, {
            "cuda/intel": lambda times: ratio(times, "cuda", "intel"),
            "spirv/ocl": lambda times: ratio(times, "spirv", "intel"),
        })
    report_scaling(results)
    for line in [*dict.fromkeys(bench.left_out), *bench.wrong]:
        print(line)
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"bench_peers: {failure}")
