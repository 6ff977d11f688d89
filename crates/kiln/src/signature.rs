//! Signatures `f(T1, T2)` of users, evaluated in `Main`.

use crate::{Error, Session};
use kiln_runtime::Value;
use kiln_runtime::eval::toplevel;
use kiln_types::{Module, Type};

/// Runs a file and evaluates a signature `f(T1, T2)` in it: the function and the tuple of the types.
pub(crate) fn run_and_evaluate(
    session: &Session,
    path: &str,
    signature: &str,
) -> Result<(Value, Type), Error> {
    session.run_file(path)?;
    function_and_types(session, signature)
}

/// A signature `f(T1, T2)`, evaluated in `Main`: the function and the tuple of the types.
pub(crate) fn function_and_types(session: &Session, signature: &str) -> Result<(Value, Type), Error> {
    let main = Module::MAIN;
    let wrong = || Error::usage(format!("error: `{signature}` is not of the form `f(T1, T2)`"));
    let open = signature.find('(').filter(|_| signature.trim_end().ends_with(')')).ok_or_else(wrong)?;
    let name = signature[..open].trim();
    let types = signature[open + 1..].trim_end().strip_suffix(')').ok_or_else(wrong)?;
    let evaluate =
        |text: &str| toplevel::eval_string(&session.rt, main, text).map_err(|it| session.failure(&it));
    let (function, tuple) =
        session.alone(|| Ok((evaluate(name)?, evaluate(&format!("Tuple{{{types}}}"))?)))?;
    tuple.as_type(session.rt.types.core()).map(|it| (function, it)).ok_or_else(wrong)
}
