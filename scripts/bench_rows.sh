# What the benchmark scripts share; they source it. Times are in milliseconds unless a name says otherwise.
# shellcheck shell=bash

runs=${RUNS:-9}

# Median of stdin, one number a line.
median() { sort -g | awk '{ a[NR] = $1 } END { print (NR % 2) ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }
# What a command takes, once.
once() {
    # The shell's own clock: to ask a process for the time takes as long as some of what is measured.
    local start=${EPOCHREALTIME/[.,]/}
    "$@" >/dev/null 2>&1
    local end=${EPOCHREALTIME/[.,]/}
    awk -v us=$((end - start)) 'BEGIN { printf "%.2f\n", us / 1000 }'
}
# The same, median of $runs.
wall() { for _ in $(seq "$runs"); do once "$@"; done | median; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f %%", 100 * a / b }'; }
# What is measured, kiln's figure, what it is compared with, the ratio, and what it is to be at most, if that has been said.
row() { printf '%-46s %14s %14s %9s%s\n' "$1" "$2" "$3" "$4" "${5:+   aim: $5}"; }
