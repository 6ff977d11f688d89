#!/usr/bin/env python3
"""Counts the machine code of kernels for NVIDIA GPUs, kiln's beside nvcc's, without a GPU.

The kernels are those of bench/gpu-code: `kernels.jl` in the style of CUDA.jl, `kernels.cu` in CUDA C. Each is assembled by ptxas
and taken apart by nvdisasm, both from PyPI (scripts/gpu-code-tools.sh). Writes the table of docs/gpu-code.md and compares
kiln's rows with bench/gpu-code/ratchet.txt: a row that got worse is an error. KILN_BLESS=1 writes both.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench" / "gpu-code"
RATCHET = BENCH / "ratchet.txt"
PAGE = ROOT / "docs" / "gpu-code.md"
ARCH = "sm_90"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"

VECTOR, MATRIX = "CuDeviceVector{Float32,1}", "CuDeviceMatrix{Float32,1}"
INTEGERS, BODIES = "CuDeviceVector{Int32,1}", "CuDeviceVector{NTuple{4,Float32},1}"
# The kernels and the types of their arguments.
KERNELS = {
    "saxpy": [VECTOR, "Float32", VECTOR],
    "saxpy_checked": [VECTOR, "Float32", VECTOR],
    "stencil": [MATRIX, MATRIX],
    "matmul": [MATRIX] * 3,
    "matmul_tiled": [MATRIX] * 3,
    "reduce": [VECTOR] * 2,
    "histogram": [INTEGERS] * 2,
    "nbody": [BODIES] * 2,
    "black_scholes": [VECTOR] * 5 + ["Float32"] * 2,
    "transpose": [MATRIX] * 2,
    "softmax": [MATRIX] * 2,
    "spmv": [VECTOR, INTEGERS, INTEGERS, VECTOR, VECTOR],
    "mandelbrot": ["CuDeviceMatrix{Int32,1}", "Int32"],
}

# Classes of instructions by how their names begin, the first that fits.
CLASSES = [
    ("constant", r"U?LDC"),
    ("memory", r"LD|ST|ATOM|RED\b|CCTL|MEMBAR"),
    ("control", r"BRA|BRX|EXIT|BSSY|BSYNC|BREAK|BAR|CALL|RET|WARPSYNC|YIELD|KILL|BPT|NANOSLEEP|ERRBAR"),
    ("float", r"F(?!LO|NS)|MUFU|H|D(?!EPBAR)|I2F|F2|R2F"),
    ("integer", r""),
]
INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*);")
LABEL = re.compile(r"^(\.L_\w+):")


@dataclass
class Code:
    """The counts of a kernel."""

    classes: dict
    registers: int
    spills: int
    vector_loads: int
    read_only: int
    loop_ffma: int

    @property
    def total(self):
        """All instructions without padding."""
        return sum(self.classes.values())


def parse(lines, registers, spills):
    """Counts the instructions of one function's disassembly."""
    classes = {name: 0 for name, _ in CLASSES}
    places, code = {}, []
    for line in lines:
        if label := LABEL.match(line):
            places[label[1]] = len(code)
        found = INSTRUCTION.match(line)
        if not found or found[2] == "NOP":
            continue
        name = found[2]
        classes[next(it for it, pattern in CLASSES if re.match(pattern, name))] += 1
        target = re.search(r"`\((\.L_\w+)\)", found[3]) if name.startswith("BRA") else None
        code.append((name, target[1] if target else None))
    return Code(
        classes,
        registers,
        spills,
        sum(name.startswith("LDG") and ".128" in name for name, _ in code),
        sum(name.startswith("LDG") and "CONSTANT" in name for name, _ in code),
        loop_ffma(code, places),
    )


def loop_ffma(code, places):
    """The most fused multiplications of an innermost loop, which show how far it is unrolled."""
    loops = [(places[to], at) for at, (_, to) in enumerate(code) if to in places and places[to] < at]
    inner = [it for it in loops if not any(it != other and it[0] <= other[0] and other[1] <= it[1] for other in loops)]
    return max((sum(name.startswith("FFMA") for name, _ in code[first : last + 1]) for first, last in inner), default=0)


def run(*command, **options):
    """Runs a program; what it printed, both streams."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def disassembled(tools, cubin, said):
    """The functions of a cubin, by name, with what ptxas said of them."""
    used = {}
    for part in re.split(r"(?=Compiling entry function)", said):
        name = re.match(r"Compiling entry function '(\w+)'", part)
        if name and (registers := re.search(r"Used (\d+) registers", part)):
            spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", part)
            used[name[1]] = (int(registers[1]), sum(map(int, spills.groups())) if spills else 0)
    sections = re.split(r"^\s*\.section\s+\.text\.", run(tools / "bin/nvdisasm", "-c", cubin), flags=re.M)[1:]
    return {name: parse(text.splitlines(), *used[name]) for text in sections if (name := text.split(",")[0]) in used}


def kiln_code(tools, kiln, work):
    """kiln's code of each kernel."""
    signatures = [f"{name}!({','.join(types)})" for name, types in KERNELS.items()]
    settings = {**os.environ, "KILN_TOOLS": "off", "KILN_CACHE": "off"}
    run(kiln, "compile", "-t", ARCH, "-o", work, BENCH / "kernels.jl", *signatures, env=settings)
    counts = {}
    for name in KERNELS:
        cubin = work / f"{name}.cubin"
        said = run(tools / "bin/ptxas", "-v", "-O3", f"-arch={ARCH}", "-o", cubin, work / f"{name}!.{ARCH}.ptx")
        counts[name] = next(iter(disassembled(tools, cubin, said).values()))
    return counts


def nvcc_code(tools, work):
    """nvcc's code of each kernel that is in CUDA C."""
    cubin = work / "nvcc.cubin"
    options = ["-O3", f"-arch={ARCH}", "-cubin", "-Xptxas", "-v"]
    return disassembled(tools, cubin, run(tools / "bin/nvcc", *options, "-o", cubin, BENCH / "kernels.cu"))


def table(ours, theirs):
    """The table, as text."""
    names = [name for name, _ in CLASSES]
    head = ["kernel", "instructions", *names, "registers", "spilled bytes", "128-bit loads", "read-only loads", "FFMA in the loop"]
    lines = [head, ["---"] * len(head)]
    for name, code in ours.items():
        peer = theirs.get(name)

        def cell(get):
            return f"{get(code)} / {get(peer)}" if peer else str(get(code))

        lines.append([
            name, cell(lambda it: it.total), *(cell(lambda it, key=key: it.classes[key]) for key in names),
            cell(lambda it: it.registers), cell(lambda it: it.spills), cell(lambda it: it.vector_loads),
            cell(lambda it: it.read_only), cell(lambda it: it.loop_ffma),
        ])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


# The columns of the ratchet, and whether more is better.
COLUMNS = [("total", False), ("registers", False), ("spills", False), ("vector_loads", True), ("read_only", True), ("loop_ffma", True)]


def worse(name, code, row):
    """What got worse in a row of the ratchet."""
    for (column, more_is_better), before in zip(COLUMNS, row):
        now = getattr(code, column)
        if now < before if more_is_better else now > before:
            yield f"{name}: {column} {before} before, {now} now"


def compare(ours):
    """What is worse than the ratchet says; all of it where there is none."""
    rows = {}
    for line in RATCHET.read_text().splitlines() if RATCHET.exists() else []:
        if line and not line.startswith("#"):
            name, *numbers = line.split()
            rows[name] = list(map(int, numbers))
    return [said for name, code in ours.items() for said in (worse(name, code, rows[name]) if name in rows else [f"{name}: no row"])]


def bless(ours, text):
    """Writes the ratchet and the table of the page."""
    lines = ["# kiln's code, compared by scripts/bench_gpu_code.py: kernel " + " ".join(it for it, _ in COLUMNS)]
    lines += [f"{name} " + " ".join(str(getattr(code, it)) for it, _ in COLUMNS) for name, code in ours.items()]
    RATCHET.write_text("\n".join(lines) + "\n")
    page = PAGE.read_text()
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(before + BEGIN + text + END + after)


def main():
    """Counts, prints and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kiln", default=ROOT / "target/release/kiln", help="the program")
    options = parser.parse_args()
    tools = ROOT / subprocess.run([ROOT / "scripts/gpu-code-tools.sh"], check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        ours, theirs = kiln_code(tools, options.kiln, work), nvcc_code(tools, work)
    text = table(ours, theirs)
    print(f"machine code for {ARCH}: kiln / nvcc -O3\n\n{text}")
    if os.environ.get("KILN_BLESS") == "1":
        return bless(ours, text)
    said = compare(ours)
    print("\n".join(said) or "nothing is worse than bench/gpu-code/ratchet.txt")
    sys.exit(1 if said else 0)


if __name__ == "__main__":
    main()
