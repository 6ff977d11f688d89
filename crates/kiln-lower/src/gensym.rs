//! Generated names: of the bodies of keyword functions, of the types of closures, of hidden globals.
//!
//! Such a name is a placeholder until its definition is lowered. Then it gets a suffix, a hash of the whole
//! definition: the same definition has the same names in every process, whatever precedes it.
//!
//! Evaluating a definition again yields the same names, so that its dependents stay valid. Exceptions, where two
//! evaluations must differ: closures of top-level code have a type each, a hidden global holds the variables of one
//! evaluation, and the hash does not see objects of this session.
//!
//! Locals from a macro's result carry numbers of the session; their positions replace these.

use kiln_ir::{CodeInfo, Lowered, LoweredStmt};
use kiln_types::{ConstData, Symbol, Types, consts, gensym};
use rustc_hash::FxHashMap;

/// Surrounds the number of a placeholder within a definition. It is not a valid character of names.
const MARK: char = '\u{10ffff}';

/// The purpose of a name, and its number among those of its definition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// The body of a keyword function.
    Keywords(u32),
    /// The type of a closure; `Once` if top-level code makes the closure, not a method.
    Closure(u32),
    Once(u32),
    /// The global that holds a local of top-level code.
    Hidden(u32),
}

/// Returns a placeholder that starts with `name`, until the definition is finished.
pub(crate) fn placeholder(types: &Types, name: &str, purpose: Purpose) -> Symbol {
    let (kind, number) = match purpose {
        Purpose::Keywords(it) => ('k', it),
        Purpose::Closure(it) => ('c', it),
        Purpose::Once(it) => ('o', it),
        Purpose::Hidden(it) => ('h', it),
    };
    types.symbol(&format!("#{name}#{MARK}{kind}{number}{MARK}"))
}

/// Returns the name without the marks of a placeholder.
pub(crate) fn plain(name: &str) -> &str {
    name.split(MARK).next().unwrap_or_default().trim_matches('#')
}

/// The name without a number of the session.
pub(crate) fn without_number(name: &str) -> &str {
    match gensym::around_number(name) {
        Some((before, "")) => before.trim_matches('#'),
        Some((_, after)) => after.trim_matches('#'),
        None => name,
    }
}

/// The names of the locals of one definition.
#[derive(Debug, Default)]
pub(crate) struct LocalNames(FxHashMap<Symbol, Symbol>);

impl LocalNames {
    /// The local's name, with its number among those of the definition instead of one of the session.
    pub(crate) fn renumbered(&mut self, types: &Types, name: Symbol) -> Symbol {
        let Some((before, after)) = gensym::around_number(types.name(name)) else { return name };
        let number = self.0.len() + 1;
        *self.0.entry(name).or_insert_with(|| types.symbol(&format!("{before}{number}{after}")))
    }
}

/// Gives every placeholder in a lowered definition its name. Whether evaluating it again gives the same names.
pub(crate) fn finish_names(types: &Types, code: &mut CodeInfo) -> bool {
    let mut marks: Vec<String> = Vec::new();
    each_symbol(types, code, &mut |symbol| {
        if let Some((_, mark, _)) = parts(types.name(symbol))
            && !marks.iter().any(|it| it == mark)
        {
            marks.push(mark.to_owned());
        }
        symbol
    });
    if marks.is_empty() {
        return true;
    }
    let (content, is_portable) = code.identity(types);
    let again = is_portable && !marks.iter().any(|it| it.starts_with('h'));
    let is_repeatable = again && !marks.iter().any(|it| it.starts_with('o'));
    let ends: FxHashMap<String, String> = marks
        .into_iter()
        .map(|mark| {
            let mut out = blake3::Hasher::new();
            out.update(&content.to_le_bytes()).update(mark.as_bytes()).update(&[u8::from(again)]);
            let mut hash = [0; 16];
            hash.copy_from_slice(&out.finalize().as_bytes()[..16]);
            let end = gensym::suffix(types, u128::from_le_bytes(hash), again && !mark.starts_with('o'));
            (mark, end)
        })
        .collect();
    each_symbol(types, code, &mut |symbol| match parts(types.name(symbol)) {
        Some((before, mark, after)) => types.symbol(&format!("{before}{}{after}", ends[mark])),
        None => symbol,
    });
    is_repeatable
}

/// Splits a name into the parts before, in and behind the marks.
fn parts(name: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = name.split_once(MARK)?;
    let (mark, after) = rest.split_once(MARK)?;
    Some((before, mark, after))
}

/// Replaces every symbol in which a placeholder may be.
fn each_symbol(types: &Types, code: &mut CodeInfo, change: &mut dyn FnMut(Symbol) -> Symbol) {
    code.name = change(code.name);
    for slot in &mut code.slots {
        slot.name = change(slot.name);
    }
    for param in &mut code.static_params {
        *param = change(*param);
    }
    for stmt in &mut code.stmts {
        if let LoweredStmt::GenericFunction(_, name) | LoweredStmt::DeclareGlobal { name, .. } = stmt {
            *name = change(*name);
        }
        stmt.each_operand_mut(|operand| match operand {
            Lowered::Global(_, name) => *name = change(*name),
            Lowered::Const(constant) => {
                if let ConstData::Symbol(symbol) = *types.const_data(*constant) {
                    let changed = change(symbol);
                    if changed != symbol {
                        *constant = consts::symbol(types, changed);
                    }
                }
            }
            Lowered::Ssa(_) | Lowered::Slot(_) | Lowered::StaticParam(_) => {}
        });
    }
    for body in &mut code.bodies {
        each_symbol(types, body, change);
    }
}

#[cfg(test)]
mod tests {
    use super::{LocalNames, without_number};
    use kiln_types::Types;

    /// Numbers of the session are dropped; the rest of a name stays.
    #[test]
    fn names_of_locals_count_from_their_definition() {
        let types = Types::new();
        let mut names = LocalNames::default();
        let given = ["#817#x", "##x#44", "x", "#817#x", "##91", "#817#y#z", "#x#3", "#", "##"];
        let expected = ["#1#x", "##x#2", "x", "#1#x", "##3", "#4#y#z", "#x#3", "#", "##"];
        assert_eq!(
            given.map(|it| types.name(names.renumbered(&types, types.symbol(it))).to_owned()),
            expected
        );
        assert_eq!(
            ["#817#x", "##x#44", "##91", "f", "#f#2"].map(without_number),
            ["x", "x", "", "f", "#f#2"]
        );
    }
}
