#!/usr/bin/env bash
# Runs kiln on the GPU of this machine (CUDA, or the device that DEVICE names) and reports what differs from the processor:
# the driver's tests, every program of the repository that has kernels, the test files of CUDA.jl and KernelAbstractions.jl
# under $KILN_CORPUS, and the kernels of bench/gpu-code beside nvcc's. docs/nvidia.md has results. Needs no cargo:
#   KILN        the program to check                        (target/release/kiln)
#   CUDA_TESTS  the test program `cuda` of kiln-launch      (skipped where it is not named)
#   JOBS        programs at once                            (the number of processors)
#   PARTS       parts to run                                (driver speed programs upstream)
#   LIMIT       seconds for a program                       (60)
#   ONLY        a pattern of names of programs              (all)
# The argument is a folder for logs; it ends up with a line for each program in `rows`.
set -uo pipefail
cd "$(dirname "$0")/.."
out=${1:-target/gpu-check}
mkdir -p "$out/logs"
out=$(cd "$out" && pwd)
export out
export KILN=${KILN:-target/release/kiln} DEVICE=${DEVICE:-cuda} LIMIT=${LIMIT:-60} KILN_CACHE=${KILN_CACHE:-off}
jobs=${JOBS:-$(nproc)}
parts=${PARTS:-driver speed programs upstream}

say() { echo "== $* (${SECONDS} s)"; }
wants() { [[ " $parts " = *" $1 "* ]]; }

say machine
nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader
"$KILN" --version
"$KILN" targets --json >"$out/targets.json"
grep -o '{"driver":[^}]*}' "$out/targets.json"

if wants driver && [ -n "${CUDA_TESTS:-}" ]; then
    say "the driver's tests"
    timeout 120 "$CUDA_TESTS" 2>&1 | tee "$out/logs/driver_tests"
fi

# Times the kernels of bench/gpu-code with a library of functions of the vendor, or none.
speed() {
    say "speed, in milliseconds a launch; the library of functions: $1"
    mkdir -p "$out/samples/nvcc" "$out/samples/kiln"
    if [ ! -f "$out/speed.nvcc" ] && command -v nvcc >/dev/null; then
        nvcc -O3 -arch=native -o "$out/run_nvcc" bench/gpu-code/run.cu &&
            timeout 60 "$out/run_nvcc" "$out/samples/nvcc" >"$out/speed.nvcc"
        rm -f "$out/run_nvcc"
    fi
    KILN_DEVICE_LIBRARY=${1#none} timeout 60 "$KILN" run --device "$DEVICE" bench/gpu-code/run.jl "$out/samples/kiln" \
        >"$out/speed.kiln" 2>"$out/logs/speed.kiln.$1"
    tail -5 "$out/logs/speed.kiln.$1"
    cp "$out/speed.kiln" "$out/speed.kiln.$1"
    scripts/bench_gpu_speed.py "$out"
}
if wants speed; then speed none; fi

# One program on one device: NAME DEVICE FILE ARGUMENT. Its row: name, device, exit code, kernels launched, seconds.
run_one() {
    local name=$1 device=$2 log started code launched
    shift 2
    log=$out/logs/$name.$device started=$EPOCHREALTIME
    timeout "$LIMIT" "$KILN" run --timings=json --device "$device" "$@" >"$log.out" 2>"$log.err" </dev/null
    code=$?
    launched=$(grep -o '"kernels_launched":[0-9]*' "$log.err" | tail -1 | cut -d: -f2)
    printf '%s %s %s %s %s\n' "$name" "$device" "$code" "${launched:--}" \
        "$(echo "$EPOCHREALTIME $started" | awk '{ printf "%.1f", $1 - $2 }')" >>"$out/rows"
}
export -f run_one

# Lines NAME FILE ARGUMENT.
programs() {
    grep -lE '@cuda|@roc|@kernel|CUDABackend|ROCBackend' tests/programs/*.jl tests/devices/*.jl tests/waiting/*.jl examples/*.jl |
        while read -r file; do echo "$(echo "${file%.jl}" | tr / _) $file"; done
}
upstream() {
    local file
    for file in test specialfunctions intrinsics localmem private unroll nditeration copyto devices print_test reflection convert; do
        echo "ka_$file tests/corpus/ka_cuda.jl $file"
    done
    for file in memcopy memcopy_static naive_transpose matmul performant_matmul histogram; do
        echo "ka_example_$file $KILN_CORPUS/KernelAbstractions.jl/examples/$file.jl"
    done
    (cd "$KILN_CORPUS/CUDA.jl" && ls examples/{vadd,hello_world,pairwise,wmma/high-level,wmma/low-level}.jl) |
        while read -r file; do echo "cuda_$(basename "$file" .jl) $KILN_CORPUS/CUDA.jl/$file"; done
    (cd "$KILN_CORPUS/CUDA.jl/test" && find core -name '*.jl' | sort) |
        while read -r file; do echo "cuda_$(echo "${file%.jl}" | tr / _) tests/corpus/cuda_file.jl $file"; done
}

# Output without what differs from run to run: times, addresses, the order of lines that different items print.
normalized() {
    sed -E -e 's/ +[0-9.]+m?s$//' -e 's/0x[0-9a-f]{6,}/ADDRESS/g' -e "s/\\b$2\\b/DEVICE/g" "$out/logs/$1.$2.out" | sort
}
# Prints what a list of programs did otherwise than on the processor.
compare() {
    local name device code launched seconds cpu_code good=0 bad=0
    while read -r name device code launched seconds; do
        [ "$device" = cpu ] && continue
        cpu_code=$(awk -v name="$name" '$1 == name && $2 == "cpu" { print $3 }' "$out/rows")
        if [ "$code" = "$cpu_code" ] && cmp -s <(normalized "$name" "$device") <(normalized "$name" cpu); then
            good=$((good + 1))
            continue
        fi
        bad=$((bad + 1))
        echo "DIFFERS $name: exit code $code, on the processor $cpu_code, $launched launches, $seconds s"
        diff <(normalized "$name" cpu) <(normalized "$name" "$device") | grep '^[<>]' | head -6 | cut -c1-200
        grep -v '^{' "$out/logs/$name.$device.err" | head -4 | cut -c1-240
    done < <(sort "$out/rows" | grep -Ff <(cut -d' ' -f1 "$1" | sed 's/$/ /'))
    echo "$good the same, $bad differ"
}
run_all() {
    local list=$out/$1.list
    "$1" | grep -E "${ONLY:-.}" >"$list"
    say "$1: $(wc -l <"$list")"
    { sed "s/ / $DEVICE /" "$list"; sed 's/ / cpu /' "$list"; } |
        xargs -P "$jobs" -d '\n' -I{} bash -c 'run_one {}'
    compare "$list"
}

touch "$out/rows"
if wants programs; then run_all programs; fi
if wants upstream; then
    if [ -n "${KILN_CORPUS:-}" ]; then run_all upstream; else echo "skipped: upstream files (set KILN_CORPUS)"; fi
fi
if wants speed; then speed auto; fi
say done
