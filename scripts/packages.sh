#!/usr/bin/env bash
# Loads each package of tests/packages/lock.toml from the checkouts under $KILN_PACKAGES, each named as its repository, at the commits
# that the file has: prints whether it loads or its first error, and the seconds. Packages that kiln brings are its own. With names,
# only those.
set -uo pipefail
cd "$(dirname "$0")/.."
kiln=${KILN:-target/release/kiln}
lock=tests/packages/lock.toml

if [ -z "${KILN_PACKAGES:-}" ]; then
    echo "skipped: packages (set KILN_PACKAGES to a folder with the checkouts that $lock names)"
    exit 0
fi
names=("$@")
if [ ${#names[@]} = 0 ]; then
    mapfile -t names < <(sed -n '/^\[\[package\]\]/,/^$/s/^name = "\(.*\)"$/\1/p' "$lock")
fi
export JULIA_LOAD_PATH="$KILN_PACKAGES:$KILN_PACKAGES/GPUArrays.jl/lib:@stdlib" NO_COLOR=1
loaded=0
for name in "${names[@]}"; do
    start=$(date +%s.%N)
    said=$(timeout "${SECONDS_MAX:-120}" "$kiln" -e "using $name" 2>&1 >/dev/null)
    code=$?
    seconds=$(awk "BEGIN { print $(date +%s.%N) - $start }")
    case $code in
        0) status=loads; loaded=$((loaded + 1)) ;;
        124) status="takes too long" ;;
        *) status="fails" ;;
    esac
    # Errors of extensions and of parts are logged while the package itself loads.
    first=$(grep -m1 -E '^error|Error' <<<"$said" | cut -c1-150)
    place=$(grep -m1 -E -- '^ *--> ' <<<"$said" | sed "s|$KILN_PACKAGES/||; s/^ *--> //")
    printf '%-22s %-14s %6.2f s  %s %s\n' "$name" "$status" "$seconds" "$first" "${place:+at $place}"
done
echo "$loaded of ${#names[@]} load"
