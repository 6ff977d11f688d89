#!/usr/bin/env bash
# Fuzzes each target for FUZZ_SECONDS (60): the parser, source text to typed IR, the linker, what
# crosses the border to LLVM (requests, replies, facts of targets, tables of sites), the files of the store, images.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
for target in ${TARGETS:-parse link typed unit_bytes cache_segment cache_table cache_image}; do
    echo "fuzzing $target"
    cargo fuzz run --sanitizer none "$target" -- -max_total_time="${FUZZ_SECONDS:-60}" -max_len=4096
done
