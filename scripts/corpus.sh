#!/usr/bin/env bash
# Runs upstream files, unmodified, from the checkouts under $KILN_CORPUS, and prints a table: status, kernels compiled
# and interpreted, and time; then again with all checks, and what they find. Fails if a file does, or if the checks find anything
# else than what is wrong with it.
set -uo pipefail
cd "$(dirname "$0")/.."
kiln=${KILN:-target/release/kiln}

if [ -z "${KILN_CORPUS:-}" ]; then
    echo "skipped: upstream files (set KILN_CORPUS to a folder with KernelAbstractions.jl, CUDA.jl and AMDGPU.jl checkouts)"
    exit 0
fi

ka=$KILN_CORPUS/KernelAbstractions.jl
files=(
    "$ka"/examples/{memcopy,memcopy_static,naive_transpose,matmul,performant_matmul,histogram}.jl
    tests/corpus/ka_{localmem,private,copyto,print,unroll,intrinsics,nditeration}.jl
    "$KILN_CORPUS"/CUDA.jl/examples/{vadd,hello_world,pairwise,wmma/high-level,wmma/low-level}.jl
    tests/corpus/cuda_{memory,random,cooperative_groups}.jl
    "$KILN_CORPUS"/AMDGPU.jl/test/device/{vadd,indexing,launch,memory,synchronization,output,random,math,regression,execution_control}.jl
)
# What is wrong with upstream files: the file, its findings, and why they are right.
known() {
    case "$1" in
        # The barrier is in a branch that items of the last groups do not take. CUDA defines it from Volta on; OpenCL does not.
        */CUDA.jl/examples/pairwise.jl) echo divergent-barrier ;;
        # Each warp copies the whole tile for itself, in its own time: it "occasionally fails under compute-sanitizer".
        */cuda_cooperative_groups.jl) echo race ;;
        # All items write their own indices to one place, and the test asks for any.
        */AMDGPU.jl/test/device/indexing.jl) echo race ;;
        # A product of indices is meant to be unique, and is not since `gridsize` counts groups.
        */AMDGPU.jl/test/device/random.jl) echo race ;;
    esac
}

passed=0 failed=0 skipped=0
printf '%-58s %-8s %9s %9s %12s %9s  %s\n' file status launched compiled interpreted seconds checked
for file in "${files[@]}"; do
    if [ ! -f "$file" ]; then
        printf '%-58s %-8s\n' "${file#"$KILN_CORPUS/"}" skipped
        skipped=$((skipped + 1))
        continue
    fi
    log=$(mktemp)
    if timeout 300 "$kiln" run --timings=json "$file" >"$log.out" 2>"$log"; then status=passed; else status=FAILED; fi
    json=$(grep -o '^{"kernels_launched.*' "$log" | tail -1)
    field() { printf '%s' "$json" | grep -o "\"$1\":[0-9.]*" | cut -d: -f2; }
    timeout 300 "$kiln" run --check --json "$file" >"$log.checked.out" 2>"$log.checked"
    code=$?
    found=$(grep '^{"finding":' "$log.checked" | grep -o '"code":"[a-z-]*"' | cut -d'"' -f4 | sort -u | paste -sd' ')
    wanted=$(known "$file")
    if [ "$found" != "$wanted" ] || [ "$code" -ne "$([ -z "$wanted" ]; echo $?)" ]; then status=FAILED; fi
    printf '%-58s %-8s %9s %9s %12s %9.3f  %s\n' "${file#"$KILN_CORPUS/"}" "$status" "$(field kernels_launched)" \
        "$(field kernels_compiled)" "$(field kernels_interpreted)" "$(field total)" "${found:-nothing found}"
    if [ "$status" = passed ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { tail -20 "$log.out"; grep -v '^{' "$log" | tail -20; grep '^{' "$log.checked" | tail -5; } | sed 's/^/    /'
    fi
    rm -f "$log" "$log.out" "$log.checked" "$log.checked.out"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
