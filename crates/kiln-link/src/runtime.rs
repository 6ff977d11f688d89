//! Functions of this process that compiled code may call by name: C's mathematical library, and the runtime functions
//! that LLVM calls for operations that a processor lacks.

/// Runtime functions that compiled code may call by name, for operations that LLVM lowers to calls.
mod runtime_functions {
    unsafe extern "C" {
        pub(super) fn memcpy();
        pub(super) fn memmove();
        pub(super) fn memset();
        pub(super) fn memcmp();
        pub(super) fn fma();
        pub(super) fn fmaf();
        pub(super) fn fmod();
        pub(super) fn fmodf();
        pub(super) fn sin();
        pub(super) fn sinf();
        pub(super) fn cos();
        pub(super) fn cosf();
        pub(super) fn tan();
        pub(super) fn tanf();
        pub(super) fn asin();
        pub(super) fn asinf();
        pub(super) fn acos();
        pub(super) fn acosf();
        pub(super) fn atan();
        pub(super) fn atanf();
        pub(super) fn atan2();
        pub(super) fn atan2f();
        pub(super) fn sinh();
        pub(super) fn sinhf();
        pub(super) fn cosh();
        pub(super) fn coshf();
        pub(super) fn tanh();
        pub(super) fn tanhf();
        pub(super) fn exp();
        pub(super) fn expf();
        pub(super) fn exp2();
        pub(super) fn exp2f();
        pub(super) fn log();
        pub(super) fn logf();
        pub(super) fn log2();
        pub(super) fn log2f();
        pub(super) fn log10();
        pub(super) fn log10f();
        pub(super) fn pow();
        pub(super) fn powf();
        pub(super) fn cbrt();
        pub(super) fn cbrtf();
        pub(super) fn hypot();
        pub(super) fn hypotf();
        pub(super) fn expm1();
        pub(super) fn expm1f();
        pub(super) fn log1p();
        pub(super) fn log1pf();
        pub(super) fn round();
        pub(super) fn roundf();
        pub(super) fn ceil();
        pub(super) fn ceilf();
        pub(super) fn floor();
        pub(super) fn floorf();
        pub(super) fn trunc();
        pub(super) fn truncf();
        pub(super) fn rint();
        pub(super) fn rintf();
        pub(super) fn nearbyint();
        pub(super) fn nearbyintf();
        pub(super) fn sqrt();
        pub(super) fn sqrtf();
        pub(super) fn fabs();
        pub(super) fn fabsf();
        pub(super) fn fmin();
        pub(super) fn fminf();
        pub(super) fn fmax();
        pub(super) fn fmaxf();
        pub(super) fn copysign();
        pub(super) fn copysignf();
        pub(super) fn ldexp();
        pub(super) fn ldexpf();
        pub(super) fn __divti3();
        pub(super) fn __udivti3();
        pub(super) fn __modti3();
        pub(super) fn __umodti3();
        pub(super) fn __multi3();
        pub(super) fn __extendhfsf2();
        pub(super) fn __truncsfhf2();
        pub(super) fn __truncdfhf2();
        pub(super) fn __floattidf();
        pub(super) fn __floattisf();
        pub(super) fn __floatuntidf();
        pub(super) fn __floatuntisf();
        pub(super) fn __fixdfti();
        pub(super) fn __fixsfti();
        pub(super) fn __fixunsdfti();
        pub(super) fn __fixunssfti();
    }
}

macro_rules! address_table {
    ($wanted:expr, $($name:ident),* $(,)?) => {
        match $wanted {
            $(stringify!($name) => Some(runtime_functions::$name as *const () as usize as u64),)*
            _ => None,
        }
    };
}

/// Rounds to a `bfloat`, to the nearest and to even, which processors return in the low half of a float's register. It is
/// ours, since not every compiler's library has it.
extern "C" fn truncsfbf2(x: f32) -> f32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    f32::from_bits(if x.is_nan() { bits >> 16 | 0x40 } else { rounded })
}

/// The address of a runtime function that an object names.
pub fn runtime_symbol(name: &str) -> Option<u64> {
    if name == "__truncsfbf2" {
        return Some(truncsfbf2 as *const () as usize as u64);
    }
    operation(name).or_else(|| math(name))
}

/// Returns the address of an operation that LLVM calls where the processor lacks it.
fn operation(name: &str) -> Option<u64> {
    address_table!(
        name,
        memcpy,
        memmove,
        memset,
        memcmp,
        fma,
        fmaf,
        fmod,
        fmodf,
        __divti3,
        __udivti3,
        __modti3,
        __umodti3,
        __multi3,
        __extendhfsf2,
        __truncsfhf2,
        __truncdfhf2,
        __floattidf,
        __floattisf,
        __floatuntidf,
        __floatuntisf,
        __fixdfti,
        __fixsfti,
        __fixunsdfti,
        __fixunssfti,
    )
}

/// C's `math.h`: functions for intrinsics that the processor lacks, and for calls of programs.
#[rustfmt::skip] // a table
fn math(name: &str) -> Option<u64> {
    address_table!(
        name,
        sin, sinf, cos, cosf, tan, tanf, asin, asinf,
        acos, acosf, atan, atanf, atan2, atan2f, sinh, sinhf,
        cosh, coshf, tanh, tanhf, exp, expf, exp2, exp2f,
        log, logf, log2, log2f, log10, log10f, pow, powf,
        cbrt, cbrtf, hypot, hypotf, expm1, expm1f, log1p, log1pf,
        round, roundf, ceil, ceilf, floor, floorf, trunc, truncf,
        rint, rintf, nearbyint, nearbyintf, sqrt, sqrtf, fabs, fabsf,
        fmin, fminf, fmax, fmaxf, copysign, copysignf, ldexp, ldexpf,
    )
}
