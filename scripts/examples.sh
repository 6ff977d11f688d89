#!/usr/bin/env bash
# Runs the files of tests/packages/lock.toml's [[example]] entries, unmodified, from the checkouts under $KILN_EXAMPLES, each named as its
# repository, on the processor or on the device that KILN_DEVICE names; `--fetch` makes the checkouts at the commits of the file first.
# With $KILN_PACKAGES, which has a checkout of JACC, tests/packages/jacc.jl also runs JACC on its back ends. Fails if one does.
set -uo pipefail
cd "$(dirname "$0")/.."
kiln=$(realpath "${KILN:-target/release/kiln}")
if [ -z "${KILN_EXAMPLES:-}" ]; then
    echo "skipped: examples of packages (set KILN_EXAMPLES to a folder with the checkouts that tests/packages/lock.toml names, or for them)"
    exit 0
fi
entries() {
    awk '/^\[\[/ { inside = $0 == "[[example]]" } inside && /^repository/ { split($0, r, "\"") } inside && /^commit/ { split($0, c, "\"") }
        inside && /^files/ { n = split($0, f, "\""); for (i = 2; i <= n; i += 2) print r[2], c[2], f[i] }' tests/packages/lock.toml
}
if [ "${1:-}" = --fetch ]; then
    entries | cut -d' ' -f1,2 | sort -u | while read -r repository commit; do
        folder=$KILN_EXAMPLES/${repository#*/}
        [ -d "$folder" ] && continue
        git init -q "$folder" && git -C "$folder" fetch -q --depth 1 "https://github.com/$repository" "$commit" &&
            git -C "$folder" checkout -q FETCH_HEAD
    done
fi
passed=0 failed=0 skipped=0
run() {
    local name=$1 said
    shift
    if said=$(NO_COLOR=1 timeout "${SECONDS_MAX:-300}" "$kiln" run ${KILN_DEVICE:+--device "$KILN_DEVICE"} "$@" 2>&1); then
        printf '%-44s passed\n' "$name"
        passed=$((passed + 1))
    else
        printf '%-44s FAILED\n' "$name"
        tail -8 <<<"$said" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
}
while read -r repository _ file; do
    path=$KILN_EXAMPLES/${repository#*/}/$file
    if [ -f "$path" ]; then
        run "${repository#*/}/$file" "$path"
    else
        printf '%-44s skipped\n' "${repository#*/}/$file"
        skipped=$((skipped + 1))
    fi
done < <(entries)
if [ -n "${KILN_PACKAGES:-}" ]; then
    export JULIA_LOAD_PATH="$KILN_PACKAGES:@stdlib"
    run "JACC on its back ends" tests/packages/jacc.jl
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
