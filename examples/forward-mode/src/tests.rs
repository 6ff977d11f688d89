//! Derivatives against differences and against derivatives by hand.

use crate::compiler::install;
use kiln::cache::{StoreMode, StoreOptions};
use kiln::internals::SessionInternals as _;
use kiln::internals::heap::text;
use kiln::{DeviceChoice, Session, SessionOptions};

/// A session with kernels that derive. `at(f, xs)` are derivatives of `f`, `values(f, xs)` the values that come with them.
const PRELUDE: &str = r#"
using CUDA, Test
function both!(y, z, f)
    i = threadIdx().x
    value, slope = ForwardMode.value_and_derivative(f, y[i])
    y[i] = value
    z[i] = slope
    return
end
function derived(f, xs)
    y, z = CuArray(xs), CuArray(xs)
    @cuda threads=length(xs) both!(y, z, f)
    return Array(y), Array(z)
end
at(f, xs) = derived(f, xs)[2]
values(f, xs) = derived(f, xs)[1]
const XS = [0.3, 0.9, 1.7, 2.6]
difference(f, x) = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
agrees(f) = values(f, XS) ≈ map(f, XS) && isapprox(at(f, XS), [difference(f, x) for x in XS]; rtol = 1e-6)
"#;

fn session() -> Session {
    session_with(SessionOptions::default())
}

fn session_with(options: SessionOptions) -> Session {
    let session = Session::new(options).unwrap();
    install(&session).unwrap();
    run(&session, PRELUDE);
    session
}

fn run(session: &Session, text: &str) {
    if let Err(failure) = session.run_text("test", text) {
        panic!("{}\nin\n{text}", failure.message);
    }
}

/// MISSION D6: arithmetic, calls, loops, branches and tuples.
#[test]
fn derivatives_are_those_of_the_functions() {
    let it = session();
    run(
        &it,
        r#"
        polynomial(x) = 3x * x * x - 2x + 1.0
        @test at(polynomial, XS) ≈ [9x^2 - 2 for x in XS]
        quotient(x) = (x + 1.0) / (x * x + 2.0)
        @test agrees(quotient)
        @noinline inner(x, y) = x * y + sqrt(x)
        calling(x) = inner(x, 2.0) * inner(3.0, x)
        @test agrees(calling)
        branching(x) = x > 1.0 ? x * x : (x < 0.5 ? 2x : -x)
        @test at(branching, XS) == [2.0, -1.0, 3.4, 5.2]
        function looping(x)
            s, t = 0.0, 1.0
            for i in 1:6
                t = t * x / i
                if isodd(i)
                    s += t
                else
                    s -= t
                end
            end
            return s
        end
        @test agrees(looping)
        @noinline pair(x) = (x * x, 3x)
        tuples(x) = (p = pair(x); p[1] * p[2])
        @test at(tuples, XS) ≈ [9x^2 for x in XS]
        shape(x) = abs(x - 1.0) + min(x, 2.0) + max(x, 1.0)
        @test agrees(shape)
        constant(x) = 4.0
        @test at(constant, XS) == zeros(4)
        "#,
    );
}

/// Functions made of arithmetic on bits have their slopes by name, seen by the derived code alone.
#[test]
fn known_functions_have_their_slopes() {
    let it = session();
    run(
        &it,
        r#"
        @test at(sin, XS) ≈ map(cos, XS) && at(exp, XS) ≈ map(exp, XS) && at(log, XS) ≈ [1 / x for x in XS]
        wave(x) = sin(3x) * exp(-x * x)
        @test agrees(wave) && agrees(x -> tanh(cos(x)))
        single(x) = exp(2x)
        @test at(single, Float32[0.5, 1])[1] isa Float32
        @test at(single, Float32[0.5, 1]) ≈ Float32[2exp(1f0), 2exp(2f0)]
        "#,
    );
}

/// MISSION D6, G: on an OpenCL device the derivatives are those of the processor, to a few units in the last place.
/// Skipped where there is none.
#[test]
fn derivatives_are_the_same_on_a_device() {
    let program = r#"
        polynomial(x) = 3x * x * x - 2x + 1.0
        quotient(x) = (x + 1.0) / (x * x + 2.0)
        @noinline inner(x, y) = x * y + sqrt(x)
        calling(x) = inner(x, 2.0) * inner(3.0, x)
        branching(x) = x > 1.0 ? x * x : (x < 0.5 ? 2x : -x)
        function looping(x)
            s, t = 0.0, 1.0
            for i in 1:6
                t = t * x / i
                s += isodd(i) ? t : -t
            end
            return s
        end
        wave(x) = sin(3x) * exp(-x * x)
        @test at(polynomial, XS) ≈ [9x^2 - 2 for x in XS]
        @test at(branching, XS) == [2.0, -1.0, 3.4, 5.2]
        @test agrees(quotient) && agrees(calling) && agrees(looping) && agrees(wave)
        @test at(x -> exp(2x), Float32[0.5, 1]) ≈ Float32[2exp(1f0), 2exp(2f0)]
        RESULTS = [at(f, XS) for f in (polynomial, quotient, calling, branching, looping, wave)]
        "#;
    let on = |device: DeviceChoice| {
        let it = Session::new(SessionOptions::new().device(device))?;
        install(&it).unwrap();
        run(&it, PRELUDE);
        run(&it, program);
        let shown = it.evaluate(
            "join([join(map(x -> string(round(x; sigdigits = 12)), it), ' ') for it in RESULTS], ';')",
        );
        let shown = shown.unwrap();
        Ok::<_, kiln::Error>(text::read(&it.runtime().heap, shown).unwrap())
    };
    let expected = on(DeviceChoice::Cpu).unwrap();
    match on(DeviceChoice::OpenCl(0)) {
        Ok(got) => assert_eq!(got, expected),
        Err(failure) => {
            assert!(std::env::var_os("KILN_TEST_OPENCL").is_none(), "{}", failure.message);
            eprintln!(
                "skipped: derivatives_are_the_same_on_a_device (no OpenCL device; see `make test-opencl`)"
            );
        }
    }
}

/// A function that calls itself has a derivative that does.
#[test]
fn derivatives_recur() {
    let it = session();
    run(
        &it,
        r#"
        @noinline power(x, n) = n == 0 ? 1.0 : x * power(x, n - 1)
        fifth(x) = power(x, 5)
        @test at(fifth, XS) ≈ [5x^4 for x in XS]
        "#,
    );
}

/// MISSION D2, D6: what a derivative was made of ends it, and nothing else does.
#[test]
fn a_definition_ends_derivatives_made_of_it() {
    let it = session();
    run(&it, "@noinline part(x) = x * x\nwhole(x) = 2 * part(x)\n@test at(whole, XS) ≈ 4 .* XS");
    let compiles = || it.timings().compiles;
    let first = compiles();
    run(&it, "unrelated(x) = x\n@test at(whole, XS) ≈ 4 .* XS");
    assert_eq!(compiles(), first);
    run(&it, "@noinline part(x) = 3x\n@test at(whole, XS) ≈ fill(6.0, 4)");
    assert!(compiles() > first);
    run(&it, "whole(x) = -x\n@test at(whole, XS) == fill(-1.0, 4)");
}

/// The maker of bodies is in no key, so its results are not kept for other sessions; their machine code is, by its inputs.
#[test]
fn another_session_asks_again() {
    let root = std::env::temp_dir().join(format!("kiln-forward-mode-{}", std::process::id()));
    let store = || StoreOptions {
        root: root.clone(),
        mode: StoreMode::ReadWrite,
        bytes_max: None,
        overlays: Vec::new(),
        verify_one_in: 0,
        remote: None,
    };
    let derive = |before: &str, wanted: &str| {
        let it = session_with(SessionOptions::new().store(Some(store())));
        run(&it, &format!("{before}\nwave(x) = sin(x)\n@test at(wave, XS) ≈ {wanted}"));
        it.timings().compiles
    };
    assert!(derive("", "map(cos, XS)") > 0);
    assert_eq!(derive("", "map(cos, XS)"), 0);
    assert!(derive("ForwardMode.slope(::typeof(sin), x, y) = 7x", "7 .* XS") > 0);
    std::fs::remove_dir_all(&root).unwrap();
}

/// A function that cannot be derived is an error, and so is a missing rule.
#[test]
fn what_cannot_be_derived_is_said() {
    let it = session();
    let said = |it: &Session, text: &str| it.run_text("test", text).unwrap_err().message;
    let text = said(&it, "bits(x) = reinterpret(Float64, reinterpret(Int64, x) + 1)\nat(bits, XS)");
    assert!(text.contains("`forward_mode` cannot make") && text.contains("bitcast"), "{text}");
    let _ = said(&it, "at(bits, XS)");
    run(&it, "bits(x) = 2x\n@test at(bits, XS) == fill(2.0, 4)");
    let other = Session::new(SessionOptions::default()).unwrap();
    let text = said(
        &other,
        "using CUDA
         using Base.Device: Owned, deferred
         k(a) = (a[1] = deferred(Owned{:unknown}(), sin, a[1]) == C_NULL ? 0.0 : 1.0; return)
         @cuda k(CUDA.zeros(Float64, 1))",
    );
    assert!(text.contains("no compiler called `unknown`") && text.contains("test:3"), "{text}");
}
