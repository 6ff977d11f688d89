#!/usr/bin/env bash
# Installs what tests of devices check artifacts with, once: `ptxas` of CUDA 12 (the last that knows sm_70) and libdevice
# from PyPI, into $KILN_TOOLS (target/tools); the linker for AMD's GPUs, LLVM's disassemblers, AMD's device
# libraries and SPIR-V's validator from the distribution. Tests run without any of them, and say what they skipped. Says what it installs; KILN_TOOLS=off: nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=${KILN_TOOLS:-${CARGO_TARGET_DIR:-target}/tools}
[ "$tools" = off ] && exit 0

packages=(llvm-22 lld-22 spirv-tools rocm-device-libs)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
has_wheel() { [ -x "$tools/ptxas" ] && [ -f "$tools/libdevice.10.bc" ]; }
has_wheel || python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
if [ ${#missing[@]} -gt 0 ]; then
    echo "device tools: installing ${missing[*]}" >&2
    sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if ! has_wheel; then
    echo "device tools: fetching ptxas and libdevice (nvidia-cuda-nvcc-cu12, 40 MB) from PyPI into $tools" >&2
    mkdir -p "$tools"
    work=$(mktemp -d "$tools/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" nvidia-cuda-nvcc-cu12==12.9.86
    python3 -m zipfile -e "$work"/*.whl "$work/wheel"
    # The last step of each is a rename: other readers see all of a file or nothing.
    for file in bin/ptxas nvvm/libdevice/libdevice.10.bc; do
        mv "$work/wheel/nvidia/cuda_nvcc/$file" "$tools/$(basename "$file")"
    done
    chmod +x "$tools/ptxas"
fi
