#!/usr/bin/env bash
# Says how far the kernels of tests/corpus/signatures.tsv get, from the checkouts under $KILN_CORPUS.
# Arguments are passed on: `--json` for one JSON object.
set -uo pipefail
cd "$(dirname "$0")/.."
kiln=${KILN:-target/release/kiln}

if [ -z "${KILN_CORPUS:-}" ]; then
    echo "skipped: report on upstream kernels (set KILN_CORPUS to a folder with checkouts, each named as its repository)"
    exit 0
fi
exec "$kiln" report --corpus "$KILN_CORPUS" --rows tests/corpus/signatures.tsv "$@"
