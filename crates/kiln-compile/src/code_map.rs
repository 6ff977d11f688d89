//! The list of placed machine code that profilers read: `perf` takes names of code without a file from `/tmp/perf-PID.map`.
//!
//! A line is the address and the length in hexadecimal digits, and a name. Code is appended when it is placed, as profilers read the
//! list after the program has ended.

use crate::env::CompileEnv;
use crate::naming::specialization;
use crate::unit::BoundUnit;
use kiln_link::Linked;
use kiln_unit::Role;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;

/// Appends the functions of a placed unit to the session's list, if it keeps one.
pub fn list_code(env: &CompileEnv<'_>, unit: &BoundUnit, linked: &Linked) {
    let Some(path) = &env.compiler.options.code_map else { return };
    let mut placed: Vec<(u64, String)> = Vec::new();
    for it in &unit.body.link.definitions {
        let function = unit.functions.get(it.ordinal as usize);
        let (Some(address), Some(function)) = (linked.address(&it.symbol), function) else { continue };
        let form = match it.role {
            Role::Body => "",
            Role::Entry => " [entry]",
            Role::Lanes => " [lanes]",
        };
        placed.push((address, format!("{}{form}", specialization(env.rt, function.instance))));
    }
    placed.sort();
    let lines = lines(&placed, linked.code.0 + linked.code.1 as u64);
    let file = OpenOptions::new().create(true).append(true).open(path);
    if let Err(why) = file.and_then(|mut it| it.write_all(lines.as_bytes())) {
        env.compiler
            .warn(UNWRITTEN, format!("{}: {why}; profilers will not know compiled code", path.display()));
    }
}

/// The code of the warning that the list cannot be written.
const UNWRITTEN: &str = "code-map";

/// The lines of functions at ascending addresses, the last of which ends at `end`.
fn lines(placed: &[(u64, String)], end: u64) -> String {
    let mut lines = String::new();
    for (at, (address, name)) in placed.iter().enumerate() {
        let next = placed.get(at + 1).map_or(end, |it| it.0);
        let _ = writeln!(lines, "{address:x} {:x} {name}", next.saturating_sub(*address));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::lines;

    /// A function ends where the next begins.
    #[test]
    fn functions_have_addresses_lengths_and_names() {
        let placed = [(0x1000, "f Tuple{}".to_owned()), (0x1020, "g Tuple{}".to_owned())];
        assert_eq!(lines(&placed, 0x1028), "1000 20 f Tuple{}\n1020 8 g Tuple{}\n");
    }
}
