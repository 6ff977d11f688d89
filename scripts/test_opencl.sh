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

# The tests are built before the settings are made: the driver's directory has libraries of names that others have.
cargo build -p kiln-codegen -p kiln-cli
cargo test -p kiln-launch --test opencl --no-run
cargo test -p kiln-cli --test devices --test device_programs --test host_program --no-run
cargo test -p kiln --test devices --no-run
cargo test -p forward-mode --no-run
settings="$(scripts/opencl.sh)"
eval "$settings"
export KILN_TEST_OPENCL=1
cargo test -p kiln-launch --test opencl
cargo test -p kiln-cli --test devices --test device_programs --test host_program
cargo test -p kiln --test devices
cargo test -p forward-mode
