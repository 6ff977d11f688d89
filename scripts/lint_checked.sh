#!/usr/bin/env bash
# For RUSTC_WORKSPACE_WRAPPER: crates that are only checked are linted as well; crates that are compiled are compiled as always.
# `cargo check`, `doc`, `build` and `test` with it share what they build; `cargo clippy` would build for itself what build scripts use.
for argument in "$@"; do
    case $argument in
        --emit=*link*) exec "$@" ;;
    esac
done
exec clippy-driver "$@"
