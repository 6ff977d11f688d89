#!/usr/bin/env bash
# MISSION H5. Runs Julia's own tests and compares the counts with the recorded scores: KILN_JULIA_TESTS names the `test` folder of a
# checkout of Julia 1.12. KILN_JULIASYNTAX names a checkout of JuliaSyntax.jl, whose expr.jl runs too. Arguments go to the
# runner: files (`int.jl strings/basic.jl`), `--show wrong`, `--record FILE`.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${KILN_JULIA_TESTS:-}" ]; then
    echo "skipped: Julia's tests (KILN_JULIA_TESTS is unset; see CONTRIBUTING.md)"
    exit 0
fi
cargo build --release -p kiln-codegen -p kiln-oracle
if [ -n "${KILN_JULIASYNTAX:-}" ] && [ $# -eq 0 ]; then
    # The counts: docs/juliasyntax-tests.md.
    target/release/julia-tests "$KILN_JULIASYNTAX/test" expr.jl --prelude juliasyntax
fi
exec target/release/julia-tests "$KILN_JULIA_TESTS" --check tests/julia/scores.tsv "$@"
