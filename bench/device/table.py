"""Prints the table of `scripts/bench_device.sh` from what its runs have written.

Arguments: the folder of the runs. `cold.N.json` and `warm.N.json` are what `kiln compile --json` says, `cold.N.times` what
`--timings=json` says of the same run, and `numba.txt`, if it is there, what `numba_ptx.py` says.
"""

import json
import sys
from pathlib import Path
from statistics import median

# The stages of a compilation, by what `--timings=json` calls them, in the order work flows. Optimization is a part of what
# it calls `infer`, and what no stage has is the driver's own.
STAGES = ["infer", "read", "emit", "keep", "link", "passes", "machine"]
NAMES = {"reduce": "reduction", "forces": "nbody"}
# Milliseconds that a typical kernel may take, compiled in a process that has compiled before.
AIMS = {"sm_90": 8, "spirv64": 6, "gfx1100": 20}


def samples(folder, kind):
    """Seconds of each compilation in every run, by kernel and target, and seconds of its stages where they are known."""
    totals, stages = {}, {}
    for path in sorted(folder.glob(f"{kind}.*.json")):
        compiled = json.loads(path.read_text())["compiled"]
        times = path.with_suffix(".times")
        kernels = json.loads(times.read_text())["kernels"] if times.exists() else []
        for at, it in enumerate(compiled):
            if "error" in it:
                sys.exit(f"{it['signature']} for {it['target']}: {it['error']}")
            name = it["signature"].split("!")[0]
            key = NAMES.get(name, name), it["target"]
            totals.setdefault(key, []).append(it["seconds"])
            if kernels:
                assert len(kernels) == len(compiled), "one compilation each"
                stages.setdefault(key, []).append((kernels[at], it["seconds"]))
    return totals, stages


def shares(runs):
    """What part of the whole each stage is, by the medians of all; `outside` is
    what reads the signature, and the linker that makes code objects."""
    whole = median(seconds for _, seconds in runs)
    parts = {name: median(kernel[name] for kernel, _ in runs) for name in STAGES}
    parts["outside"] = median(seconds - kernel["compile"] for kernel, seconds in runs)
    parts["rest"] = max(0.0, whole - sum(parts.values()))
    return [f"{100 * it / whole:.0f}" for it in parts.values()]


def main():
    folder = Path(sys.argv[1])
    cold, stages = samples(folder, "cold")
    warm, _ = samples(folder, "warm")
    numba = {}
    if (folder / "numba.txt").exists():
        for line in (folder / "numba.txt").read_text().splitlines():
            name, seconds = line.split()
            numba.setdefault(name, []).append(float(seconds))
    head = ["kernel", "target", "cold", "least", "warm", "least", *STAGES, "outside", "rest", "numba", "x"]
    rows = [head]
    for (name, target), totals in cold.items():
        if name == "warm_up":
            continue
        found = warm[name, target]
        row = [name, target, *(f"{it * 1e3:.2f}" for it in (median(totals), min(totals), median(found), min(found)))]
        row += shares(stages[name, target])
        if target == "sm_90" and name in numba:
            other = median(numba[name])
            row += [f"{other * 1e3:.1f}", f"{other / median(totals):.1f}"]
        else:
            row += ["-", "-"]
        rows.append(row)
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    for row in rows:
        print("  ".join(it.ljust(w) if at < 2 else it.rjust(w) for at, (it, w) in enumerate(zip(row, widths))).rstrip())
    for target, aim in AIMS.items():
        mine = [median(totals) for (name, it), totals in cold.items() if it == target and name != "warm_up"]
        if mine:
            print(f"{target}: {median(mine) * 1e3:.2f} ms for the kernel in the middle; the aim is {aim} ms")


main()
