//! Running the thunk of a site: the steps that compiled code left to the host, over the operands it left with them.

use crate::value_form::ValueForm;
use kiln_compile::UnitFunction;
use kiln_ir::{ThrowSiteData, ThunkStep, ThunkValue};
use kiln_runtime::heap::{constants, fields};
use kiln_runtime::{Run, Runtime, Value};
use kiln_unit::Site;

/// Operands and steps that nearly all sites have no more of: thunks may call functions that fail, and so on.
const FEW: usize = 16;
/// Operands and steps that need no allocation.
const MANY: usize = 240;

/// Returns the body's data of a site; `None` for those that codegen itself made.
pub(crate) fn data<'a>(rt: &Runtime, function: &'a UnitFunction, site: &Site) -> Option<&'a ThrowSiteData> {
    function.code(rt).throw_sites.values().nth(site.site as usize)
}

/// Runs the site's steps over the operands in `bytes`, in the newest world.
pub(crate) fn run(rt: &Runtime, data: &ThrowSiteData, site: &Site, bytes: &[u8]) -> Run<()> {
    // On the stack, where collections find them.
    let count = data.operands.len() + data.thunk.len();
    if count > FEW {
        return run_long((rt, data, site), bytes, count);
    }
    run_in((rt, data, site), bytes, &mut [rt.heap.nothing(); FEW])
}

#[inline(never)]
fn run_long(of: (&Runtime, &ThrowSiteData, &Site), bytes: &[u8], count: usize) -> Run<()> {
    let nothing = of.0.heap.nothing();
    match count <= MANY {
        true => run_in(of, bytes, &mut [nothing; MANY]),
        false => run_in(of, bytes, &mut vec![nothing; count]),
    }
}

/// As [`run`], with room for the operands and then the values of the steps.
fn run_in(
    (rt, data, site): (&Runtime, &ThrowSiteData, &Site),
    bytes: &[u8],
    values: &mut [Value],
) -> Run<()> {
    let operands = data.operands.iter().zip(&site.operands).map(|(ty, place)| {
        let range = place.offset as usize..(place.offset + place.size) as usize;
        let form = ValueForm::of(rt, *ty);
        form.map_or_else(|| rt.heap.nothing(), |it| it.unpack(rt, bytes.get(range).unwrap_or_default()))
    });
    let first = data.operands.len();
    values.iter_mut().zip(operands).for_each(|(to, value)| *to = value);
    for (at, step) in data.thunk.iter().enumerate() {
        let read = |it: &ThunkValue| match it {
            ThunkValue::Operand(n) => values[*n as usize],
            ThunkValue::Step(n) => values[first + *n as usize],
            ThunkValue::Const(constant) => constants::value_of(&rt.heap, *constant),
        };
        let value = match step {
            ThunkStep::New(ty, fields) => {
                let fields: Vec<Value> = fields.iter().map(read).collect();
                fields::new_struct(&rt.heap, *ty, &fields)
            }
            ThunkStep::Call(call) => {
                let call: Vec<Value> = call.iter().map(read).collect();
                let Some((callee, args)) = call.split_first() else { continue };
                rt.call_latest(*callee, args)?
            }
        };
        values[first + at] = value;
    }
    Ok(())
}
