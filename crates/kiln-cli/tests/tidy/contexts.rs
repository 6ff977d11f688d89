//! No struct is a context object: one that holds everything and does everything.

use std::collections::{BTreeMap, BTreeSet};

/// The most fields of a struct whose methods do work, counted through its private fields that are structs of its crate.
const FIELDS_MAX: usize = 12;

/// The most methods of a struct, in all of its `impl` blocks.
const METHODS_MAX: usize = 40;

/// A struct with no more methods than this is a record: its methods read it.
const RECORD_METHODS_MAX: usize = 12;

/// A struct that breaks the rule: crate, name, the most fields and (in tens) methods it may have, and the reason.
type Exception = (&'static str, &'static str, usize, usize, &'static str);

const EXCEPTIONS: &[Exception] = &[
    // Visitors, which live for one input and have a method for each form of it (record 97).
    ("kiln-syntax", "Lexer", 12, 50, "a method for each form of token"),
    ("kiln-syntax", "Parser", 11, 160, "a method for each rule of the grammar"),
    ("kiln-lower", "Converter", 6, 60, "a method for each form of the tree"),
    (
        "kiln-lower",
        "Desugar",
        27,
        290,
        "a method for each form of `Expr`, in the scopes of one top-level statement",
    ),
    ("kiln-lower", "Linearizer", 14, 90, "a method for each form of `Expr`, into the body of one function"),
    (
        "kiln-lower",
        "Resolver",
        20,
        40,
        "the scopes of one top-level statement, and the closures found in them",
    ),
    (
        "kiln-types",
        "Engine",
        16,
        130,
        "a method for each rule of subtyping, on the variables of one question",
    ),
    (
        "kiln-infer",
        "LocalInference",
        29,
        80,
        "a method for each statement and call, on the state of one body",
    ),
    ("kiln-infer", "SsaBuilder", 13, 50, "a method for each statement, on the values of one body"),
    (
        "kiln-codegen",
        "Emitter",
        27,
        290,
        "a method for each operation of the IR, on the values of one function, of kernels and of the host",
    ),
    (
        "kiln-codegen",
        "Entry",
        5,
        70,
        "a method for each function of an entry: loops, regions, meetings, rounds",
    ),
    ("kiln-codegen", "Emission", 22, 30, "the control flow of one vector loop, on the values of its lanes"),
    (
        "kiln-codegen",
        "Values",
        13,
        30,
        "the values of the lanes of one vector loop, by block, region and function",
    ),
    // The builder of LLVM's instructions, as in LLVM.
    ("kiln-codegen", "Module", 21, 240, "a method for each instruction, on LLVM's handles of one module"),
];

/// A struct of a crate.
#[derive(Default)]
struct Struct {
    /// Of each field, whether it is private, and its type.
    fields: Vec<(bool, String)>,
    methods: usize,
}

/// The struct that a field owns, behind whatever pointers and cells: `Inner` of `Arc<Mutex<Inner>>`. References do not own.
fn owned(ty: &str) -> &str {
    let mut ty = ty;
    let around = [
        "Box<",
        "Arc<",
        "Rc<",
        "Option<",
        "Cell<",
        "RefCell<",
        "Mutex<",
        "RwLock<",
        "OnceLock<",
        "OnceCell<",
    ];
    while let Some(inner) = around.iter().find_map(|it| ty.strip_prefix(it)) {
        ty = inner;
    }
    let end = ty.find(|it: char| !it.is_alphanumeric() && it != '_' && it != ':').unwrap_or(ty.len());
    ty[..end].rsplit("::").next().unwrap()
}

/// Text behind the visibility of an item, and whether it is public to other crates.
fn visible(line: &str) -> (&str, bool) {
    if let Some(rest) = line.strip_prefix("pub ") {
        return (rest, true);
    }
    let rest = line.strip_prefix("pub(").and_then(|it| it.split_once(") ")).map_or(line, |it| it.1);
    (rest, false)
}

/// The name at the start of a text.
fn name(text: &str) -> &str {
    &text[..text.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(text.len())]
}

/// The type that an inherent `impl` block is of.
fn implemented(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let rest = match rest.strip_prefix('<') {
        Some(generics) => {
            let mut depth = 1;
            let end = generics.find(|it| {
                depth += i32::from(it == '<') - i32::from(it == '>');
                depth == 0
            })?;
            &generics[end + 1..]
        }
        None => rest,
    };
    let rest = rest.trim_start();
    let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_' && it != ':').unwrap_or(rest.len());
    (!rest.contains(" for ")).then(|| rest[..end].rsplit("::").next().unwrap())
}

/// Whether a function whose first line this begins borrows `self`. One that takes and returns it builds options.
fn is_method(line: &str, next: &str) -> bool {
    let line = visible(line.trim_start()).0;
    let line =
        ["const ", "unsafe ", "async "].iter().fold(line, |it, word| it.strip_prefix(word).unwrap_or(it));
    let Some(rest) = line.strip_prefix("fn ") else { return false };
    let whole = format!("{rest} {}", next.trim_start());
    let Some((_, parameters)) = whole.split_once('(') else { return false };
    // The parameters of generic functions may be closures.
    let first = parameters.rsplit_once(">(").map_or(parameters, |it| it.1).trim_start();
    first.starts_with('&') && first.split([',', ')']).next().unwrap().ends_with("self")
}

/// The structs of a crate, and the files that define them: a few names are those of several.
type Structs = BTreeMap<String, Vec<(String, Struct)>>;

/// The struct that a name means in a file: its own, or the one of the nearest file.
fn meant<'a>(structs: &'a mut Structs, name: &str, file: &str) -> Option<&'a mut Struct> {
    let near = |it: &str| it.split('/').zip(file.split('/')).take_while(|it| it.0 == it.1).count();
    let all = structs.get_mut(name)?;
    all.iter_mut().max_by_key(|it| (it.0 == file, near(&it.0))).map(|it| &mut it.1)
}

/// The code of a file, as rustfmt leaves it: the first line of each item, and the lines in its braces.
fn items(text: &str) -> Vec<(&str, Vec<&str>)> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let mut lines = text[..end].lines().peekable();
    let mut items = Vec::new();
    while let Some(line) = lines.next() {
        let mut block = Vec::new();
        if line.starts_with(|it: char| it.is_alphabetic()) && !line.ends_with([';', '}']) {
            while let Some(line) = lines.next_if(|it| !it.starts_with('}')) {
                block.push(line);
            }
        }
        items.push((line, block));
    }
    items
}

/// The fields that the lines of a struct declare.
fn declared(block: &[&str]) -> Vec<(bool, String)> {
    let field = |line: &&str| {
        let (field, is_public) = visible(line.strip_prefix("    ")?);
        let (field, ty) = field.split_once(": ")?;
        (name(field) == field).then(|| (!is_public, ty.trim_end_matches(',').to_owned()))
    };
    block.iter().filter_map(field).collect()
}

/// The structs of the files of a crate, and the methods of all their `impl` blocks.
fn structs(files: &[(String, String)]) -> Structs {
    let mut found = Structs::new();
    for (file, text) in files {
        for (line, block) in items(text) {
            if let Some(rest) = visible(line).0.strip_prefix("struct ") {
                let it = Struct { fields: declared(&block), methods: 0 };
                found.entry(name(rest).to_owned()).or_default().push((file.clone(), it));
            }
        }
    }
    for (file, text) in files {
        for (line, block) in items(text) {
            let Some(it) = implemented(line).and_then(|of| meant(&mut found, of, file)) else { continue };
            let next = block.iter().skip(1).copied().chain([""]);
            let is_own = |it: &str| it.starts_with("    ") && !it.starts_with("     ");
            it.methods += block.iter().zip(next).filter(|it| is_own(it.0) && is_method(it.0, it.1)).count();
        }
    }
    found
}

/// The fields of a struct and of the structs that it holds in private fields, each counted once.
fn fields(structs: &Structs, of: &Struct, seen: &mut BTreeSet<String>) -> usize {
    let mut count = 0;
    for (is_private, ty) in &of.fields {
        let inner = structs.get(owned(ty)).filter(|_| *is_private && seen.insert(owned(ty).to_owned()));
        count += inner.map_or(1, |it| fields(structs, &it[0].1, seen).max(1));
    }
    count
}

#[test]
fn structs_are_counted() {
    let text = "pub struct A<'a> {\n    pub open: B,\n    /// Held.\n    held: Arc<B>,\n    by: &'a B,\n}\n\
                struct B {\n    pub(crate) x: u8,\n    y: u8,\n}\n\
                impl<'a> A<'a> {\n    pub fn f(&self) {\n        g(|it| it);\n    }\n    fn new(x: u8) -> Self {\n    }\n\
                    fn with(mut self) -> Self {\n    }\n    fn g(\n        &mut self,\n    ) {}\n}\n\
                impl Drop for A<'_> {\n    fn drop(&mut self) {}\n}\n";
    let other = "struct A {\n    z: u8,\n}\nimpl A {\n    fn h(&self) {}\n}";
    let found = structs(&[("x/a.rs".into(), text.into()), ("x/b.rs".into(), other.into())]);
    let counts = |it: &Struct| (fields(&found, it, &mut BTreeSet::new()), it.methods);
    assert_eq!(found["A"].iter().map(|it| counts(&it.1)).collect::<Vec<_>>(), [(4, 2), (1, 1)]);
    assert_eq!(counts(&found["B"][0].1), (2, 0));
}

/// A struct that holds much and does much hides which of it which work needs.
#[test]
fn no_struct_is_a_context_object() {
    let mut crates: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (name, text) in super::crate_sources() {
        let (krate, file) = name.strip_prefix("crates/").and_then(|it| it.split_once("/src/")).unwrap();
        if !["tests.rs", "testing.rs"].iter().any(|it| file.ends_with(it)) {
            crates.entry(krate.to_owned()).or_default().push((file.to_owned(), text));
        }
    }
    let (mut broken, mut used) = (Vec::new(), Vec::new());
    for (krate, files) in &crates {
        let all = structs(files);
        for (name, it) in all.iter().flat_map(|it| it.1.iter().map(move |own| (it.0, &own.1))) {
            let (fields, methods) = (fields(&all, it, &mut BTreeSet::from([name.clone()])), it.methods);
            if methods <= RECORD_METHODS_MAX || fields <= FIELDS_MAX && methods <= METHODS_MAX {
                continue;
            }
            match EXCEPTIONS.iter().find(|it| it.0 == krate && it.1 == name) {
                Some(it) if fields <= it.2 && methods <= it.3 => used.push(it.1),
                _ => broken.push(format!("{krate}: {name} has {fields} fields and {methods} methods")),
            }
        }
    }
    assert!(broken.is_empty(), "context objects:\n{}", broken.join("\n"));
    let unused: Vec<_> = EXCEPTIONS.iter().map(|it| it.1).filter(|it| !used.contains(it)).collect();
    assert!(unused.is_empty(), "no exceptions any more: {unused:?}");
}
