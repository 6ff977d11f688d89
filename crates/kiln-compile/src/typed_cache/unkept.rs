//! Why typed code is not kept: a part of it, or of what it depends on, means nothing in another session.

use crate::naming::specialization;
use kiln_ir::Instance;
use kiln_runtime::Runtime;
use kiln_runtime::tables::MethodId;
use kiln_types::{Const, Module, Symbol, Type, display, module};

/// An obstacle to keeping a result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unkept {
    /// Another compiler made this body: it depends on that compiler.
    Owned(Instance),
    /// The generator of this body throws, or what it makes holds objects of the session.
    Generated(Instance),
    /// A look-up leaves overlays out: sessions cannot check what it finds.
    Original,
    /// A call was evaluated whose argument only this session has.
    Constant(Const),
    /// A look-up finds too much to be listed.
    Lookup(Type),
    /// The code of this callee ended, or another took its place.
    Outdated(Instance),
    /// The value of this name cannot be compared with that of another session.
    Name(Module, Symbol),
    /// The body of this method holds objects of the session, or its table has no name.
    Method(MethodId),
    /// The code holds objects of the session.
    Code,
    /// Inference's knowledge of the result holds objects of the session.
    Inference,
    /// A type or a constant of the result has no description that another session can read.
    Head,
    /// The same, of what depends on the library.
    Library,
}

impl Unkept {
    /// One line that names what stands in the way.
    pub(super) fn display(&self, rt: &Runtime) -> String {
        match *self {
            Self::Owned(it) => format!("another compiler made {}", specialization(rt, it)),
            Self::Generated(it) => format!("a generator made {}", specialization(rt, it)),
            Self::Original => "a look-up leaves overlays out".into(),
            Self::Constant(it) => format!("a call was evaluated for {}", display::of_const(&rt.types, it)),
            Self::Lookup(it) => format!("too many methods match {}", display::of_type(&rt.types, it)),
            Self::Outdated(it) => format!("there is no current code of {}", specialization(rt, it)),
            Self::Name(module, name) => {
                let module = rt.types.name(module::name(&rt.types, module));
                format!("the value of {module}.{} is not comparable", rt.types.name(name))
            }
            Self::Method(it) => {
                format!("the method {} holds objects", display::of_type(&rt.types, rt.tables.method(it).sig))
            }
            Self::Code => "the code holds objects".into(),
            Self::Inference => "what is inferred holds objects".into(),
            Self::Head => "its types cannot be described".into(),
            Self::Library => "what depends on the library cannot be described".into(),
        }
    }
}
