#!/usr/bin/env bash
# Compile time of kernels for devices, a row for each kernel and target: from nothing (the cache off) and found in the cache
# by another process, in milliseconds (the median of $RUNS runs, and the least); what part of the first each stage is, in
# percent; and what numba takes to make PTX of the same kernel in the same run, with the ratio. A process compiles one
# kernel for each target before those that count. Needs python3; numba comes from PyPI, into target/bench, once.
# KILN_BENCH: the program to measure, where it is not target/release/kiln. KILN_BENCH_NUMBA=off: without numba.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${RUNS:-9}
kiln=${KILN_BENCH:-target/release/kiln}
work=${CARGO_TARGET_DIR:-target}/bench
export KILN_TOOLS=${KILN_TOOLS:-${CARGO_TARGET_DIR:-target}/tools}

if ! command -v python3 >/dev/null; then
    echo 'skipped: compile times for devices (no python3)'
    exit 0
fi
targets=sm_90,spirv64,gfx1100

# numba 0.61 is the last whose CUDA part needs nothing else; it looks for libNVVM and the runtime under names with a version.
numba=$work/numba
numba_home=$PWD/$numba/cuda
[[ $numba = /* ]] && numba_home=$numba/cuda
install_numba() {
    [ -f "$numba/done" ] && return
    rm -rf "$numba"
    echo "numba: fetching numba, libNVVM and CUDA's runtime from PyPI (140 MB) into $numba" >&2
    python3 -m venv "$numba" &&
        "$numba/bin/pip" install --quiet --disable-pip-version-check numba==0.61.2 \
            nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79 || return
    local nvidia
    nvidia=$("$numba/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/nvidia || return
    [[ $nvidia = /* ]] || nvidia=$PWD/$nvidia
    mkdir -p "$numba_home/nvvm/lib64" "$numba_home/lib64" &&
        ln -s "$nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so" "$numba_home/nvvm/lib64/libnvvm.so.4" &&
        ln -s "$nvidia/cuda_nvcc/nvvm/libdevice" "$numba_home/nvvm/libdevice" &&
        ln -s "$nvidia/cuda_runtime/lib/libcudart.so.12" "$numba_home/lib64/libcudart.so.12" &&
        touch "$numba/done"
}

vector='CuDeviceVector{Float32,1}'
matrix='CuDeviceMatrix{Float32,1}'
signatures=(
    "warm_up!($vector,$vector)"
    "saxpy!($vector,Float32,$vector)"
    "matmul!($matrix,$matrix,$matrix)"
    "reduce!($vector,$vector)"
    "forces!($vector,$vector,$vector,$vector,$vector,$vector,$vector)"
    'mandelbrot!(CuDeviceMatrix{Int32,1},Float32,Float32,Int32)'
)

mkdir -p "$work"
out=$(mktemp -d "$work/device.XXXXXX")
trap 'rm -rf "$out"' EXIT
# One run; $1 is where what it says goes.
compile() {
    "$kiln" compile --json --timings=json -o "$out/made" -t "$targets" bench/device/all.jl "${signatures[@]}" \
        >"$out/$1.json" 2>"$out/$1.said" || { cat "$out/$1.said" >&2; return 1; }
    grep '^{' "$out/$1.said" >"$out/$1.times"
}

mkdir "$out/made"
for run in $(seq "$runs"); do
    KILN_CACHE=off compile "cold.$run"
done
export KILN_CACHE_DIR=$out/cache
KILN_CACHE=rw compile first
for run in $(seq "$runs"); do
    KILN_CACHE=rw compile "warm.$run"
done
if [ "${KILN_BENCH_NUMBA:-on}" = off ]; then
    echo 'skipped: numba (KILN_BENCH_NUMBA=off)'
elif ! install_numba; then
    echo 'skipped: numba (it cannot be installed)'
elif ! CUDA_HOME=$numba_home "$numba/bin/python" bench/device/numba_ptx.py "$runs" >"$out/numba.txt"; then
    rm -f "$out/numba.txt"
    echo 'skipped: numba (it fails)'
fi
echo 'compile times for devices: milliseconds, and percent of cold for the stages'
python3 bench/device/table.py "$out"
