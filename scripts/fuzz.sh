#!/usr/bin/env bash
# Fuzzes each target for FUZZ_SECONDS (60): the parser, source text to typed IR, the linker, what
# crosses the border to LLVM (requests, replies, facts of targets, tables of sites), the files of the store, entries of shared caches, images, Metal libraries and their modules;
# entries of a real image with right checksums, and bitcode that LLVM is given in a process of its own. Then PROGRAMS (100,000)
# generated programs run interpreted and compiled: by default, without optimization, with an empty and with a warm cache; and
# the whole boundary matrix runs in kernels. KERNELS (100,000) generated kernels run in each form: by items, in regions, in vectors
# of each width. MOVING (1,000) programs define functions again while they launch.
set -euo pipefail
cd "$(dirname "$0")/.."
# Two targets ask the code generator, and have jobs written that it fails at.
cargo build -p kiln-codegen -p kiln-cli
built="$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/debug"
KILN_CODEGEN="$built/libkiln_codegen.so"
KILN_WORKER="$built/kiln"
TMPDIR="$(mktemp -d)"
export KILN_CODEGEN KILN_WORKER TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
scripts/fuzz_targets.sh

echo "comparing ${PROGRAMS:=100000} generated programs, interpreted and compiled in four ways"
cargo build --release -p kiln-codegen
KILN_CODEGEN="${built%debug}release/libkiln_codegen.so" \
    KILN_DIFFERENTIAL="$PROGRAMS" KILN_DIFFERENTIAL_ALL=1 KILN_SEED="${KILN_SEED:-1}" \
    cargo test --release -p kiln --test differential interpreted -- --nocapture
echo "comparing ${KERNELS:=100000} generated kernels in all forms"
KILN_CODEGEN="${built%debug}release/libkiln_codegen.so" \
    KILN_KERNEL_PROGRAMS="$KERNELS" KILN_KERNELS_ALL=1 KILN_SEED="${KILN_SEED:-1}" \
    cargo test --release -p kiln --test kernels -- --nocapture
KILN_MOVING_WORLDS="${MOVING:-1000}" cargo test -p kiln --test worlds a_launch_sees
KILN_BOUNDARY_SHARE=1 cargo test -p kiln-oracle --test boundary --test boundary_compound
