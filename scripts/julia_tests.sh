#!/usr/bin/env bash
# Runs Julia's own tests and compares the counts with the recorded scores: KILN_JULIA_TESTS names the `test` folder of a
# checkout of Julia 1.12. Arguments go to the runner: files (`int.jl strings/basic.jl`), `--show wrong`, `--record FILE`.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${KILN_JULIA_TESTS:-}" ]; then
    echo "skipped: Julia's tests (KILN_JULIA_TESTS is unset; see CONTRIBUTING.md)"
    exit 0
fi
cargo build --release -p kiln-codegen -p kiln-oracle
exec target/release/julia-tests "$KILN_JULIA_TESTS" --check tests/julia/scores.tsv "$@"
