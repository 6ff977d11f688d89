//! Passes alone, on bodies written as text: each file of `tests/passes` is a test.
//!
//! The first body of a file is the one that passes are run on; those after it are its callees `mi0`, `mi1` and so on. Lines
//! that begin with `#` are comments, but for these:
//!
//! - `#type Tuple{Int64, Int64}` declares a type that bodies mention: of core types, or of `Cell`, a mutable struct of one `Int64`;
//! - `#inline`, `#noinline` and `#propagate_inbounds` stand before a callee, and are what its author said;
//! - `#: sroa fold` runs these passes in this order; directives, or exact text in lines `#>`, follow.
//!
//! `KILN_BLESS=1` writes exact text. Every body is verified before and after.

use kiln_ir::{Builtin, CheckBounds, Inlining, Instance, IrCode, Vocabulary};
use kiln_opt::{Callee, Callees, OptParams};
use kiln_testing::{Section, Suite, Verdict, read, typed, verify};
use kiln_types::{Const, Type, Types, consts, core_types, datatype, display};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// The bodies of a file.
struct Program {
    types: Types,
    code: IrCode,
    callees: Vec<Callee>,
}

impl Callees for Program {
    fn body(&self, instance: Instance) -> Option<Callee> {
        self.callees.get(instance.as_u32() as usize).cloned()
    }
    fn builtin(&self, builtin: Builtin) -> Const {
        consts::symbol(&self.types, self.types.symbol(builtin.name()))
    }
}

/// The type that a line declares: a tuple or union of known types, or one of them.
fn declared(types: &Types, known: &[(String, Type)], text: &str) -> Result<Type, String> {
    if let Some((_, ty)) = known.iter().find(|it| it.0 == text) {
        return Ok(*ty);
    }
    let unknown = || format!("`{text}` is no type");
    let (head, params) = text.strip_suffix('}').and_then(|it| it.split_once('{')).ok_or_else(unknown)?;
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for it in params.chars() {
        depth += i32::from(it == '{') - i32::from(it == '}');
        match it {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().expect("there is one").push(it),
        }
    }
    let params: Result<Vec<Type>, String> =
        parts.iter().map(|it| declared(types, known, it.trim())).collect();
    match head {
        "Tuple" => Ok(datatype::tuple(types, &params?)),
        "Union" => Ok(types.union(&params?)),
        _ => Err(unknown()),
    }
}

fn vocabulary(types: &Types, text: &str) -> Result<Vocabulary, String> {
    let mut vocabulary = Vocabulary::core(types);
    let mut known: Vec<(String, Type)> =
        core_types::named(types).iter().map(|&(_, ty)| (display::of_type(types, ty), ty)).collect();
    known.push(("Cell".to_owned(), typed::define_cell(types)));
    for line in text.lines().filter_map(|it| it.strip_prefix("#type ")) {
        let ty = declared(types, &known, line)?;
        known.push((line.to_owned(), ty));
    }
    for (_, ty) in known {
        vocabulary.add_type(types, ty);
        vocabulary.add_const(types, consts::of_type(types, ty));
    }
    for name in ["a", "b", "c"] {
        vocabulary.add_const(types, consts::symbol(types, types.symbol(name)));
    }
    Ok(vocabulary)
}

/// What stands before a body, and its text.
#[derive(Default)]
struct Written {
    inlining: Inlining,
    propagate_inbounds: bool,
    text: String,
}

/// A line at the margin that opens neither a block nor a site opens a body.
fn bodies(text: &str) -> Vec<Written> {
    let (mut all, mut next) = (Vec::new(), Written::default());
    for line in text.lines().filter(|it| !it.is_empty()) {
        match line {
            "#inline" => next.inlining = Inlining::Always,
            "#noinline" => next.inlining = Inlining::Never,
            "#propagate_inbounds" => next.propagate_inbounds = true,
            _ if line.starts_with('#') => {}
            _ => {
                let opens =
                    !line.starts_with([' ', '}']) && !line.starts_with("bb") && !line.starts_with("site");
                if opens {
                    all.push(std::mem::take(&mut next));
                }
                let body = all.last_mut().expect("a body opens with its signature");
                body.text.push_str(line);
                body.text.push('\n');
            }
        }
    }
    all
}

fn program(text: &str) -> Result<Program, String> {
    let types = Types::new();
    let vocabulary = vocabulary(&types, text)?;
    let mut callees = Vec::new();
    for it in bodies(text) {
        let code = Arc::new(typed::read(&it.text, &types, &vocabulary)?);
        callees.push(Callee { code, inlining: it.inlining, propagate_inbounds: it.propagate_inbounds });
    }
    if callees.is_empty() {
        return Err("there is no body".to_owned());
    }
    let code = IrCode::clone(&callees.remove(0).code);
    Ok(Program { types, code, callees })
}

fn pass(name: &str, code: IrCode, program: &Program) -> Result<IrCode, String> {
    let (types, params) = (&program.types, OptParams::default());
    Ok(match name {
        "adce" => kiln_opt::eliminate_dead_stmts(code, types, program),
        "boxes" => kiln_opt::make_boxes(code, types),
        "check_bounds=yes" => kiln_opt::check_bounds(code, types, CheckBounds::Yes),
        "check_bounds=no" => kiln_opt::check_bounds(code, types, CheckBounds::No),
        "fold" => kiln_opt::fold(code, types, program),
        "inline" => kiln_opt::inline(code, types, program, &params),
        "scalarize_aggregates" => kiln_opt::scalarize_aggregates(code, types),
        "optimize" => kiln_opt::optimize(code, types, program, &params, &mut |_, _| {}),
        "reports" => kiln_opt::outline_reports(code, types, program),
        "simplify_cfg" => kiln_opt::simplify_cfg(code),
        "sroa" => kiln_opt::replace_objects(code, types),
        "throws" => kiln_opt::outline_throws(code, types, program),
        _ => return Err(format!("there is no pass `{name}`")),
    })
}

fn made(text: &str, section: &Section) -> Result<String, String> {
    let program = program(text)?;
    let mut code = program.code.clone();
    for name in &section.words {
        code = typed::verified(pass(name, code, &program)?, &program.types)
            .map_err(|it| format!("{name}: {it}"))?;
    }
    Ok(kiln_ir::compact(code).display(&program.types).to_string())
}

fn document(file: &Path) -> Verdict {
    let text = read(file);
    verify(file, &mut |section| made(&text, section))
}

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    Suite::new().files("", &folder, "ir", document).run()
}
