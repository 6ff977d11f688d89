#!/usr/bin/env bash
# MISSION E2. Loads each package of tests/packages/lock.toml from the checkouts under $KILN_PACKAGES, each named as its repository, at the commits
# that the file has: prints whether it loads or its first error, and the seconds. Packages that kiln brings are its own. With names,
# only those.
# `--tests` runs their tests, too: of those in the files that were reached it prints how many pass, fail, and were not reached, and the
# seconds; `--show` prints the ones that fail and what was thrown outside of tests.
set -uo pipefail
cd "$(dirname "$0")/.."
kiln=$(realpath "${KILN:-target/release/kiln}")
lock=tests/packages/lock.toml

if [ -z "${KILN_PACKAGES:-}" ]; then
    echo "skipped: packages (set KILN_PACKAGES to a folder with the checkouts that $lock names)"
    exit 0
fi
tests= show= names=()
for arg in "$@"; do
    case $arg in
        --tests) tests=1 ;;
        --show) tests=1 show=1 ;;
        *) names+=("$arg") ;;
    esac
done
if [ ${#names[@]} = 0 ]; then
    mapfile -t names < <(sed -n '/^\[\[package\]\]/,/^$/s/^name = "\(.*\)"$/\1/p' "$lock")
fi
export JULIA_LOAD_PATH="$KILN_PACKAGES:$KILN_PACKAGES/GPUArrays.jl/lib:@stdlib" NO_COLOR=1

elapsed() { awk "BEGIN { print $(date +%s.%N) - $1 }"; }
# The folder of a package: that of its repository, or the one in it that the lock file has.
folder_of() {
    awk -v name="$1" -v RS= '$0 ~ "name = \"" name "\"" {
        match($0, /repository = "[^"]*/); n = split(substr($0, RSTART, RLENGTH), parts, "/"); printf "%s", parts[n]
        if (match($0, /folder = "[^"]*/)) printf "/%s", substr($0, RSTART + 10, RLENGTH - 10)
    }' "$lock"
}
# Counts the lines of tests by their worst outcome; those of files that were reached and have none were not reached themselves.
count_sites() {
    awk -F'\t' '
        $1 == "\001file" && !($2 in files) { files[$2]; total += $3 }
        $1 == "\001site" { place = $3 ":" $4; if (outcome[place] != "fail") outcome[place] = $2 }
        END {
            for (place in outcome) counted[outcome[place]]++
            missing = total - counted["pass"] - counted["fail"]
            printf "%d %d %d", counted["pass"], counted["fail"], (missing > 0 ? missing : 0)
        }'
}
loaded=0 passing=0 failing=0 missing=0
for name in "${names[@]}"; do
    start=$(date +%s.%N)
    said=$(timeout "${SECONDS_MAX:-120}" "$kiln" -e "using $name" 2>&1 >/dev/null)
    code=$?
    seconds=$(elapsed "$start")
    case $code in
        0) status=loads; loaded=$((loaded + 1)) ;;
        124) status="takes too long" ;;
        *) status="fails" ;;
    esac
    # Errors of extensions and of parts are logged while the package itself loads.
    first=$(grep -m1 -E '^error|Error' <<<"$said" | cut -c1-150)
    place=$(grep -m1 -E -- '^ *--> ' <<<"$said" | sed "s|$KILN_PACKAGES/||; s/^ *--> //")
    if [ -n "$tests" ]; then
        file=$KILN_PACKAGES/$(folder_of "$name")/test/runtests.jl
        start=$(date +%s.%N)
        events=$([ -f "$file" ] && timeout "${SECONDS_MAX:-120}" "$kiln" run tests/packages/sites.jl "$file" 2>&1 >/dev/null | grep -a $'^\001')
        read -r pass fail rest < <(count_sites <<<"$events")
        passing=$((passing + pass)) failing=$((failing + fail)) missing=$((missing + rest))
        printf '%-22s %-14s %6.2f s  %6d pass %5d fail %5d missing %7.2f s  %s\n' "$name" "$status" "$seconds" "$pass" "$fail" "$rest" \
            "$(elapsed "$start")" "$first"
        [ -n "$show" ] && grep -a -E $'^\001(thrown|site\tfail)' <<<"$events" | tr -d '\001' | sed "s|$KILN_PACKAGES/||; s/^/    /"
    else
        printf '%-22s %-14s %6.2f s  %s %s\n' "$name" "$status" "$seconds" "$first" "${place:+at $place}"
    fi
done
echo "$loaded of ${#names[@]} load"
[ -n "$tests" ] && echo "tests: $passing pass, $failing fail, $missing were not reached"
exit 0
