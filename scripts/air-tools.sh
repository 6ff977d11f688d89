#!/usr/bin/env bash
# Installs LLVM 14 from the distribution, once: the last version that reads and writes the typed pointers of Apple's bitcode. Tests
# of `kiln-air` read, verify and run modules with it; without it they are skipped, and say so. Says what it installs; KILN_TOOLS=off:
# nothing.
set -euo pipefail

[ "${KILN_TOOLS:-}" = off ] && exit 0
dpkg-query -W -f '${Status}' llvm-14 2>/dev/null | grep -q 'ok installed' && exit 0

sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
"${sudo[@]}" apt-get update -qq
if ! apt-cache show llvm-14 >/dev/null 2>&1; then
    echo "air tools: this distribution has no llvm-14; KILN_LLVM14 names a folder with its programs" >&2
    exit 0
fi
echo "air tools: installing llvm-14" >&2
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends llvm-14 >/dev/null
