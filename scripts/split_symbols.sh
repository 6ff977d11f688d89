#!/usr/bin/env bash
# Moves the symbols of release files into files beside them, `NAME.debug`, where debuggers and the traces of panics find
# them; then holds what is left against its limit: with --check, which `make sizes` gives, a larger file is a failure, else a line.
# Limits only fall: a change that raises one says why. The system must be able to place the command at random (record 60).
set -euo pipefail
cd "$(dirname "$0")/.."
release=${CARGO_TARGET_DIR:-target}/release
runtime=${CARGO_TARGET_DIR:-target}/runtime/libkiln_rt.so
strict=no
[ "${1:-}" = --check ] && strict=yes

split() {
    local file=$1
    # Not through a pipe: `grep -q` ends before `readelf` does, which is a failure then.
    [[ $(readelf -SW "$file") == *' .symtab '* ]] || return 0
    objcopy --only-keep-debug "$file" "$file.debug"
    # A new file: cargo keeps a second name of the old one.
    (cd "$(dirname "$file")" && objcopy --strip-all --add-gnu-debuglink="$(basename "$file").debug" \
        "$(basename "$file")" "$(basename "$file").split" && mv "$(basename "$file").split" "$(basename "$file")")
}

# A file and its limit in bytes.
check() {
    local file=$1 limit=$2 size
    size=$(stat -c %s "$file")
    printf '%s: %d.%d MB of %d.%d\n' "$file" $((size / 1000000)) $((size / 100000 % 10)) \
        $((limit / 1000000)) $((limit / 100000 % 10))
    [ "$size" -le "$limit" ] && return
    echo "split_symbols: $file is larger than its limit" >&2
    [ "$strict" = no ] || exit 1
}

split "$release/kiln"
split "$release/libkiln_codegen.so"
check "$release/kiln" 18100000
check "$release/libkiln_codegen.so" 80000000
check "$runtime" 600000
[[ $(readelf -hW "$release/kiln") == *' DYN '* ]] || { echo "split_symbols: $release/kiln has a fixed place" >&2; exit 1; }
