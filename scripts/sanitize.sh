#!/usr/bin/env bash
# MISSION H3. Runs the suites of crates that have unsafe code under the compiler's sanitizers, and the suites of types, IR, wire forms and
# the store under Miri where that is installed. SANITIZERS (address thread) and CRATES say which. Says what it skips.
#
# The address sanitizer works with the standard library as it comes. The thread sanitizer must have seen the library's
# atomics too, or it reports them: it is built again, from the component rust-src.
set -euo pipefail
cd "$(dirname "$0")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
read -ra crates <<<"${CRATES:-kiln-memory kiln-link kiln-runtime kiln-launch kiln-rt kiln-cache kiln-unit kiln-exec kiln-prebuilt kiln-codegen-client}"
packages=()
for crate in "${crates[@]}"; do packages+=(-p "$crate"); done
# LLVM is not instrumented: the code generator is the one of other tests.
cargo build -p kiln-codegen
KILN_CODEGEN=$(realpath target/debug/libkiln_codegen.so)
export KILN_CODEGEN RUSTC_BOOTSTRAP=1 KILN_DEVICE=cpu

for sanitizer in ${SANITIZERS:-address thread}; do
    flags=()
    tests=()
    if [ "$sanitizer" = thread ]; then
        if [ ! -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ] &&
            ! rustup component add rust-src 2>/dev/null; then
            echo "skipped: the thread sanitizer (the component rust-src is missing)"
            continue
        fi
        flags=(-Zbuild-std)
        # The sanitizer notes the functions that are running in 65,536 places, and writes past them without a check.
        tests=(--skip endless_recursion)
        echo "skipped: tests of endless recursion under the thread sanitizer (it follows 65,536 frames)"
    fi
    echo "sanitize: $sanitizer"
    # Tests find it beside themselves.
    mkdir -p "target/sanitize-$sanitizer/$host/debug"
    ln -sf "$KILN_CODEGEN" "target/sanitize-$sanitizer/$host/debug/"
    # Leaks are not looked for: programs end with their heap in place. Locals stay on the stack: code asks which stack it is on.
    export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0
    export TSAN_OPTIONS="suppressions=$PWD/scripts/thread_sanitizer.txt"
    RUSTFLAGS="-Zsanitizer=$sanitizer ${RUSTFLAGS:-}" \
        cargo test --target "$host" --target-dir "target/sanitize-$sanitizer" "${flags[@]}" "${packages[@]}" --lib --tests \
        -- "${tests[@]}"
    # Two threads that compile different kernels of one session at the same time, and launch them.
    RUSTFLAGS="-Zsanitizer=$sanitizer ${RUSTFLAGS:-}" cargo build --target "$host" \
        --target-dir "target/sanitize-$sanitizer" "${flags[@]}" --manifest-path examples/embedding/Cargo.toml --bin threads
    (cd examples/embedding && \
        "../../target/sanitize-$sanitizer/$host/debug/threads" "$KILN_CODEGEN")
done

# Miri is of the nightly toolchain. A test that makes an interner takes it ten minutes.
if ! cargo miri --version >/dev/null 2>&1 && ! cargo +nightly miri --version >/dev/null 2>&1; then
    rustup toolchain install nightly --profile minimal -c miri -c rust-src --no-self-update >/dev/null 2>&1 || true
fi
miri=()
for toolchain in "" +nightly; do
    # shellcheck disable=SC2086
    [ ${#miri[@]} -gt 0 ] || ! cargo $toolchain miri --version >/dev/null 2>&1 || miri=(cargo $toolchain miri)
done
if [ ${#miri[@]} -gt 0 ]; then
    MIRIFLAGS=-Zmiri-disable-isolation "${miri[@]}" test -p kiln-bytes -p kiln-types -p kiln-ir -p kiln-unit --lib
else
    echo "skipped: Miri (it is not installed)"
fi
