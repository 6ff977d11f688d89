#!/usr/bin/env bash
# Installs Intel's OpenCL driver for CPUs, once, under $KILN_TOOLS (default: target/tools), and prints the
# settings that make programs use it: eval "$(scripts/opencl.sh)". It takes about 850 MB; it is used by tests
# only and under Intel's license, and nothing of it is shipped.
set -euo pipefail
cd "$(dirname "$0")/.."

version=2026.2.0
tools="$(realpath -m "${KILN_TOOLS:-target/tools}")"
home="$tools/opencl-$version"

if [ ! -e "$home/installed" ]; then
    if ! python3 -m venv --help >/dev/null 2>&1; then
        echo "opencl: needs python3 with venv (apt install python3-venv)" >&2
        exit 1
    fi
    echo "opencl: installing intel-opencl-rt $version in $home" >&2
    rm -rf "$home"
    mkdir -p "$tools"
    python3 -m venv "$home"
    # The second is not declared by the first, which does not load without it.
    "$home/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir \
        "intel-opencl-rt==$version" "intel-cmplr-lib-rt==$version" >&2
    touch "$home/installed"
fi

driver="$home/lib/libintelocl.so"
if [ ! -e "$driver" ]; then
    echo "opencl: $driver is not there" >&2
    exit 1
fi
# The loader comes with the driver, and does not find by itself what lies beside it.
echo "export LD_LIBRARY_PATH='$home/lib'\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
echo "export OPENCL_DYLIB_PATH='$home/lib/libOpenCL.so.1'"
echo "export OCL_ICD_FILENAMES='$driver'"
echo "export OCL_ICD_VENDORS='$driver'"
