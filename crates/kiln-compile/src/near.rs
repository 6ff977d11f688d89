//! The known name that a misspelt one was perhaps meant to be.

use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::{Binding, MethodId, TableId};
use kiln_types::{Module, Symbol, module};

/// Finds the nearest of the names that code of `module` can use: its own, exports of what it uses, of `Base` and `Core`.
fn nearest_visible(rt: &Runtime, module: Module, given: &str) -> Option<String> {
    let (types, tables) = (&rt.types, &rt.tables);
    let mut modules =
        [vec![module], tables.bindings.usings(module), vec![Module::BASE, Module::CORE]].concat();
    modules.sort_unstable();
    modules.dedup();
    let names = |owner| tables.bindings.mentioned_names(owner).into_iter().map(move |name| (owner, name));
    let all = modules.into_iter().flat_map(names);
    let named = all.map(|(owner, name)| (types.name(name), (owner, name)));
    // Whether a name has a meaning and is visible costs more than how near it is.
    let mut near: Vec<_> = near(given, named.filter(|it| !it.0.contains('#'))).collect();
    near.sort_unstable_by_key(|it| (it.0, it.1));
    let is_visible = |&(owner, name): &(Module, Symbol)| {
        tables.bindings.has_meaning(owner, name)
            && (owner == module || tables.bindings.visibility(owner, name).0)
    };
    near.iter().find(|it| is_visible(&it.2)).map(|it| it.1.to_owned())
}

/// The names of the variables of the method around `loc`: the last that is defined before it in its file.
pub fn local_names(rt: &Runtime, loc: SourceLoc) -> Vec<String> {
    let ids = rt.tables.methods.methods_of_table(TableId::GLOBAL);
    // Files of the image are the rare case, and all its methods would be read for them.
    let (frozen, own): (Vec<_>, Vec<_>) = ids.into_iter().partition(|it| rt.tables.methods.is_frozen(*it));
    let around = |ids: Vec<MethodId>| {
        let methods = ids.into_iter().map(|it| rt.tables.method(it));
        let before = methods.filter(|it| it.loc.file() == loc.file() && it.loc.start() <= loc.start());
        before.max_by_key(|it| it.loc.start()).filter(|_| !loc.is_none())
    };
    let Some(method) = around(own).or_else(|| around(frozen)) else { return Vec::new() };
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
    let visible = || nearest_visible(rt, module, name).filter(|_| name.chars().count() > 1);
    let found = nearest(name, &local_names(rt, loc)).or_else(visible)?;
    Some(format!("did you mean `{found}`?"))
}

/// Returns advice about a name that several modules export, if a module gets it from several.
pub fn ambiguous(rt: &Runtime, module: Module, name: Symbol) -> Option<String> {
    let Binding::Ambiguous(one, other) = rt.tables.bindings.binding(module, name, rt.tables.world()).0 else {
        return None;
    };
    let mut from = [one, other].map(|it| module::path(&rt.types, it).trim_start_matches("Main.").to_owned());
    from.sort();
    let ([one, other], name) = (from, rt.types.name(name));
    Some(format!(
        "`{one}` and `{other}` both export `{name}`: write `{one}.{name}` or `{other}.{name}`, or say `using {one}: {name}`"
    ))
}

/// The known name that `given` was perhaps meant to be.
pub fn nearest(given: &str, known: &[String]) -> Option<String> {
    near(given, known.iter().map(|it| (it.as_str(), ())))
        .map(|it| (it.0, it.1))
        .min()
        .map(|it| it.1.to_owned())
}

/// The names at most a third of their letters away from `given`, and not equal to it, each with its distance and its owner.
fn near<'a, T>(
    given: &str,
    known: impl Iterator<Item = (&'a str, T)>,
) -> impl Iterator<Item = (usize, &'a str, T)> {
    let given: Vec<char> = given.chars().collect();
    let far = (given.len() / 3).max(1);
    let mut rows = Rows::default();
    known.filter_map(move |(name, owner)| {
        let steps = rows.distance(&given, name, far)?;
        (steps > 0).then_some((steps, name, owner))
    })
}

/// The rows of a table of distances between the beginnings of two texts: the last three.
#[derive(Default)]
struct Rows {
    other: Vec<char>,
    rows: [Vec<usize>; 3],
}

impl Rows {
    /// Counts the insertions, deletions, substitutions and exchanges of neighbours that make one text the other; `None` if
    /// they are more than `far`.
    fn distance(&mut self, a: &[char], b: &str, far: usize) -> Option<usize> {
        // A character has one to four bytes.
        if b.len() + far < a.len() || b.len() / 4 > a.len() + far {
            return None;
        }
        self.other.clear();
        self.other.extend(b.chars());
        let (b, [older, last, row]) = (&self.other, &mut self.rows);
        if b.len().abs_diff(a.len()) > far {
            return None;
        }
        last.clear();
        last.extend(0..=b.len());
        for (i, x) in a.iter().enumerate() {
            row.clear();
            row.push(i + 1);
            for (j, y) in b.iter().enumerate() {
                let mut least = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
                if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                    least = least.min(older[j - 1] + 1);
                }
                row.push(least);
            }
            // Rows do not fall; an exchange looks at most one row back.
            if row.iter().min() > Some(&far) && last.iter().min() > Some(&far) {
                return None;
            }
            std::mem::swap(older, last);
            std::mem::swap(last, row);
        }
        Some(last[b.len()]).filter(|it| *it <= far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_neighbours_are_one_step() {
        let distance = |a: &str, b, far| Rows::default().distance(&a.chars().collect::<Vec<_>>(), b, far);
        assert_eq!(distance("lenght", "length", 3), Some(1));
        assert_eq!(distance("", "ab", 2), Some(2));
        assert_eq!(distance("", "ab", 1), None);
        assert_eq!(distance("same", "same", 0), Some(0));
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
    }

    #[test]
    fn only_near_names_are_offered() {
        let known = ["length".to_owned(), "push!".to_owned()];
        assert_eq!(nearest("lenght", &known), Some("length".into()));
        assert_eq!(nearest("frobnicate", &known), None);
    }
}
