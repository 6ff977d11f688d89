#!/usr/bin/env bash
# The store of results under load, for long: processes killed, stopped, out of disk, files damaged under them. Repeats
# the tests of crates/kiln-cache/tests TORTURE (50) times as much, on the disk, in memory, and on a full file system.
#
# Then programs edited at random against fresh sessions: TORTURE edits times 200 of typed code, and of machine code 150 of
# each of TORTURE seeds, from the seed in KILN_SEED on (the time of day). Four threads share a session for TORTURE times 12 seconds, and
# programs run with collections at every 20th safepoint, and at others; the programs of the runtime with one at each.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --release -p kiln-cache --no-run
export KILN_CACHE_TORTURE="${TORTURE:-50}"
# Where the tests keep their stores; /dev/shm shows what the disk hides, and the other way round.
for dir in /tmp /dev/shm; do
    echo "on $dir"
    KILN_CACHE_TEST_DIR="$dir" cargo test --release -p kiln-cache --test processes --test surroundings
done
KILN_CACHE_TEST_DIR=/dev/shm cargo test --release -p kiln-cache --test damage

# A small file system of our own, in a mount namespace that goes with the process. Needs root or user namespaces.
small="$(mktemp -d)"
trap 'rmdir "$small"' EXIT
namespace=(unshare --mount)
[ "$(id -u)" = 0 ] || namespace=(unshare --mount --user --map-root-user)
if "${namespace[@]}" mount -t tmpfs -o size=24m,mode=700 none "$small" 2>/dev/null; then
    echo "on a full file system"
    # shellcheck disable=SC2016
    KILN_CACHE_SMALL_FS="$small" "${namespace[@]}" sh -c \
        'mount -t tmpfs -o size=24m,mode=700 none "$KILN_CACHE_SMALL_FS" && exec cargo test --release -p kiln-cache --test processes a_full_file_system'
else
    echo "skipped: a full file system (no mount namespace)"
fi

export KILN_SEED="${KILN_SEED:-$(date +%s)}" KILN_EDITS=$((KILN_CACHE_TORTURE * 200))
export KILN_SEEDS="$KILN_CACHE_TORTURE" KILN_KERNEL_EDITS=150
echo "random edits from seed $KILN_SEED: $KILN_EDITS of typed code, of kernels $KILN_KERNEL_EDITS of each of $KILN_SEEDS"
cargo build --release -p kiln-codegen
cargo test --release -p kiln --test worlds random

# Threads that share a session, and every program with collections all the time.
KILN_SHARED_SECONDS=$((KILN_CACHE_TORTURE * 12)) cargo test --release -p kiln --test shared_session
cargo build -p kiln-cli
for every in 20 37 101 500 997; do
    KILN_COLLECT_EVERY=$every cargo test -p kiln-cli --test programs collected
done
KILN_GC_STRESS=1 cargo test -p kiln-runtime --test programs

# A third-party code generator, which links LLVM once more.
cargo build -p kiln-codegen
KILN_OWN_TARGET=build cargo test -p kiln-cli --test own_target

# Projects of their own that use kiln as a library, which build it once more.
KILN_EMBEDDING=build cargo test -p kiln-cli --test embedding
