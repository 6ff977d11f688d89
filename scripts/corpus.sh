#!/usr/bin/env bash
# Runs upstream files, unmodified, from the checkouts under $KILN_CORPUS, and prints a table: status, kernels compiled
# and interpreted, and time. Fails if one does.
set -uo pipefail
cd "$(dirname "$0")/.."
kiln=${KILN:-target/release/kiln}

if [ -z "${KILN_CORPUS:-}" ]; then
    echo "skipped: upstream files (set KILN_CORPUS to a folder with KernelAbstractions.jl, CUDA.jl and AMDGPU.jl checkouts)"
    exit 0
fi

ka=$KILN_CORPUS/KernelAbstractions.jl
files=(
    "$ka/examples/memcopy.jl" "$ka/examples/memcopy_static.jl" "$ka/examples/naive_transpose.jl"
    "$ka/examples/matmul.jl" "$ka/examples/performant_matmul.jl"
    tests/corpus/ka_{localmem,private,copyto,print,unroll,intrinsics,nditeration}.jl
    "$KILN_CORPUS/CUDA.jl/examples/vadd.jl"
    "$KILN_CORPUS"/AMDGPU.jl/test/device/{vadd,indexing,launch,memory,synchronization,output,random,math,regression,execution_control}.jl
)
passed=0 failed=0 skipped=0
printf '%-58s %-8s %9s %9s %12s %9s\n' file status launched compiled interpreted seconds
for file in "${files[@]}"; do
    if [ ! -f "$file" ]; then
        printf '%-58s %-8s\n' "${file#"$KILN_CORPUS/"}" skipped
        skipped=$((skipped + 1))
        continue
    fi
    log=$(mktemp)
    if timeout 300 "$kiln" run --timings=json "$file" >"$log.out" 2>"$log"; then status=passed; passed=$((passed + 1));
    else status=FAILED; failed=$((failed + 1)); fi
    json=$(grep -o '^{"kernels_launched.*' "$log" | tail -1)
    field() { printf '%s' "$json" | grep -o "\"$1\":[0-9.]*" | cut -d: -f2; }
    printf '%-58s %-8s %9s %9s %12s %9.3f\n' "${file#"$KILN_CORPUS/"}" "$status" "$(field kernels_launched)" \
        "$(field kernels_compiled)" "$(field kernels_interpreted)" "$(field total)"
    [ "$status" = passed ] || { tail -20 "$log.out"; grep -v '^{' "$log" | tail -20; } | sed 's/^/    /'
    rm -f "$log" "$log.out"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
