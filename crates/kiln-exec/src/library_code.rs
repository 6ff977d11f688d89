//! Checks of code for programs without a session, which give it no output and no objects.

use crate::env::ExecEnv;
use crate::failure;
use crate::thunk;
use kiln_compile::device::{DeviceProgram, EntryAbi};
use kiln_compile::diagnostics::span;
use kiln_compile::{CompileError, UnitFunction};
use kiln_ir::{Op, SourceLoc};
use kiln_syntax::Diagnostic;
use kiln_unit::Site;

/// The code of these problems.
const CODE: &str = "ahead-of-time";

/// Refuses a program that prints, and a function that makes objects.
pub(crate) fn check_library_code(env: &ExecEnv<'_>, made: &DeviceProgram) -> Result<(), CompileError> {
    let (rt, link) = (env.rt, made.program.entry());
    let entry = made.program.entry_function();
    let method = rt.tables.method(rt.tables.instance_data(entry.instance).method);
    let place_of_entry =
        if env.exec.compiler.is_user_file(method.loc) { method.loc } else { SourceLoc::NONE };
    let refused = |problem: Diagnostic| Err(CompileError::limit(problem, [].into()));
    if link.reports {
        let numbers = 1..=made.program.site_count();
        let mut sites = numbers.filter_map(|it| made.program.site(it));
        let place = sites.find_map(|(site, function)| place_of_report(env, site, function));
        let place = place.unwrap_or(place_of_entry);
        return refused(
            Diagnostic::error(CODE, "code that is built ahead of time cannot print", span(place))
                .with_label("this prints")
                .with_help("remove it, or store what it would say in an array that the caller prints"),
        );
    }
    if link.allocates && made.code.params.abi == EntryAbi::Function {
        let name = rt.types.name(entry.code(rt).name).to_owned();
        return refused(
            Diagnostic::error(CODE, format!("`{name}` makes objects"), span(place_of_entry))
                .with_label("there is no memory for objects in a function that is built ahead of time")
                .with_help(
                    "return numbers or a tuple of them, and use no mutable objects that outlive the call",
                ),
        );
    }
    Ok(())
}

/// Where a site that reports is: the innermost place in the program's own files.
fn place_of_report(env: &ExecEnv<'_>, site: &Site, function: &UnitFunction) -> Option<SourceLoc> {
    let rt = env.rt;
    let is_it = |op: &Op| matches!(op, Op::Report(number, _) if number.as_u32() == site.site);
    if !function.code(rt).stmts.values().any(|it| is_it(&it.op)) {
        return None;
    }
    let data = thunk::data(rt, function, site)?;
    let mut frames = Vec::new();
    failure::frames(rt, function, (data.loc, data.inlined), &mut frames);
    frames.iter().map(|it| it.loc).find(|it| env.exec.compiler.is_user_file(*it))
}
