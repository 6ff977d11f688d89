# What the benchmark scripts share; they source it. Times are in milliseconds unless a name says otherwise.
# shellcheck shell=bash

runs=${RUNS:-9}

# Median of stdin, one number a line.
median() { sort -g | awk '{ a[NR] = $1 } END { print (NR % 2) ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }
# What a command takes, once.
once() {
    local start end
    start=$(date +%s%N)
    "$@" >/dev/null 2>&1
    end=$(date +%s%N)
    echo $(((end - start) / 1000)) | awk '{ printf "%.2f\n", $1 / 1000 }'
}
# The same, median of $runs.
wall() { for _ in $(seq "$runs"); do once "$@"; done | median; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f %%", 100 * a / b }'; }
row() { printf '%-46s %14s %14s %9s\n' "$@"; }
