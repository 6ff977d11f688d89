//! A session with definitions, and the state of its results.

use kiln::internals::SessionInternals as _;
use kiln::{Session, SessionOptions};
use kiln_ir::{Op, wire};
use kiln_runtime::eval::toplevel;
use kiln_runtime::interp::define;
use kiln_runtime::tables::{CacheOwner, CodeInstance, TableId};
use kiln_types::{Type, datatype, display};
use std::fmt::Write as _;
use std::sync::Arc;

/// A session that runs program text.
pub(crate) struct Program {
    pub(crate) session: Session,
}

impl Program {
    pub(crate) fn new(text: &str) -> Self {
        // With one thread the program waits for its compiled code, so that counts are exact.
        let session = Session::new(SessionOptions::default().threads(1)).unwrap();
        let it = Self { session };
        it.run(text);
        it
    }

    pub(crate) fn run(&self, text: &str) {
        if let Err(failure) = self.session.run_text("program", text) {
            panic!("{failure:?} in\n{text}");
        }
    }

    /// The types of a call `f(A, B)`, the function's first.
    pub(crate) fn call(&self, call: &str) -> Vec<Type> {
        let (name, types) = call.split_once('(').unwrap();
        let types = types.strip_suffix(')').unwrap();
        let rt = self.session.runtime();
        let text = format!("Tuple{{Core.Typeof({name}), {types}}}").replace(", }", "}");
        let value = toplevel::eval_string(rt, self.session.main(), &text).unwrap();
        datatype::params(&rt.types, value.as_type(rt.types.core()).unwrap()).to_vec()
    }

    /// The overlay table bound to `name`.
    pub(crate) fn table(&self, name: &str) -> TableId {
        let rt = self.session.runtime();
        define::method_table(rt, toplevel::eval_string(rt, self.session.main(), name).unwrap()).unwrap()
    }

    pub(crate) fn typed(&self, call: &str, device: Option<&[TableId]>) -> Arc<CodeInstance> {
        kiln_inspect::typed(&self.session.exec_env(), &self.call(call), device).unwrap()
    }

    pub(crate) fn afresh(&self, call: &str, device: Option<&[TableId]>, owner: u128) -> Arc<CodeInstance> {
        let owner = CacheOwner::from_hash(owner);
        kiln_inspect::typed_afresh(&self.session.exec_env(), &self.call(call), device, owner).unwrap()
    }

    /// Bodies inferred so far.
    pub(crate) fn inferences(&self) -> u64 {
        self.session.runtime().tables.inference.inferred()
    }

    /// The constant a call always returns, if it does.
    pub(crate) fn constant(&self, call: &str, device: Option<&[TableId]>) -> Option<String> {
        let constant = self.typed(call, device).return_const?;
        Some(display::of_const(&self.session.runtime().types, constant))
    }

    /// Describes a result in words that mean the same in every session.
    pub(crate) fn said(&self, ci: &CodeInstance) -> String {
        let rt = self.session.runtime();
        let mut said = format!(
            "{} {:?} {:?}\n",
            display::of_type(&rt.types, ci.return_type),
            ci.effects,
            ci.edges.is_empty()
        );
        if let Some(it) = ci.return_const {
            let _ = writeln!(said, "always {}", display::of_const(&rt.types, it));
        }
        let Some(code) = ci.code(rt) else { return said };
        let _ = writeln!(said, "{:?}", wire::content_hash(&wire::write(code, &rt.types).body));
        for body in code.blocks.values() {
            for &stmt in &body.stmts {
                if let Op::Invoke(callee, _) = code.stmts[stmt].op {
                    let callee = rt.tables.current_instance(callee, rt.tables.world());
                    let data = rt.tables.instance_data(callee);
                    let method = rt.tables.method(data.method);
                    let _ = writeln!(
                        said,
                        "calls {} {} of {}",
                        rt.types.name(method.name),
                        display::of_type(&rt.types, data.spec_types),
                        display::of_type(&rt.types, method.sig)
                    );
                }
            }
        }
        said
    }
}
