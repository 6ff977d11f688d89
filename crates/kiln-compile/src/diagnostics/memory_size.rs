//! `memory-size`: memory of a group or of an item whose size would only be known when the kernel runs.

use super::span;
use crate::dialects::advice;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::{Type, datatype, module};

/// The library's functions that make such memory, and whose it is.
const MAKERS: [(&str, &str); 2] = [("shared_array", "shared"), ("private_array", "private")];

/// Memory whose size the launch gives, and how kernels have it.
pub fn of_launch(rt: &Runtime) -> String {
    let ways = advice(rt, "launched_memory");
    let ways = if ways.is_empty() { String::new() } else { format!(" ({})", ways.join("; ")) };
    format!("memory whose size the launch gives{ways}")
}

/// `None` if the call is none of such memory.
pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, types: &[Type]) -> Option<Diagnostic> {
    let def = &rt.types.type_name(datatype::name_of(&rt.types, *types.first()?)?).def;
    let is_it = |it: &&(&str, &str)| rt.types.name(def.name).trim_start_matches('#') == it.0;
    let (_, whose) =
        MAKERS.iter().find(is_it).filter(|_| module::path(&rt.types, def.module) == "Base.Device")?;
    let message = format!("the size of {whose} memory is only known when the kernel runs");
    let dynamic = match *whose {
        "shared" => {
            let sizes: String = advice(rt, "group_size").iter().map(|it| format!("; {it}")).collect();
            format!("{sizes}; or use {}", of_launch(rt))
        }
        _ => String::new(),
    };
    Some(
        Diagnostic::error("memory-size", message, span(loc))
            .with_label("the size does not follow from the types of the kernel's arguments")
            .with_help(format!(
                "write it as a number or a constant, or pass it to the kernel as a `Val`, and take it from that type{dynamic}"
            )),
    )
}
