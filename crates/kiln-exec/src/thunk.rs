//! Running the thunk of a site: the steps that compiled code left to the host, over the operands it left with them.

use crate::value_form::ValueForm;
use kiln_compile::UnitFunction;
use kiln_ir::{ThrowSiteData, ThunkStep, ThunkValue};
use kiln_runtime::{Run, Runtime, Value};
use kiln_unit::Site;

/// Returns the body's data of a site; `None` for those that codegen itself made.
pub(crate) fn data<'a>(rt: &Runtime, function: &'a UnitFunction, site: &Site) -> Option<&'a ThrowSiteData> {
    function.code(rt).throw_sites.values().nth(site.site as usize)
}

/// Runs the site's steps over the operands in `bytes`, in the newest world.
pub(crate) fn run(rt: &Runtime, data: &ThrowSiteData, site: &Site, bytes: &[u8]) -> Run<()> {
    let operands = data.operands.iter().zip(&site.operands).map(|(ty, place)| {
        let range = place.offset as usize..(place.offset + place.size) as usize;
        let form = ValueForm::of(rt, *ty);
        form.map_or_else(|| rt.heap.nothing(), |it| it.unpack(rt, bytes.get(range).unwrap_or_default()))
    });
    let operands: Vec<Value> = operands.collect();
    let mut steps: Vec<Value> = Vec::with_capacity(data.thunk.len());
    for step in &data.thunk {
        let read = |it: &ThunkValue| match it {
            ThunkValue::Operand(n) => operands[*n as usize],
            ThunkValue::Step(n) => steps[*n as usize],
            ThunkValue::Const(constant) => rt.heap.value_of(*constant),
        };
        let value = match step {
            ThunkStep::New(ty, fields) => {
                let fields: Vec<Value> = fields.iter().map(read).collect();
                rt.heap.new_struct(*ty, &fields)
            }
            ThunkStep::Call(call) => {
                let call: Vec<Value> = call.iter().map(read).collect();
                let Some((callee, args)) = call.split_first() else { continue };
                rt.call_latest(*callee, args)?
            }
        };
        steps.push(value);
    }
    Ok(())
}
