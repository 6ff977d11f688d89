//! The known name that a misspelt one was perhaps meant to be.

use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::{Binding, TableId};
use kiln_types::{Module, Symbol};

/// The names that code of `module` can use, and the module's own: exports of what it uses, `Base`, `Core`.
pub fn visible_names(rt: &Runtime, module: Module) -> Vec<String> {
    let (types, tables) = (&rt.types, &rt.tables);
    let modules =
        [vec![module], tables.usings(module), vec![types.base_module(), types.core_module()]].concat();
    let names = modules.into_iter().flat_map(|it| tables.names(it).into_iter().map(move |name| (it, name)));
    let seen = names.filter(|(owner, name)| *owner == module || tables.visibility(*owner, *name).0);
    seen.map(|it| types.name(it.1).to_owned()).filter(|it| !it.contains('#')).collect()
}

/// The names of the variables of the method around `loc`: the last that is defined before it in its file.
pub fn local_names(rt: &Runtime, loc: SourceLoc) -> Vec<String> {
    let methods = rt.tables.methods_of_table(TableId::GLOBAL).into_iter().map(|it| rt.tables.method(it));
    let before = methods.filter(|it| it.loc.file() == loc.file() && it.loc.start() <= loc.start());
    let around = before.max_by_key(|it| it.loc.start()).filter(|_| !loc.is_none());
    let Some(method) = around else { return Vec::new() };
    let slots = method.code.slots.iter().map(|it| it.name).chain(method.code.static_params.iter().copied());
    slots.map(|it| rt.types.name(it).to_owned()).filter(|it| !it.is_empty() && !it.contains('#')).collect()
}

/// The help for a name that is not defined: the known name it was perhaps meant to be, locals first.
pub fn advice(rt: &Runtime, module: Module, symbol: Symbol, loc: SourceLoc) -> Option<String> {
    if let Some(help) = ambiguous(rt, module, symbol) {
        return Some(help);
    }
    let name = rt.types.name(symbol);
    // Any name of one letter is a step from any other: of those only the few around are offered.
    let visible = || nearest(name, &visible_names(rt, module)).filter(|_| name.chars().count() > 1);
    let found = nearest(name, &local_names(rt, loc)).or_else(visible)?;
    Some(format!("did you mean `{found}`?"))
}

/// Returns advice about a name that several modules export, if a module gets it from several.
pub fn ambiguous(rt: &Runtime, module: Module, name: Symbol) -> Option<String> {
    let Binding::Ambiguous(one, other) = rt.tables.binding(module, name, rt.tables.world()).0 else {
        return None;
    };
    let mut from = [one, other].map(|it| rt.types.module_path(it).trim_start_matches("Main.").to_owned());
    from.sort();
    let ([one, other], name) = (from, rt.types.name(name));
    Some(format!(
        "`{one}` and `{other}` both export `{name}`: write `{one}.{name}` or `{other}.{name}`, or say `using {one}: {name}`"
    ))
}

/// The known name that `given` was perhaps meant to be.
pub fn nearest(given: &str, known: &[String]) -> Option<String> {
    let far = (given.chars().count() / 3).max(1);
    let scored = known.iter().map(|it| (distance(given, it), it)).filter(|it| it.0 > 0 && it.0 <= far);
    scored.min().map(|it| it.1.clone())
}

/// Insertions, deletions, substitutions and exchanges of neighbours that make one text the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(x != y)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_neighbours_are_one_step() {
        assert_eq!(distance("lenght", "length"), 1);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn only_near_names_are_offered() {
        let known = ["length".to_owned(), "push!".to_owned()];
        assert_eq!(nearest("lenght", &known), Some("length".into()));
        assert_eq!(nearest("frobnicate", &known), None);
    }
}
