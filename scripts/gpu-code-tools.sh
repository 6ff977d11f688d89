#!/usr/bin/env bash
# Installs what `make bench-gpu-code` compares with, once: nvcc, ptxas and nvdisasm of CUDA 13 from PyPI (110 MB), into
# $KILN_TOOLS/cuda-13.0 (target/tools). Prints the folder. Says what it installs; KILN_TOOLS=off: nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=${KILN_TOOLS:-${CARGO_TARGET_DIR:-target}/tools}
[ "$tools" = off ] && exit 1
folder=$tools/cuda-13.0
packages=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96
    nvidia-cuda-cccl==13.0.85 nvidia-cuda-nvdisasm==13.5.37)
if [ ! -x "$folder/bin/nvdisasm" ]; then
    echo "gpu-code tools: fetching ${packages[*]} from PyPI into $folder" >&2
    mkdir -p "$tools"
    work=$(mktemp -d "$tools/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" "${packages[@]}" >&2
    for wheel in "$work"/*.whl; do python3 -m zipfile -e "$wheel" "$work/wheels"; done
    chmod +x "$work"/wheels/nvidia/cu13/bin/* "$work"/wheels/nvidia/cu13/nvvm/bin/*
    # The last step is a rename: other readers see all of it or nothing.
    mv "$work/wheels/nvidia/cu13" "$folder"
fi
echo "$folder"
