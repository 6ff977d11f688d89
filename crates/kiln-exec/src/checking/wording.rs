//! Findings as diagnostics.

use super::arrays::Memory;
use super::place;
use crate::env::ExecEnv;
use crate::kernel::Kernel;
use kiln_compile::diagnostics::span;
use kiln_ir::SourceLoc;
use kiln_launch::{Finding, FindingKind, MemorySpace, Party};
use kiln_syntax::Diagnostic;

/// Returns the name of memory that a kernel has declared: by its place.
pub(super) fn declared(env: &ExecEnv<'_>, kernel: &Kernel, finding: &Finding) -> Option<Memory> {
    let what = match finding.space {
        MemorySpace::Shared => "shared memory",
        MemorySpace::Dynamic => "the dynamic shared memory",
        MemorySpace::Private => "private memory",
        MemorySpace::Global => return None,
    };
    let loc = place(env, kernel, finding.declared);
    let named = env.rt.frontend.place(loc).filter(|_| !loc.is_none());
    let name = match named {
        Some((file, line)) => format!("{what} of {file}:{line}"),
        None => what.to_owned(),
    };
    Some(Memory { name, place: format!("byte {}", finding.offset + 1) })
}

/// Returns how a finding is shown.
pub(super) fn diagnostic(
    kernel: &str,
    finding: &Finding,
    (here, there): (SourceLoc, SourceLoc),
    memory: Option<&Memory>,
) -> Diagnostic {
    let (code, what) = match finding.kind {
        FindingKind::OutOfBounds => ("out-of-bounds", "an access outside of"),
        FindingKind::UseAfterFree => ("use-after-free", "an access after `unsafe_free!` to"),
        FindingKind::ConstantWrite => ("constant-write", "a write to constant"),
        FindingKind::Race => ("race", "a race on"),
        FindingKind::Barrier => ("divergent-barrier", "items of a group do not meet at one barrier"),
        FindingKind::Uninit => ("uninitialized-read", "a read of what no item wrote in"),
    };
    let message = match (finding.kind, memory) {
        (FindingKind::Barrier, _) => format!("{what} of `{kernel}`"),
        (_, Some(memory)) => format!("{what} {}, {}, in `{kernel}`", memory.name, memory.place),
        (_, None) => format!("{what} memory at 0x{:x} in `{kernel}`", finding.address),
    };
    let mut diagnostic = Diagnostic::error(code, message, span(here)).with_label(act(finding, finding.party));
    if let Some(other) = finding.other {
        let text = act(finding, other);
        diagnostic = match other.site {
            0 => diagnostic.with_help(format!("{text}: barriers are for all items of a group")),
            _ => diagnostic.with_secondary(span(there), text),
        };
    }
    let help = help(finding);
    if help.is_empty() || diagnostic.help.is_some() { diagnostic } else { diagnostic.with_help(help) }
}

/// Says what a party does, and which item it is.
fn act(finding: &Finding, party: Party) -> String {
    let numbers = |it: [i64; 3]| format!("({}, {}, {})", it[0] + 1, it[1] + 1, it[2] + 1);
    let what = match (finding.kind, party.writes) {
        (FindingKind::Barrier, _) if party.site == 0 => "has returned",
        (FindingKind::Barrier, _) => "waits here",
        (_, true) => "writes here",
        (_, false) => "reads here",
    };
    let how = if party.is_atomic { " atomically" } else { "" };
    format!("item {} of group {} {what}{how}", numbers(party.item), numbers(party.group))
}

fn help(finding: &Finding) -> String {
    let same_group = finding.other.is_some_and(|it| it.group == finding.party.group);
    match finding.kind {
        FindingKind::Race if same_group => {
            "a barrier between the two accesses orders the items of a group; atomic operations need no order"
        }
        FindingKind::Race => {
            "groups run in any order: atomic operations with a fence, or two launches, order their items"
        }
        _ => "",
    }
    .to_owned()
}
