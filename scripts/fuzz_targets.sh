#!/usr/bin/env bash
# Runs fuzz targets for FUZZ_SECONDS (60) each: all of them, or those in TARGETS. The stable compiler instruments them, and
# the targets bring libFuzzer: no cargo-fuzz and no nightly compiler are needed.
set -euo pipefail
cd "$(dirname "$0")/.."

small=(parse link unit_bytes cache_segment cache_table cache_image metallib air environments bundle shared_entries)
whole=(typed image_entries bitcode)
read -ra targets <<<"${TARGETS:-${small[*]} ${whole[*]}}"
features=(--no-default-features)
for target in "${targets[@]}"; do
    [[ " ${whole[*]} " == *" $target "* ]] && features=(--features session)
done

coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
# With a target of its own, build scripts are not instrumented.
host=$(rustc -vV | sed -n 's/^host: //p')
bins=()
for target in "${targets[@]}"; do bins+=(--bin "$target"); done
RUSTFLAGS="$coverage --cfg fuzzing -Cdebug-assertions ${RUSTFLAGS:-}" cargo build --manifest-path fuzz/Cargo.toml --release \
    --target "$host" --target-dir fuzz/target "${features[@]}" "${bins[@]}"

for target in "${targets[@]}"; do
    echo "fuzzing $target"
    mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
    "fuzz/target/$host/release/$target" "fuzz/corpus/$target" -artifact_prefix="fuzz/artifacts/$target/" \
        -max_total_time="${FUZZ_SECONDS:-60}" -max_len=4096 -print_final_stats=0 2>"fuzz/artifacts/$target.log" ||
        { tail -40 "fuzz/artifacts/$target.log" >&2; exit 1; }
    tail -1 "fuzz/artifacts/$target.log"
done
