#!/usr/bin/env python3
"""Prints kiln's times beside nvcc's and checks that samples of the outputs agree.

The argument is a folder of scripts/gpu_check.sh: `speed.kiln` and `speed.nvcc` have a kernel and its milliseconds in a line,
`samples` a file for each kernel. Fails where outputs differ.
"""
import pathlib
import struct
import sys

# Kernels whose outputs are integers.
INTEGERS = {"histogram", "mandelbrot"}
# Differences of floats relative to the largest of the output.
TOLERANCE = 2e-5


def times(file):
    """Returns the milliseconds of each kernel; none where the file is missing."""
    if not file.exists():
        return {}
    lines = (line.split() for line in file.read_text().splitlines())
    return {words[0]: float(words[1]) for words in lines if len(words) == 2}


def difference(name, ours, theirs):
    """Returns how far two outputs are from each other, as text, and whether that is wrong."""
    kind = "i" if name in INTEGERS else "f"
    if len(ours) != len(theirs):
        return f"{len(ours)} and {len(theirs)} bytes", True
    a, b = (struct.unpack(f"<{len(it) // 4}{kind}", it) for it in (ours, theirs))
    if kind == "i":
        differing = sum(x != y for x, y in zip(a, b))
        # The escape of a point near the set depends on rounding.
        return f"{differing} of {len(a)} differ", differing > len(a) // 100
    if any(x != x for x in a + b):
        return "NaN", True
    scale = max((abs(it) for it in b), default=0) or 1
    worst = max((abs(x - y) for x, y in zip(a, b)), default=0) / scale
    return f"{worst:.1e}", worst > TOLERANCE


def main():
    """Prints the table."""
    folder = pathlib.Path(sys.argv[1])
    kiln, nvcc = times(folder / "speed.kiln"), times(folder / "speed.nvcc")
    wrong = 0
    print("| kernel | kiln, ms | nvcc -O3, ms | kiln / nvcc | difference |\n|---|---|---|---|---|")
    for name, ours in kiln.items():
        peer = name.removesuffix("_checked")
        theirs = nvcc.get(peer)
        files = [folder / "samples" / "kiln" / name, folder / "samples" / "nvcc" / peer]
        said, is_wrong = ("not compared", False)
        if theirs and all(it.exists() for it in files):
            said, is_wrong = difference(name, *(it.read_bytes() for it in files))
        wrong += is_wrong
        ratio = f"{ours / theirs:.2f}" if theirs else ""
        print(f"| {name} | {ours:.4f} | {theirs or ''} | {ratio} | {said}{' WRONG' if is_wrong else ''} |")
    sys.exit(1 if wrong or not kiln else 0)


if __name__ == "__main__":
    main()
