//! Why what was compiled did not stay: the definition that ended a result, and the calls through which it did.

use crate::error::InspectError;
use kiln_compile::{View, specialization};
use kiln_exec::{ExecEnv, host_view};
use kiln_ir::{Instance, IrCode, Lowered, SourceLoc};
use kiln_runtime::eval::generated;
use kiln_runtime::tables::{Definition, Edge, World};
use kiln_runtime::{Runtime, Value};
use kiln_types::{Type, datatype, display, module};

/// Why a result ended, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The place of the result: `device` or `host`.
    pub place: &'static str,
    /// The definition: a method's signature, a global's name.
    pub definition: String,
    /// Where, if that is known: a file and a line.
    pub at: Option<(String, u32)>,
    /// From the function asked about to the one that depends on the definition itself, each calling the next.
    pub chain: Vec<String>,
    /// Nothing that it used turned out to have changed, so it was kept.
    pub kept: bool,
}

/// Why the results of `f` for these argument types ended, the last time each did: on the device, then on the host.
/// Empty if none has.
///
/// # Errors
/// When no method takes the arguments.
pub fn why(env: &ExecEnv<'_>, f: Value, tt: Type) -> Result<Vec<Ended>, InspectError> {
    let ExecEnv { rt, exec } = *env;
    let mut types = vec![rt.heap.dispatch_type(f)];
    types.extend(datatype::params(&rt.types, tt).iter().copied());
    let mut views: Vec<(&'static str, View)> =
        exec.configs.known_views(rt).into_iter().map(|it| ("device", it)).collect();
    views.push(("host", host_view(rt, exec)));
    let mut all = Vec::new();
    let mut is_callable = false;
    for (place, view) in views {
        let Ok(instance) = rt.tables.dispatch_in(view.id(rt), &types, rt.tables.world()) else {
            continue;
        };
        is_callable = true;
        let Some(why) = rt.tables.why_ended(instance, view.owner) else { continue };
        let (definition, loc) = describe(rt, why.definition);
        let mut chain = why.chain.clone();
        if let Some(edge) = &why.edge {
            let search = Search { rt, view: &view, world: why.last, edge };
            let last = chain.last().copied().unwrap_or(instance);
            chain.extend(search.below(last, 0).unwrap_or_default());
        }
        all.push(Ended {
            place,
            definition,
            at: rt.frontend.place(loc),
            chain: chain.iter().map(|it| specialization(rt, *it)).collect(),
            kept: why.holds_again.is_some(),
        });
    }
    if is_callable { Ok(all) } else { Err(InspectError::NoMethod) }
}

/// Looks for the function that depends on a definition itself: a result that came from another session says of itself alone
/// what it and all that it calls depend on.
struct Search<'a> {
    rt: &'a Runtime,
    view: &'a View,
    /// A world in which the results held.
    world: World,
    /// The changed edge.
    edge: &'a Edge,
}

/// Calls are followed so deep.
const DEPTH_MAX: usize = 16;

impl Search<'_> {
    /// The calls from `instance` to that function, without the first and with the last; `None` if none is found.
    fn below(&self, instance: Instance, depth: usize) -> Option<Vec<Instance>> {
        let all = self.rt.tables.instances.results(instance);
        let typed = all.into_iter().find(|it| it.owner == self.view.owner && it.holds_in(self.world))?;
        let code = typed.code(self.rt)?;
        if self.reads(instance) {
            return Some(Vec::new());
        }
        let inlined = code.inlined_at.iter().skip(1);
        if let Some(it) = inlined.clone().find(|it| self.is_found(it.callee)) {
            return Some(inlined_through(code, it.parent));
        }
        let reader = (1..code.inlined_at.len()).find(|at| self.reads(code.inlined_at[*at].callee));
        if let Some(at) = reader {
            return Some(inlined_through(code, at as u32));
        }
        let calls = code.stmts.values().filter_map(|it| Some((it.op.callee()?, it.inlined)));
        let calls: Vec<(Instance, u32)> = calls.collect();
        if let Some((_, inlined)) = calls.iter().find(|it| self.is_found(it.0)) {
            return Some(inlined_through(code, *inlined));
        }
        calls.into_iter().filter(|it| it.0 != instance && depth < DEPTH_MAX).find_map(|(callee, inlined)| {
            let below = self.below(callee, depth + 1)?;
            Some([inlined_through(code, inlined), vec![callee], below].concat())
        })
    }

    /// Whether the look-up that changed found the method of this instance.
    fn is_found(&self, callee: Instance) -> bool {
        let method = self.rt.tables.instance_data(callee).method;
        matches!(self.edge, Edge::Lookup { found, .. } if found.contains(&method))
    }

    /// Whether the body of this instance reads the name that changed.
    fn reads(&self, instance: Instance) -> bool {
        let Edge::Binding(module, name) = self.edge else { return false };
        let global = Lowered::Global(*module, *name);
        let body = generated::instance_body(self.rt, instance);
        let Ok(body) = body else { return false };
        let mut reads = false;
        body.stmts.iter().for_each(|stmt| stmt.each_operand(|it| reads |= it == global));
        reads
    }
}

/// The functions inlined into one another down to the one at `at`, the outermost first.
fn inlined_through(code: &IrCode, mut at: u32) -> Vec<Instance> {
    let mut through = Vec::new();
    while let Some(it) = code.inlined_at.get(at as usize).filter(|_| at != 0) {
        through.push(it.callee);
        at = it.parent;
    }
    through.reverse();
    through
}

fn describe(rt: &Runtime, definition: Definition) -> (String, SourceLoc) {
    let path = |module| module::path(&rt.types, module);
    match definition {
        Definition::Method(id) => {
            let method = rt.tables.method(id);
            let shown = format!("{} {}", rt.types.name(method.name), display::of_type(&rt.types, method.sig));
            (shown, method.loc)
        }
        Definition::Binding(module, name) => {
            let at = rt.tables.bindings.declared_at(module, name).unwrap_or(SourceLoc::NONE);
            (format!("{}.{}", path(module), rt.types.name(name)), at)
        }
        Definition::Withdrawal => ("a look at compiled code".to_owned(), SourceLoc::NONE),
        Definition::Using(user, used) => (format!("using {} in {}", path(used), path(user)), SourceLoc::NONE),
    }
}
