#!/usr/bin/env bash
# What `make test-opencl` checks: OpenCL devices, with Intel's driver for CPUs. Here a missing one fails.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v spirv-as >/dev/null; then
    echo "test-opencl: installing spirv-tools" >&2
    sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends spirv-tools >/dev/null
fi

# The tests are built before the settings are made: the driver's directory has libraries of names that others have. The whole
# workspace is selected, as in scripts/test.sh: another selection has other features, and would build everything again.
cargo build --workspace --all-targets
settings="$(scripts/opencl.sh)"
eval "$settings"
export KILN_TEST_OPENCL=1 KILN_BACKGROUND=0
scripts/run_tests.py opencl devices device_programs examples host_program
# Of examples/forward-mode.
cargo test --workspace --lib --bins derivatives_are_the_same_on_a_device
