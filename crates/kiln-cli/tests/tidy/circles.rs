//! No import circle of a crate spans more than a few files.

use std::collections::{BTreeMap, BTreeSet};

/// The most files that may import each other in a circle.
const FILES_MAX: usize = 5;

/// The path of a module: `["a", "b"]` for `crate::a::b`.
type Path = Vec<String>;

/// The files of one crate, by the paths of their modules.
struct Crate(BTreeMap<Path, String>);

/// The path of the module that a file below `src/` is.
fn module(file: &str) -> Path {
    let mut path: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    path
}

/// The code of a file, without comments and without the tests at its end.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().filter(|it| !it.trim_start().starts_with("//"));
    lines.map(|it| it.split(" // ").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The parts of `a, b::{c, d}, e}`, up to the brace that closes them.
fn parts(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' => {
                parts.push(&group[start..at]);
                break;
            }
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|it| !it.trim().is_empty());
    parts
}

/// The paths that a tree of imports names: `a::{b, c::D}` names `a::b` and `a::c::D`.
fn paths(tree: &str) -> Vec<Path> {
    let tree = tree.trim_start();
    if let Some(group) = tree.strip_prefix('{') {
        return parts(group).into_iter().flat_map(paths).collect();
    }
    let end = tree.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(tree.len());
    let (name, rest) = tree.split_at(end);
    if name.is_empty() {
        return vec![Vec::new()];
    }
    let below = rest.strip_prefix("::").map_or_else(|| vec![Vec::new()], paths);
    below.into_iter().map(|it| [name.to_owned()].into_iter().chain(it).collect()).collect()
}

/// The absolute paths that a tree from `crate`, `super` or `self` names in a module.
fn absolute(here: &[String], tree: &str) -> Vec<Path> {
    let (mut base, mut tree) = (here.to_vec(), tree);
    if let Some(rest) = tree.strip_prefix("crate::") {
        (base, tree) = (Vec::new(), rest);
    } else if let Some(rest) = tree.strip_prefix("self::") {
        tree = rest;
    }
    while let Some(rest) = tree.strip_prefix("super::") {
        base.pop();
        tree = rest;
    }
    paths(tree).into_iter().map(|it| base.iter().cloned().chain(it).collect()).collect()
}

impl Crate {
    /// The module that a path goes to or through: a parent that exports items of its children stands for them. The root of the
    /// crate, which only declares and exports, is none.
    fn file(&self, path: &[String]) -> Option<Path> {
        let prefixes = (1..=path.len()).rev().map(|it| &path[..it]);
        prefixes.into_iter().find(|it| self.0.contains_key(*it)).map(<[String]>::to_vec)
    }

    /// The files that a file imports from, by paths from `crate`, `super` or `self`. A parent contains its children, it does not
    /// import them; a child imports its parent.
    fn imports(&self, here: &Path) -> BTreeSet<Path> {
        let text = &self.0[here];
        let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
        let starts = ["crate::", "super::", "self::"].into_iter().flat_map(|it| text.match_indices(it));
        let roots = starts.map(|it| it.0).filter(|at| !text[..*at].ends_with(is_part));
        let named = roots.flat_map(|at| absolute(here, &text[at..]));
        named.filter_map(|it| self.file(&it)).filter(|it| it != here).collect()
    }

    /// The groups of files that import each other, the largest first.
    fn circles(&self) -> Vec<Vec<String>> {
        let imports: BTreeMap<&Path, BTreeSet<Path>> =
            self.0.keys().map(|it| (it, self.imports(it))).collect();
        let reach = |from: &Path| {
            let (mut seen, mut left) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(at) = left.pop() {
                left.extend(imports[&at].iter().filter(|it| seen.insert((*it).clone())).cloned());
            }
            seen
        };
        let reached: BTreeMap<&Path, BTreeSet<Path>> = self.0.keys().map(|it| (it, reach(it))).collect();
        let circle = |of: &&Path| -> Vec<String> {
            let back = reached[*of].iter().filter(|it| reached[it].contains(*of));
            back.map(|it| it.join("::")).collect()
        };
        let mut circles: Vec<Vec<String>> = self.0.keys().map(|it| circle(&it)).collect();
        circles.sort_by_key(|it| std::cmp::Reverse(it.len()));
        circles.dedup();
        circles
    }
}

#[test]
fn imports_are_found() {
    let text = "use crate::{a::{B, c}, d};\nfn f() { super::e::g(); super::here::child::h::<u8>(); e::i() }";
    let file = |it: &str| (module(it), String::new());
    let mut files: BTreeMap<Path, String> =
        ["a.rs", "d/mod.rs", "e.rs", "here/child.rs", "lib.rs"].map(file).into();
    files.insert(module("here/mod.rs"), text.to_owned());
    files.insert(module("a.rs"), "pub(crate) use crate::d::B;\nuse crate::here::F;".to_owned());
    let found = Crate(files);
    let names = |it: BTreeSet<Path>| it.into_iter().map(|it| it.join("::")).collect::<Vec<_>>();
    assert_eq!(names(found.imports(&module("here/mod.rs"))), ["a", "d", "e", "here::child"]);
    assert_eq!(found.circles()[0], ["a", "here"]);
}

/// Files that import each other are read, tested and changed together: few of them are.
#[test]
fn import_circles_are_small() {
    let mut crates: BTreeMap<String, BTreeMap<Path, String>> = BTreeMap::new();
    for (name, text) in super::crate_sources() {
        let (krate, file) = name.strip_prefix("crates/").and_then(|it| it.split_once("/src/")).unwrap();
        if ["tests.rs", "testing.rs"].iter().any(|it| file.ends_with(it)) {
            continue;
        }
        crates.entry(krate.to_owned()).or_default().insert(module(file), code(&text));
    }
    for (name, files) in crates {
        let circles = Crate(files).circles();
        let largest = &circles[0];
        assert!(largest.len() <= FILES_MAX, "{name}: these files import each other: {largest:?}");
    }
}
