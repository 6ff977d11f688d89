#!/usr/bin/env bash
# Medians and ratios: process start, cold saxpy, compile times, launch, throughput; beside clang-22 on the same loops, on
# one thread. Quote ratios, not single times. MISSION S3, C10, C11.
set -euo pipefail
cd "$(dirname "$0")/.."
KILN_SETUP=bench scripts/setup.sh
export KILN_THREADS=1 KILN_CACHE=off
kiln=target/release/kiln
work=target/bench
# shellcheck source=scripts/bench_rows.sh
. scripts/bench_rows.sh
mkdir -p "$work"
clang=(clang-22 -O3 -march=native -ffp-contract=off)

# A field of the timings of a run, in nanoseconds, median of $runs.
timing() {
    local field=$1
    shift
    for _ in $(seq "$runs"); do
        "$kiln" run --timings=json "$@" 2>&1 >/dev/null | grep -o "\"$field\":[0-9.]*" | cut -d: -f2
    done | median | awk '{ printf "%.0f", $1 * 1e9 }'
}

row what kiln clang-22 ratio
start=$(wall "$kiln" -e '')
row 'process start (ms)' "$start" - -

cold=$(wall "$kiln" run bench/saxpy.jl)
compile_and_run() { "${clang[@]}" bench/saxpy.c -o "$work/cold" && "$work/cold"; }
clang_cold=$(wall compile_and_run)
row 'cold saxpy, nothing to result (ms)' "$cold" "$clang_cold" "$(ratio "$cold" "$clang_cold")"

# The same from a second process on: the first has left its units in the cache.
rm -rf "$work/cache"
with_cache() { KILN_CACHE=rw KILN_CACHE_DIR="$work/cache" "$kiln" run bench/saxpy.jl; }
with_cache >/dev/null
cached=$(wall with_cache)
row 'saxpy, second process (ms)' "$cached" - "$(ratio "$cached" "$cold")" 10
small_with_cache() { KILN_CACHE=rw KILN_CACHE_DIR="$work/cache" "$kiln" run bench/small.jl; }
small_with_cache >/dev/null
row 'four elements, second process (ms)' "$(wall small_with_cache)" - -

# The same from an image, without a cache and without a code generator.
"$kiln" image build -o "$work/saxpy.kimg" bench/saxpy.jl >/dev/null 2>&1
with_image() { KILN_CODEGEN=/none "$kiln" run --image "$work/saxpy.kimg" bench/saxpy.jl; }
imaged=$(wall with_image)
row 'saxpy, from an image (ms)' "$imaged" - "$(ratio "$imaged" "$cold")"
"$kiln" image build -o "$work/small.kimg" bench/small.jl >/dev/null 2>&1
small_with_image() { KILN_CODEGEN=/none "$kiln" run --image "$work/small.kimg" bench/small.jl; }
row 'four elements, from an image (ms)' "$(wall small_with_image)" - - 5

# A stage of the first kernel a program compiles, in nanoseconds, median of $runs.
kernel_timing() {
    local field=$1
    shift
    for _ in $(seq "$runs"); do
        "$kiln" run --timings=json "$@" 2>&1 >/dev/null | grep -o '"kernels":\[{[^}]*}' |
            grep -o "\"$field\":[0-9.]*" | cut -d: -f2
    done | median | awk '{ printf "%.0f", $1 * 1e9 }'
}
for name in saxpy nbody reduction; do
    compile=$(kernel_timing compile "bench/$name.jl")
    row "compile the kernel of $name (ms)" "$(awk -v a="$compile" 'BEGIN { printf "%.2f", a / 1e6 }')" - -
done

launches=2000
empty=$(timing launch_min bench/empty.jl "$launches")
row 'launch of an empty kernel (ns)' "$empty" - -
whole=$(for _ in $(seq "$runs"); do "$kiln" run bench/launches.jl; done | median)
row '@cuda f(y, a, x) in a host loop (ns)' "$whole" - -

# The way from a job to a launch, in Rust; and many kernels compiled at once, on one core and on all.
cargo build -q --release -p kiln --example launch_path
launch_path() { KILN_CODEGEN="$PWD/target/release/libkiln_codegen.so" KILN_THREADS=$1 target/release/examples/launch_path; }
one=$(launch_path 1)
all=$(launch_path 0)
of() { awk -v name="$2" '$1 == name { print $2 }' <<<"$1"; }
row 'resolve a warm job (ns)' "$(of "$one" resolve)" - - 40
row '  allocations in 2,000,000' "$(of "$one" resolve_allocations)" - - 0
row 'resolve and launch from Rust (ns)' "$(of "$one" launch)" - -
row 'resolve after a definition (ns)' "$(of "$one" resolve_after_a_definition)" - -
row 'a failure, again (ns)' "$(of "$one" next_failure)" - -
row 'compile 16 kernels, one core (us)' "$(of "$one" compile_16_kernels_us)" - -
row 'compile 16 kernels, all cores (us)' "$(of "$all" compile_16_kernels_us)" - \
    "$(ratio "$(of "$one" compile_16_kernels_us)" "$(of "$all" compile_16_kernels_us)")x"

for name in saxpy nbody mandelbrot; do
    reps=20
    "${clang[@]}" "bench/$name.c" -o "$work/$name" -lm
    theirs=$(for _ in $(seq "$runs"); do "$work/$name" "$reps"; done | median)
    ours=$(timing launch_min "bench/$name.jl" "$reps")
    # Higher is better: how many of clang's loops fit into one of ours.
    row "throughput $name (ns a pass)" "$ours" "${theirs%.*}" "$(ratio "$theirs" "$ours")x"
done

# What `@inbounds` gives where an index has two dimensions.
checked=$(timing launch_min bench/stencil.jl 20 checked)
unchecked=$(timing launch_min bench/stencil.jl 20)
row '2-d stencil with bounds checks (ns a pass)' "$checked" - -
row '2-d stencil, @inbounds' "$unchecked" - "$(ratio "$checked" "$unchecked")x"

scripts/bench_cache.sh

scripts/bench_device.sh

# The store itself, beside SQLite and one file a key.
"${CARGO:-cargo}" build --quiet --release --manifest-path bench/store/Cargo.toml --target-dir "$work/store"
"$work/store/release/bench-store" "${ENTRIES:-1000000}" "$work"
