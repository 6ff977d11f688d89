#!/usr/bin/env bash
# For RUSTC_WORKSPACE_WRAPPER: crates that are only checked are linted as well, and so are tests, examples and build scripts, which are compiled by the
# linter. Other crates are compiled as always, since the linter's compiler optimizes less. `cargo check`, `doc`, `build` and `test`
# with it share what they build; `cargo clippy` would build for itself what build scripts use.
compiles='' is_test=''
for argument in "$@"; do
    case $argument in
        --emit=*link*) compiles=yes ;;
        --test | build_script_* | tests/*.rs | */tests/*.rs | */examples/*.rs) is_test=yes ;;
    esac
done
if [ -n "$compiles" ] && [ -z "$is_test" ]; then
    exec "$@"
fi
exec clippy-driver "$@"
