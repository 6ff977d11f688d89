#!/usr/bin/env bash
# What the cache is worth: a generated project of $KERNELS (1000) kernels built with nothing cached, again, after edits
# and among unrelated methods. The column beside a time says what it is compared with.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/bench_rows.sh
. scripts/bench_rows.sh
kiln=${KILN:-$PWD/target/release/kiln}
kernels=${KERNELS:-1000}
work=${CARGO_TARGET_DIR:-target}/bench/cache
rm -rf "$work"
mkdir -p "$work"
work=$(realpath "$work")
export KILN_THREADS=1 KILN_CACHE=rw

# A project, and the cache it was built with.
project() { "$kiln" run bench/project.jl "$work/$1" "$2"; }
build() { KILN_CACHE_DIR="$work/cache-$1" "$kiln" run "${@:3}" "$work/$2/main.jl"; }
empty_build() { rm -rf "$work/cache-$1" && build "$@"; }
uncached() { KILN_CACHE=off build "$@"; }
total() { build "$1" "$2" --timings=json 2>&1 | grep -o "\"$3\":[0-9]*" | head -1 | cut -d: -f2; }
# A build of an edited copy of `big` with the cache of `big` as it was after the first build.
edited() {
    rm -rf "$work/cache-edited" && cp -a "$work/cache-big" "$work/cache-edited"
    once build edited edited
}

row "a project of $kernels kernels" time beside ratio
project big "$kernels"
cold=$(once empty_build big big)
row '  nothing cached (ms)' "$cold" - -
warm=$(wall build big big)
row '  a second process (ms)' "$warm" "$cold" "$(percent "$warm" "$cold")"
project unlaunched "$kernels"
sed -i '/^run_/d' "$work/unlaunched/main.jl"
row '  of that, to read it and define it (ms)' "$(wall build big unlaunched)" "$warm" -

# One kernel gets another constant; then every file a line on top.
cp -a "$work/big" "$work/edited"
sed -i '/^function kernel_7!/,/^end/ s/7f0/7.5f0/' "$work/edited/part_1.jl"
one=$(for _ in $(seq "$runs"); do edited; done | median)
row '  one method edited, a new process (ms)' "$one" "$cold" "$(percent "$one" "$cold")" 150
sed -i '1i # a line' "$work"/edited/*.jl
edited >/dev/null
hits=$(total edited edited hits) misses=$(total edited edited misses)
row '  a line on top of every file (hits)' "$hits" "$((hits + misses))" "$(percent "$hits" "$((hits + misses))")"

# In a session that goes on: every kernel launched again, as it is and with one method new.
cp -a "$work/big" "$work/session"
cat >>"$work/session/main.jl" <<'JULIA'
function again()
    start = time_ns()
    foreach(n -> getfield(Main, Symbol("run_", n))(y, x), 1:length(readdir(@__DIR__)) - 1)
    return round((time_ns() - start) / 1e6; digits = 2)
end
again(); again()
println("same ", minimum(n -> again(), 1:5))
Core.eval(Main, :(unrelated(x) = x))
println("unrelated ", again())
include("edit.jl")
println("edit ", again())
JULIA
sed -n '/^function kernel_7!/,/^end/ s/7f0/7.5f0/p; /^function kernel_7!/,/^end/ { /7f0/!p }' \
    "$work/session/part_1.jl" >"$work/edit.jl"
sed -i "s|include(\"edit.jl\")|include(\"$work/edit.jl\")|" "$work/session/main.jl"
build big session >"$work/session.txt"
said() { awk -v what="$1" '$1 == what { print $2 }' "$work/session.txt"; }
row '  one session: all launched again (ms)' "$(said same)" - -
row '  one session: after an unrelated method (ms)' "$(said unrelated)" "$(said same)" "$(ratio "$(said unrelated)" "$(said same)")"
row '  one session: one method edited (ms)' "$(said edit)" "$(said same)" "$(ratio "$(said edit)" "$(said same)")"

# What looking in vain costs, and storing: builds in turn, so that both see the same machine.
project small 100
for _ in $(seq "$runs"); do
    once empty_build small small >>"$work/missing"
    once uncached small small >>"$work/uncached"
done
missing=$(median <"$work/missing") uncached=$(median <"$work/uncached")
over=$(awk -v a="$missing" -v b="$uncached" 'BEGIN { print a - b }')
row '100 kernels, all missed (ms), beside no cache' "$missing" "$uncached" "$(percent "$over" "$uncached") more" '3 %'

# Methods that have nothing to do with it: of a function the kernels call, and of others.
cp -a "$work/small" "$work/crowded"
{
    echo 'struct Unrelated{N} end'
    for n in $(seq 500); do
        echo "unrelated_$n(x, y) = x + $n * y"
        echo "Base.muladd(x::Unrelated{$n}, y, z) = y"
    done
    cat "$work/small/main.jl"
} >"$work/crowded/main.jl"
kernels_compile() {
    KILN_CACHE=off "$kiln" run --timings=json "$work/$1/main.jl" 2>&1 | grep -o '"name":"kernel[^}]*"infer":[0-9.]*' |
        grep -o 'infer":[0-9.]*' | cut -d: -f2 | awk '{ s += $1 } END { print s * 1000 }'
}
for _ in $(seq "$runs"); do
    kernels_compile small >>"$work/alone"
    kernels_compile crowded >>"$work/crowd"
done
alone=$(median <"$work/alone") crowd=$(median <"$work/crowd")
row 'infer 100 kernels among 1,000 more methods (ms)' "$crowd" "$alone" "$(ratio "$crowd" "$alone")"
