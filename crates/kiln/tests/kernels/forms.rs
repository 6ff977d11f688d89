//! The forms that a kernel runs in, and the comparison of their outcomes.

use crate::program::Program;
use kiln::internals::{Mutant, SessionInternals as _, TestOptions as _};
use kiln::{Barriers, Session, SessionOptions};
use kiln_runtime::heap::{memory, text};
use std::fmt;

/// A way to compile kernels.
pub(crate) struct Form {
    pub name: &'static str,
    /// The level of optimization of kernels; `None`: as launches have it.
    level: Option<u8>,
    options: fn(SessionOptions) -> SessionOptions,
    kernels: Kernels,
}

/// The kernels that are compiled in a form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kernels {
    All,
    /// Those whose items meet: for others the form is as the one before.
    WithBarriers,
    /// A share, unless all forms are asked for: the forms of this kind take turns.
    Share,
}

/// The forms of compiled kernels: the first is what the others are compared with. A new one is a line here.
pub(crate) const FORMS: [Form; 9] = [
    form("without optimization", Some(0), Kernels::All, |it| fibers(it).vector_bits(Some(0))),
    form("by items", None, Kernels::All, |it| fibers(it).vector_bits(Some(0))),
    form("by items in regions", None, Kernels::WithBarriers, |it| vectors(it, 0)),
    form("by default", None, Kernels::Share, |it| it),
    form("in vectors of 128 bits", None, Kernels::Share, |it| vectors(it, 128)),
    form("in vectors of 256 bits", None, Kernels::Share, |it| vectors(it, 256)),
    form("in vectors of 512 bits", None, Kernels::Share, |it| vectors(it, 512)),
    form("in vectors of 256 bits for one size of groups", None, Kernels::Share, |it| sized(it, 256)),
    form("in vectors of 512 bits for one size of groups", None, Kernels::Share, |it| sized(it, 512)),
];

const fn form(
    name: &'static str,
    level: Option<u8>,
    kernels: Kernels,
    options: fn(SessionOptions) -> SessionOptions,
) -> Form {
    Form { name, level, options, kernels }
}

/// The forms that a kernel is compiled in.
fn forms_of(program: &Program, has_all: bool) -> impl Iterator<Item = (usize, &'static Form)> {
    let shares = FORMS.iter().filter(|it| it.kernels == Kernels::Share).count();
    let turn = FORMS.len() - 1 - program.seed as usize % shares;
    let meets = program.meets;
    FORMS.iter().enumerate().filter(move |(at, it)| match it.kernels {
        Kernels::All => true,
        Kernels::WithBarriers => meets,
        Kernels::Share => has_all || *at == turn,
    })
}

fn fibers(options: SessionOptions) -> SessionOptions {
    options.barriers(Barriers::Fibers)
}

fn vectors(options: SessionOptions, bits: u32) -> SessionOptions {
    options.barriers(Barriers::Regions).vector_bits(Some(bits))
}

fn sized(options: SessionOptions, bits: u32) -> SessionOptions {
    options.barriers(Barriers::Sized).vector_bits(Some(bits))
}

const COMMON: &str = include_str!("common.jl");
const DEVICE: &str = include_str!("device.jl");
const HOST: &str = include_str!("host.jl");
/// The elements of an item in each output array; that of cells of atomics has none.
const SLOTS: usize = 3;
const OUTPUTS: [(&str, usize, Element); 7] = [
    ("of", SLOTS * 4, Element::Float32),
    ("od", SLOTS * 8, Element::Float64),
    ("oi", SLOTS * 4, Element::Bits(4)),
    ("ol", SLOTS * 8, Element::Bits(8)),
    ("oh", SLOTS * 2, Element::Bits(2)),
    ("ci", 0, Element::Bits(4)),
    ("cl", 0, Element::Bits(8)),
];

#[derive(Clone, Copy)]
enum Element {
    Float32,
    Float64,
    Bits(usize),
}

impl Element {
    fn bytes(self) -> usize {
        match self {
            Element::Float32 => 4,
            Element::Float64 => 8,
            Element::Bits(bytes) => bytes,
        }
    }

    /// Every NaN is the same, because which of its payloads an operation keeps is not Julia's to say.
    fn is_same(self, a: &[u8], b: &[u8]) -> bool {
        let single = |it: &[u8]| it.try_into().map(f32::from_le_bytes).is_ok_and(f32::is_nan);
        let double = |it: &[u8]| it.try_into().map(f64::from_le_bytes).is_ok_and(f64::is_nan);
        a == b
            || match self {
                Element::Float32 => single(a) && single(b),
                Element::Float64 => double(a) && double(b),
                Element::Bits(_) => false,
            }
    }

    fn shown(self, bytes: &[u8]) -> String {
        match self {
            Element::Float32 => bytes.try_into().map(|it| format!("{:e}", f32::from_le_bytes(it))),
            Element::Float64 => bytes.try_into().map(|it| format!("{:e}", f64::from_le_bytes(it))),
            Element::Bits(_) => Ok(format!("{bytes:02x?}")),
        }
        .unwrap_or_default()
    }
}

/// The memory that a launch leaves, and the exceptions that items threw: all of them, or the one that is reported.
pub(crate) struct Outcome {
    thrown: Vec<String>,
    outputs: Vec<Vec<u8>>,
}

/// A failure of the comparison.
#[derive(Debug)]
pub(crate) enum Difference {
    /// Two forms differ.
    Outcome(String),
    /// A form has no outcome: the kernel does not compile.
    Broken(String),
}

impl Difference {
    /// Whether it is the same kind of failure, also of a smaller program.
    pub(crate) fn is_like(&self, other: &Difference) -> bool {
        match (self, other) {
            (Difference::Outcome(_), Difference::Outcome(_)) => true,
            (Difference::Broken(a), Difference::Broken(b)) => a.lines().next() == b.lines().next(),
            _ => false,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Difference::Outcome(text) | Difference::Broken(text)) = self;
        f.write_str(text)
    }
}

/// A session per form, and one that interprets.
pub(crate) struct Bench {
    compiled: Vec<Session>,
    interpreter: Session,
    has_all_forms: bool,
}

/// The prelude of a program that the command runs.
pub(crate) fn prelude() -> String {
    format!("{COMMON}\n{DEVICE}")
}

impl Bench {
    pub(crate) fn new(has_all_forms: bool) -> Self {
        Self::with_mutant(has_all_forms, None)
    }

    /// All forms but the first are compiled wrongly.
    pub(crate) fn with_mutant(has_all_forms: bool, mutant: Option<Mutant>) -> Self {
        let with = |options: SessionOptions, text: &str| {
            let session = Session::new(options).unwrap();
            session.run_text("common", COMMON).unwrap();
            session.run_text("prelude", text).unwrap();
            session
        };
        let compiled = FORMS.iter().enumerate().map(|(at, form)| {
            let options = (form.options)(SessionOptions::new()).threads(1);
            with(if at == 0 { options } else { options.mutant(mutant) }, DEVICE)
        });
        let interpreter = with(SessionOptions::new().interpret_host(true), HOST);
        Self { compiled: compiled.collect(), interpreter, has_all_forms }
    }

    /// Compares all forms; `is_interpreted`: with the interpreter, too.
    pub(crate) fn difference(&self, program: &Program, is_interpreted: bool) -> Result<(), Difference> {
        let text = program.text();
        let mut reference = None;
        if is_interpreted {
            let call =
                format!("interpreted_launch({}, {}, {})", program.launch(), program.meets, program.scalars);
            reference = Some((
                "interpreted",
                run(&self.interpreter, &text, &call).map_err(Difference::Broken)?,
                true,
            ));
        }
        for (at, form) in forms_of(program, self.has_all_forms) {
            let session = &self.compiled[at];
            let level = form.level.map_or("nothing".to_owned(), |it| it.to_string());
            let call = format!("compiled_launch({}, {level}, {})", program.launch(), program.scalars);
            let outcome = run(session, &text, &call)
                .map_err(|it| Difference::Broken(format!("{}: {it}", form.name)))?;
            match &reference {
                None => reference = Some((form.name, outcome, false)),
                Some((name, expected, has_all)) => compare(program, expected, *has_all, &outcome)
                    .map_err(|it| Difference::Outcome(format!("{name} and {}: {it}", form.name)))?,
            }
        }
        Ok(())
    }
}

fn run(session: &Session, text: &str, call: &str) -> Result<Outcome, String> {
    session.run_text("program", text).map_err(|it| it.to_string())?;
    let outcome = session.evaluate(&format!("global LAST = {call}")).map_err(|it| it.to_string())?;
    let parts = session.elements(outcome);
    let heap = &session.runtime().heap;
    let thrown = String::from_utf8_lossy(text::bytes(heap, parts[0]));
    let thrown = thrown.split_whitespace().map(str::to_owned).collect();
    let outputs = parts[1..].iter().zip(OUTPUTS).map(|(it, (_, _, element))| {
        let mut bytes = vec![0; memory::len(heap, *it) * element.bytes()];
        memory::read(heap, *it, 0, &mut bytes);
        bytes
    });
    let outputs = outputs.collect();
    Ok(Outcome { thrown, outputs })
}

/// `has_all`: `expected` has the exceptions of all items.
fn compare(program: &Program, expected: &Outcome, has_all: bool, got: &Outcome) -> Result<(), String> {
    let known = |it: &String| match has_all {
        true => expected.thrown.contains(it),
        false => {
            expected.thrown.contains(it)
                || (program.throws.len() > 1 && program.throws.contains(&it.as_str()))
        }
    };
    if expected.thrown.is_empty() != got.thrown.is_empty() || !got.thrown.iter().all(known) {
        return Err(format!("{:?} was thrown, and {:?}", expected.thrown, got.thrown));
    }
    for (index, (name, of_item, element)) in OUTPUTS.into_iter().enumerate() {
        let (a, b) = (&expected.outputs[index], &got.outputs[index]);
        let used = if of_item == 0 { a.len() } else { of_item * program.size() };
        let pairs = a[..used].chunks(element.bytes()).zip(b[..used].chunks(element.bytes()));
        let differ: Vec<_> = pairs.enumerate().filter(|(_, (a, b))| !element.is_same(a, b)).collect();
        if let Some((at, (a, b))) = differ.first() {
            return Err(format!(
                "{name}[{}] is {}, and {}; {} elements differ",
                at + 1,
                element.shown(a),
                element.shown(b),
                differ.len()
            ));
        }
    }
    Ok(())
}
