//! A session with the real front end, virtual files, and no library but `boot.jl`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_ir::{Ast, CodeInfo, Expansion, Expr, ExprId, SourceLoc};
use kiln_lower::{GeneratedShape, LowerError, MacroCall, MacroHost};
use kiln_runtime::eval::{macros, toplevel};
use kiln_runtime::heap::{CollectionPolicy, collect, constants, fields, text};
use kiln_runtime::{
    ExpandError, FrontError, FrontStage, Frontend, GeneratedBody, HostIo, PackageSource, ParseRequest,
    ParsedFile, ParsedText, Run, Runtime, Thrown, Value,
};
use kiln_syntax::{FileId, Files};
use kiln_types::{Module, Types, display};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Front {
    files: Mutex<Files>,
}

struct Macros<'a> {
    rt: &'a Runtime,
    thrown: Option<(Box<Thrown>, Value)>,
}

impl MacroHost for Macros<'_> {
    fn call_macro(
        &mut self,
        ast: &mut Ast,
        module: Module,
        name: ExprId,
        call: MacroCall<'_>,
    ) -> Result<(ExprId, Module), LowerError> {
        let source = macros::source(self.rt, ast, call.line, call.loc);
        let result = macros::call(self.rt, ast, module, name, call.args, (source, call.loc));
        let result = result.map_err(|thrown| {
            self.thrown = Some((thrown, source));
            LowerError::new("macro-threw", "the macro threw", call.loc)
        })?;
        Ok((result.expr, result.method.map_or(module, |it| it.module)))
    }
}

fn front_error(error: LowerError) -> FrontError {
    FrontError { message: error.message, loc: error.loc, stage: FrontStage::Lower }
}

impl Frontend for Front {
    fn parse_file(&self, rt: &Runtime, name: &str, text: &str) -> ParsedFile {
        let id = self.files.lock().unwrap().add(name, text.to_owned()).unwrap_or(FileId::NONE);
        let parse = kiln_syntax::parse(text, id);
        let mut file = ParsedFile::default();
        file.exprs = kiln_lower::expr::to_ast(&parse, &rt.types, &mut file.ast);
        file.error = parse.diagnostics.first().map(|it| FrontError {
            message: it.message.clone(),
            loc: SourceLoc::NONE,
            stage: FrontStage::Parse,
        });
        file
    }
    fn parse_text(&self, rt: &Runtime, request: ParseRequest<'_>, ast: &mut Ast) -> ParsedText {
        let (parse, next) = kiln_syntax::parse_one(request.text, request.start);
        let exprs = kiln_lower::expr::to_ast(&parse, &rt.types, ast);
        let expr = exprs.into_iter().find(|it| !matches!(ast.expr(*it), Expr::Line { .. }));
        ParsedText { expr, next, ..ParsedText::default() }
    }
    fn expand(
        &self,
        rt: &Runtime,
        module: Module,
        ast: &mut Ast,
        expr: ExprId,
        expansion: Expansion,
    ) -> Result<ExprId, ExpandError> {
        let mut macros = Macros { rt, thrown: None };
        kiln_lower::expand(&rt.types, ast, module, expr, expansion, &mut macros).map_err(|error| match macros
            .thrown
            .take()
        {
            Some((thrown, source)) => ExpandError::Thrown(thrown, source),
            None => ExpandError::Front(front_error(error)),
        })
    }
    fn lower_toplevel(
        &self,
        rt: &Runtime,
        module: Module,
        ast: &mut Ast,
        expr: ExprId,
    ) -> Result<CodeInfo, FrontError> {
        kiln_lower::lower_toplevel(&rt.types, ast, module, expr, &kiln_lower::NoGlobals)
            .map(|it| it.0)
            .map_err(front_error)
    }
    fn lower_generated(&self, rt: &Runtime, ast: &mut Ast, body: GeneratedBody<'_>) -> Run<CodeInfo> {
        let expanded = toplevel::expand(rt, body.module, ast, body.body, Expansion::Whole)?;
        let shape = GeneratedShape {
            module: body.module,
            name: body.name,
            args: body.args,
            is_va: body.is_va,
            static_params: body.static_params,
            loc: body.loc,
        };
        kiln_lower::lower_generated(&rt.types, ast, &shape, expanded)
            .map_err(|it| toplevel::front_error(rt, front_error(it)))
    }
    fn place(&self, loc: SourceLoc) -> Option<(String, u32)> {
        let files = self.files.lock().unwrap();
        let file = files.get(FileId(loc.file()))?;
        Some((file.name.to_string(), file.lines().line(loc.start())))
    }
}

/// Files that exist only here.
struct VirtualFiles {
    files: BTreeMap<String, String>,
}

impl HostIo for VirtualFiles {
    fn read_file(&self, path: &str) -> std::io::Result<Vec<u8>> {
        self.files
            .get(path)
            .map(|it| it.clone().into_bytes())
            .ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }
    fn find_package(&self, name: &str) -> Option<PackageSource> {
        let path = format!("/packages/{name}/src/{name}.jl");
        let text = self.files.get(&path)?.clone();
        Some(PackageSource { path, text })
    }
}

/// The additions of the test library to `boot.jl`, in `Base`.
const LIBRARY: &str = "
import Core.Intrinsics: add_int, sub_int, mul_int, slt_int, sle_int
export esc, @generated, +, -, *, <, <=, ==, getproperty, iterate, convert
a::Int + b::Int = add_int(a, b)
a::Int - b::Int = sub_int(a, b)
a::Int * b::Int = mul_int(a, b)
a::Int < b::Int = slt_int(a, b)
a::Int <= b::Int = sle_int(a, b)
a == b = a === b
esc(e) = Expr(:escape, e)
macro generated(ex)
    body = Core.memoryrefnew(getfield(getfield(ex, :args), :ref), 2, true)
    made = Expr(:if, Expr(:generated), Core.memoryrefget(body, :not_atomic, true), Expr(:block))
    Core.memoryrefset!(body, Expr(:block, made), :not_atomic, true)
    Expr(:escape, ex)
end
getproperty(x, f::Symbol) = getfield(x, f)
convert(::Type{T}, x::T) where {T} = x
iterate(t::Tuple, i::Int = 1) = nfields(t) < i ? nothing : (getfield(t, i), i + 1)
";

/// A session in which these files exist. It collects at every `KILN_GC_STRESS`th safepoint, if that is set.
pub(crate) fn with_files(files: &[(&str, &str)]) -> Runtime {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let rt =
        Runtime::new(Arc::new(Types::new()), Box::new(Front::default()), Box::new(VirtualFiles { files }));
    let stress = kiln_testing::random::setting("KILN_GC_STRESS", 0);
    collect::set_policy(&rt.heap, CollectionPolicy { stress, ..CollectionPolicy::default() });
    let boot = include_str!("../../../../base/core/boot.jl");
    let more = "_typeof_captured_variable(x) = Typeof(x)";
    for (module, text) in [(Module::CORE, boot), (Module::CORE, more), (Module::BASE, LIBRARY)] {
        if let Err(thrown) = toplevel::eval_string(&rt, module, text) {
            panic!("the library: {}", describe(&rt, &thrown));
        }
    }
    rt
}

/// A session.
pub(crate) fn session() -> Runtime {
    with_files(&[])
}

/// An exception, for messages of tests.
pub(crate) fn describe(rt: &Runtime, thrown: &Thrown) -> String {
    let mut text = display::of_type(&rt.types, thrown.exception.ty());
    let fields = (0..fields::count(&rt.heap, thrown.exception))
        .filter_map(|at| fields::get(&rt.heap, thrown.exception, at));
    for field in fields {
        let shown = text::read(&rt.heap, field)
            .unwrap_or_else(|| display::of_const(&rt.types, constants::const_of(&rt.heap, field)));
        text.push_str(&format!(" {shown}"));
    }
    for frame in &thrown.trace {
        let place = rt.frontend.place(frame.loc);
        text.push_str(&format!("\n  in {} at {place:?}", rt.types.name(frame.name)));
    }
    text
}

/// The value of the last expression of a text evaluated in `Main`.
pub(crate) fn eval(rt: &Runtime, text: &str) -> Value {
    match toplevel::eval_string(rt, Module::MAIN, text) {
        Ok(value) => value,
        Err(thrown) => panic!("{}", describe(rt, &thrown)),
    }
}

/// The same, as an `Int`.
pub(crate) fn int(rt: &Runtime, text: &str) -> i64 {
    let value = eval(rt, text);
    value.as_int(rt.types.core()).unwrap_or_else(|| panic!("a {}", display::of_type(&rt.types, value.ty())))
}

/// The type of the exception a text throws.
pub(crate) fn thrown(rt: &Runtime, text: &str) -> String {
    let thrown = toplevel::eval_string(rt, Module::MAIN, text).unwrap_err();
    display::of_type(&rt.types, thrown.exception.ty())
}
