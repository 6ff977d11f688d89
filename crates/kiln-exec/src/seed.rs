//! Seeds of the random numbers that kernels draw.
//!
//! A launch whose items draw some draws a number of its own from the host's generator, so that `Random.seed!` settles what
//! they are. Others draw none: their programs' numbers stay what they are.

use kiln_launch::Seed;
use kiln_runtime::tables::CodeInstance;
use kiln_runtime::{Run, Runtime};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The module of Base that draws, and its functions: what kernels call for the seed, and what the host makes it by.
const MODULE: &str = "DeviceRandom";
const ASKED: &str = "launch_seed";
const DRAWN: &str = "draw_seed";

/// Whether items of a kernel ask for the seed.
pub(crate) fn is_drawn_from(rt: &Runtime, parts: &[Arc<CodeInstance>]) -> bool {
    let asked = rt.types.symbol(ASKED);
    let module = rt.base_global(MODULE).and_then(|it| it.as_module(rt.types.core()));
    parts.iter().any(|typed| {
        let method = rt.tables.method(rt.tables.instance_data(typed.instance).method);
        method.name == asked && Some(method.module) == module
    })
}

/// Returns the seed of a launch; `seeded` counts the launches that were given one.
///
/// # Errors
/// When the library cannot draw.
pub(crate) fn draw_seed(rt: &Runtime, seeded: &AtomicU32) -> Run<Seed> {
    let module = rt.base_global(MODULE).and_then(|it| it.as_module(rt.types.core()));
    let draw = module.and_then(|it| rt.global(it, rt.types.symbol(DRAWN)));
    let draw = draw.ok_or_else(|| rt.error(&format!("the library has no {MODULE}.{DRAWN}")))?;
    let value = rt.call(draw, &[])?.as_int(rt.types.core()).unwrap_or_default() as u64;
    // Never 0, also when it comes round.
    let launch = seeded.fetch_add(1, Ordering::Relaxed).wrapping_mul(2) | 1;
    Ok(Seed { value, launch })
}
