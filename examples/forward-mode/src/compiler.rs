//! The compiler that kiln asks for derivatives.

use crate::derive::{Rules, derive, derive_constant};
use kiln::deferred::ir::IrCode;
use kiln::deferred::{self, DeferredCompiler, DeferredError, DeferredJob, Nested, Type};
use kiln::internals::heap::constants;
use kiln::internals::{SessionInternals as _, define, toplevel};
use kiln::{Error, Session};
use std::sync::Arc;

/// Forward mode: for a call of `f, x..., dx...` a body that returns the value of `f(x...)` and its change for changes `dx`.
/// The change of what is no float is `nothing`.
struct ForwardMode {
    rules: Rules,
}

/// Lets kernels of this session ask for derivatives.
///
/// # Errors
/// When the session cannot run the part that is written in Julia.
pub(crate) fn install(session: &Session) -> Result<(), Error> {
    session.run_text("forward.jl", include_str!("forward.jl"))?;
    let rt = session.runtime();
    let value = |text: &str| {
        let value = toplevel::eval_string(rt, session.main(), text);
        value.map_err(|_| Error::program(format!("`{text}` means nothing")))
    };
    let tables = define::method_table(rt, value("ForwardMode.RULES")?).into_iter().collect();
    let [known, slope] = [value("ForwardMode.known")?.ty(), value("ForwardMode.slope")?.ty()];
    let slope_value = constants::const_of(&rt.heap, value("ForwardMode.slope")?);
    let rules = Rules { tables, known, slope, slope_value };
    deferred::own(rt, "forward_mode", Arc::new(ForwardMode { rules }));
    Ok(())
}

impl DeferredCompiler for ForwardMode {
    fn compile(&self, job: &mut dyn DeferredJob) -> Result<IrCode, DeferredError> {
        let call: Vec<Type> = job.call().to_vec();
        let (function, args) = call.split_first().ok_or("there is nothing to derive")?;
        if args.len() % 2 != 0 {
            return Err("every argument needs a change".into());
        }
        let half = args.len() / 2;
        let primal: Vec<Type> = std::iter::once(*function).chain(args[..half].iter().copied()).collect();
        let typed = job.typed(&primal)?;
        match (typed.code(job.runtime()), typed.return_const) {
            (Some(code), _) => Ok(derive(job, &self.rules, code, half)?),
            (None, Some(value)) => Ok(derive_constant(job, value)?),
            (None, None) => Err("what it calls has no body".into()),
        }
    }

    fn nest(&self, _: &kiln::deferred::Runtime, parent: Nested) -> Nested {
        let tables = self.rules.tables.iter().chain(&parent.tables).copied().collect();
        Nested { tables, ..parent }
    }
}
