#!/usr/bin/env bash
# Everything `make test` checks: unit and integration tests of every crate, the command's tests among them.
# Prints what it skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

# Kernels run on the processor, also where there is a GPU: what devices do has tests of its own.
export KILN_DEVICE=cpu
# What is compiled is the same in each run; tests of the background ask for it.
export KILN_BACKGROUND=0
# Where scripts/device-tools.sh puts what vendors have.
export KILN_TOOLS=${KILN_TOOLS:-$(realpath -m "${CARGO_TARGET_DIR:-target}/tools")}

# The command and the code generator that the tests open are built first, with the tests: another selection of packages has
# other features of what they depend on, and would build most of it twice.
cargo build --workspace --all-targets
scripts/run_tests.py
if [ -z "${KILN_CORPUS:-}" ]; then
    echo "skipped: upstream files (KILN_CORPUS is unset; see CONTRIBUTING.md)"
fi
if [ -z "${KILN_METALLIB_FIXTURES:-}" ]; then
    echo "skipped: libraries of Apple's tools (KILN_METALLIB_FIXTURES is unset: a folder with .metallib files)"
fi
if [ -z "${KILN_OWN_TARGET:-}" ]; then
    echo "skipped: building a third-party code generator (KILN_OWN_TARGET is unset; make torture sets it)"
fi
if [ -z "${OPENCL_DYLIB_PATH:-}" ]; then
    echo "skipped: OpenCL devices, unless a driver is installed (make test-opencl installs one)"
fi
if ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so'; then
    echo "skipped: GPUs (there is no CUDA driver)"
fi
