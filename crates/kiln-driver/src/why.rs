//! Why what was compiled did not stay: the definition that ended a result, and the calls through which it did.

use crate::kernel_host::Driver;
use crate::typed::{View, specialization};
use kiln_ir::SourceLoc;
use kiln_runtime::tables::Definition;
use kiln_runtime::{Runtime, Value};
use kiln_types::Type;

/// Why a result ended, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Whose result it was: `device` or `host`.
    pub place: &'static str,
    /// What was defined: a method's signature, a global's name.
    pub definition: String,
    /// Where, if that is known: a file and a line.
    pub at: Option<(String, u32)>,
    /// From the function asked about to the one that depends on the definition itself, each calling the next.
    pub chain: Vec<String>,
    /// Nothing that it used turned out to have changed, so it was kept.
    pub kept: bool,
}

impl Driver {
    /// Why the results of `f` for these argument types ended, the last time each did: on the device, then on the host.
    /// Empty if none has.
    ///
    /// # Errors
    /// When no method takes the arguments.
    pub fn why(&self, rt: &Runtime, f: Value, tt: Type) -> Result<Vec<Ended>, String> {
        let mut types = vec![rt.heap.dispatch_type(f)];
        types.extend(rt.types.params(tt).iter().copied());
        let mut views: Vec<(&'static str, View)> =
            self.known_views(rt).into_iter().map(|it| ("device", it)).collect();
        views.push(("host", self.host_view(rt)));
        let mut all = Vec::new();
        let mut is_callable = false;
        for (place, view) in views {
            let Ok(instance) = rt.tables.dispatch_in(view.id(rt), &types, rt.tables.world()) else {
                continue;
            };
            is_callable = true;
            let Some(why) = rt.tables.why_ended(instance, view.owner) else { continue };
            let (definition, loc) = describe(rt, why.definition);
            all.push(Ended {
                place,
                definition,
                at: rt.frontend.place(loc),
                chain: why.chain.iter().map(|it| specialization(rt, *it)).collect(),
                kept: why.holds_again.is_some(),
            });
        }
        if is_callable { Ok(all) } else { Err("no method takes these arguments".into()) }
    }
}

fn describe(rt: &Runtime, definition: Definition) -> (String, SourceLoc) {
    let path = |module| rt.types.module_path(module);
    match definition {
        Definition::Method(id) => {
            let method = rt.tables.method(id);
            let shown = format!("{} {}", rt.types.name(method.name), rt.types.display(method.sig));
            (shown, method.loc)
        }
        Definition::Binding(module, name) => {
            let at = rt.tables.declared_at(module, name).unwrap_or(SourceLoc::NONE);
            (format!("{}.{}", path(module), rt.types.name(name)), at)
        }
        Definition::Using(user, used) => (format!("using {} in {}", path(used), path(user)), SourceLoc::NONE),
    }
}
