#!/usr/bin/env bash
# MISSION E4. Runs GPUArrays' own suite for types of arrays (CuArray and JLArray, or those named), group by group, from the checkouts under
# $KILN_PACKAGES (tests/packages/lock.toml): of the lines of tests in each group, how many pass and fail, and how many sets of tests were
# left by an exception. $SECONDS_MAX limits a group, $GROUPS_LIKE selects groups, `--show` prints what failed.
set -uo pipefail
cd "$(dirname "$0")/.."
kiln=$(realpath "${KILN:-target/release/kiln}")
if [ -z "${KILN_PACKAGES:-}" ]; then
    echo "skipped: GPUArrays (set KILN_PACKAGES to a folder with the checkouts that tests/packages/lock.toml names)"
    exit 0
fi
show= arrays=()
for arg in "$@"; do
    case $arg in
        --show) show=1 ;;
        *) arrays+=("$arg") ;;
    esac
done
[ ${#arrays[@]} = 0 ] && arrays=(CuArray JLArray)
export JULIA_LOAD_PATH="$KILN_PACKAGES:$KILN_PACKAGES/GPUArrays.jl/lib:@stdlib" NO_COLOR=1
suite=(run tests/packages/sites.jl tests/packages/gpuarrays.jl "$KILN_PACKAGES/GPUArrays.jl")
for array in "${arrays[@]}"; do
    passing=0 failing=0
    while read -r group; do
        events=$(timeout "${SECONDS_MAX:-300}" "$kiln" "${suite[@]}" "$array" "$group" 2>&1 >/dev/null | grep -a $'^\001')
        read -r pass fail < <(awk -F'\t' '$1 == "\001site" { place = $3 ":" $4; if (outcome[place] != "fail") outcome[place] = $2 }
            END { for (place in outcome) n[outcome[place]]++; printf "%d %d\n", n["pass"], n["fail"] }' <<<"$events")
        thrown=$(grep -a -c $'^\001thrown' <<<"$events")
        ended=$(grep -a -q $'^\001done' <<<"$events" || echo "not ended")
        printf '%-10s %-36s %5d pass %4d fail %3d left  %s\n' "$array" "$group" "$pass" "$fail" "$thrown" "$ended"
        [ -n "$show" ] && grep -a -E $'^\001(thrown|site\tfail)' <<<"$events" | tr -d '\001' | sed "s|$KILN_PACKAGES/||; s/^/    /"
        passing=$((passing + pass)) failing=$((failing + fail))
    done < <("$kiln" "${suite[@]}" "$array" 2>/dev/null | grep -E "${GROUPS_LIKE:-.}")
    echo "$array: $passing sites pass, $failing fail"
done
