//! Random programs of kernels, and edits of them: functions that call functions below them, in the global table and in
//! an overlay, constants, modules, aliases, keywords, and the kernels that call it all.

use crate::edits::{Edit, Source};
use kiln_testing::random::Rng;

pub(crate) const KERNELS: usize = 6;
const FUNCTIONS: usize = 12;
const CONSTANTS: usize = 3;
const MODULES: usize = 2;
/// Functions from this one on may use aliases, modules and keywords, which lead to functions below it only.
const UPPER: usize = 4;

/// The prelude of every session. `outcome` is the state that a launch leaves, after the number of the kernel.
pub(crate) const PRELUDE: &str = r#"
using CUDA
Base.Experimental.@MethodTable T
const OPTIONS = (; method_tables = (T, CUDA.method_table))
function outcome(f)
    y = CUDA.zeros(Float64, 4)
    args = (cudaconvert(y),)
    handle = try
        Base.Device.compile(f, Tuple{map(Core.Typeof, args)...}, OPTIONS)
    catch e
        return string("not compiled: ", first(split(sprint(showerror, e), '\n')))
    end
    try
        Base.Device.launch_tuple(handle, f, (1, 1, 1), (4, 1, 1), 0, args, (y,))
    catch e
        return string(handle, " throws ", typeof(e))
    end
    return string(handle, " ", Array(y))
end
"#;

/// A text under construction, with its references.
#[derive(Default)]
struct Writing {
    mentions: Vec<String>,
}

impl Writing {
    fn name(&mut self, name: String) -> String {
        self.mentions.push(name.clone());
        name
    }

    /// A number, as function `n` may write it.
    fn term(&mut self, rng: &mut Rng, n: usize) -> String {
        match rng.below(10) {
            0 => self.name(format!("C{}", rng.below(CONSTANTS))),
            1 => format!("{}", rng.below(4)),
            2 => "x".into(),
            3 if n >= UPPER => format!("{}.part(x)", self.name(format!("M{}", rng.below(MODULES)))),
            4 if n >= UPPER => format!("{}(x)", self.name("A".into())),
            5 if n >= UPPER => {
                let given = ["", "; k = 3", "; k = 0.5"][rng.below(3)];
                format!("{}(x{given})", self.name("h".into()))
            }
            _ if n == 0 => "x + 1".into(),
            _ => {
                let inner = ["x", "x - 1", "2", "1.5"][rng.below(4)];
                format!("{}({inner})", self.name(format!("f{}", n - 1 - rng.below(n.min(4)))))
            }
        }
    }

    /// A body for function `n`.
    fn body(&mut self, rng: &mut Rng, n: usize) -> String {
        let (a, b) = (self.term(rng, n), self.term(rng, n));
        match rng.below(7) {
            0 | 1 => format!("{a} + {b}"),
            2 => format!("x > 2 ? {a} : {b}"),
            3 => format!("({a}) * 2 - ({b})"),
            4 => {
                let own = self.name(format!("f{n}"));
                format!("x <= 0 ? {a} : {own}(x - 1)")
            }
            5 => format!("({a}, {b})[{}]", 1 + rng.below(2)),
            _ => format!("begin s = {a}; for i in 1:3; s += {b}; end; s end"),
        }
    }

    fn into_edit(mut self, key: String, text: String) -> Edit {
        self.mentions.sort();
        Edit { key, text, mentions: self.mentions }
    }
}

fn function(rng: &mut Rng, n: usize, is_overlay: bool, ty: &str) -> Edit {
    let mut writing = Writing::default();
    let mark = ["@noinline ", "@noinline ", "@inline ", ""][rng.below(4)];
    let (table, tag) = if is_overlay { ("Base.Experimental.@overlay T ", "T") } else { ("", "") };
    let body = writing.body(rng, n);
    let text = format!("{table}{mark}f{n}(x::{ty}) = {body}");
    writing.into_edit(format!("f{n}|{tag}{ty}"), text)
}

fn kernel(rng: &mut Rng, n: usize) -> Edit {
    let mut writing = Writing::default();
    let (a, b) = (writing.term(rng, FUNCTIONS), writing.term(rng, FUNCTIONS));
    let text = format!("function k{n}!(y)\n x = Int(threadIdx().x)\n y[x] = {a} - {b}\n return\nend");
    writing.into_edit(format!("k{n}!|"), text)
}

fn constant(rng: &mut Rng, n: usize) -> Edit {
    let value = ["1", "2", "3", "2.5"][rng.below(4)];
    Writing::default().into_edit(format!("C{n}|"), format!("const C{n} = {value}"))
}

fn module(rng: &mut Rng, n: usize) -> Edit {
    let (mark, k) = (["@noinline ", ""][rng.below(2)], rng.below(3));
    let text = format!("module M{n}\nconst K = {k}\n{mark}part(x) = x + K\nend");
    Writing::default().into_edit(format!("M{n}|"), text)
}

fn alias(rng: &mut Rng) -> Edit {
    let mut writing = Writing::default();
    let name = writing.name(format!("f{}", rng.below(UPPER)));
    writing.into_edit("A|".into(), format!("const A = {name}"))
}

fn keywords(rng: &mut Rng) -> Edit {
    let mut writing = Writing::default();
    let (default, body) = (writing.name(format!("C{}", rng.below(CONSTANTS))), writing.term(rng, UPPER - 1));
    writing.into_edit("h|".into(), format!("h(x; k = {default}) = k * ({body})"))
}

/// An edit at random. The bool: nothing that a kernel could see.
pub(crate) fn edit(rng: &mut Rng, source: &Source) -> (Edit, bool) {
    let made = match rng.below(18) {
        0..=6 => {
            let (n, is_overlay) = (rng.below(FUNCTIONS), rng.below(4) == 0);
            let ty = ["Int", "Float64", "Real"][rng.below(3)];
            function(rng, n, is_overlay, ty)
        }
        7 => {
            let n = rng.below(CONSTANTS);
            constant(rng, n)
        }
        8 => {
            let n = rng.below(MODULES);
            module(rng, n)
        }
        9 => alias(rng),
        10 => keywords(rng),
        11 | 12 => {
            let n = rng.below(KERNELS);
            kernel(rng, n)
        }
        // The same again, elsewhere in the file.
        13 | 14 => {
            let at = rng.below(source.definitions.len());
            let (key, (text, mentions)) = source.definitions.iter().nth(at).unwrap();
            Edit { key: key.clone(), text: text.clone(), mentions: mentions.clone() }
        }
        15 | 16 => {
            let text = format!("unrelated{}(x) = x + {}", rng.below(3), rng.below(9));
            return (Writing::default().into_edit("unrelated|".into(), text), true);
        }
        _ => {
            let n = rng.below(3);
            let text = format!(
                "module Unrelated{n}\nexport one{n}\none{n}(x) = x\nstruct S end\nBase.:+(::S, ::S) = {n}\nend\nusing .Unrelated{n}"
            );
            return (Writing::default().into_edit("unrelated|".into(), text), true);
        }
    };
    (made, false)
}

/// A program to start with.
pub(crate) fn start(rng: &mut Rng) -> Source {
    let mut all: Vec<Edit> = (0..CONSTANTS).map(|n| constant(rng, n)).collect();
    all.extend((0..MODULES).map(|n| module(rng, n)));
    all.extend([alias(rng), keywords(rng)]);
    for n in 0..FUNCTIONS {
        all.extend(["Int", "Real"].map(|ty| function(rng, n, false, ty)));
    }
    all.extend((0..KERNELS).map(|n| kernel(rng, n)));
    let definitions = all.into_iter().map(|it| (it.key, (it.text, it.mentions)));
    Source { definitions: definitions.collect() }
}

/// The program as one text.
pub(crate) fn text(source: &Source) -> String {
    let mut text = String::from(PRELUDE);
    for n in 0..FUNCTIONS {
        text.push_str(&format!("function f{n} end\n"));
    }
    for first in ["C", "M", "A", "h", "f", "k"] {
        for (_, (definition, _)) in source.definitions.iter().filter(|it| it.0.starts_with(first)) {
            text.push_str(definition);
            text.push('\n');
        }
    }
    text
}
