#!/usr/bin/env bash
# Installs what building kiln needs and this machine lacks: LLVM 22 and the libraries it links.
# Does nothing, quickly, when everything is there.
set -euo pipefail

packages=(llvm-22-dev libpolly-22-dev libzstd-dev zlib1g-dev)
[ "${KILN_SETUP:-}" = bench ] && packages+=(clang-22 libomp-22-dev opencl-c-headers)

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done

if ! command -v cargo >/dev/null; then
    echo "setup: cargo is not on PATH; install Rust (https://rustup.rs) and run this again" >&2
    exit 1
fi
[ ${#missing[@]} -eq 0 ] && exit 0

echo "setup: installing ${missing[*]}" >&2
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
"${sudo[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "setup: done" >&2
