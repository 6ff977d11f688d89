//! Compilers that own deferred calls and supply the bodies of functions for them.
//!
//! A call of `Base.Device.Owned{:name}()` goes to a method without a body of its own: the compiler registered as
//! `name` makes the body for the types of the call. The function is looked up and called like any other, mostly by
//! `deferred(Owned{:name}(), f, args...)`. The dependencies of the body are the code that its compiler asked for, and
//! the body stays on the code instance until one of them is redefined.

use crate::Runtime;
use crate::tables::{CodeInstance, TableId};
use kiln_ir::{Instance, IrCode};
use kiln_types::{ConstData, Module, Symbol, Type, TypeData, Types, datatype, module, unionall};
use parking_lot::RwLock;
use std::fmt;
use std::sync::Arc;

/// A compiler of deferred calls, registered for a session by [`own`].
pub trait DeferredCompiler: Send + Sync {
    /// Returns the body for the call that `job` describes: its `args` are those of [`DeferredJob::params`]. It may
    /// call everything that the job named; kiln verifies and optimizes it.
    ///
    /// # Errors
    /// Fails with the reason, for the user, when the body cannot be made.
    fn compile(&self, job: &mut dyn DeferredJob) -> Result<IrCode, DeferredError>;

    /// Derives the options for the code it asks for from those of the caller, for example a method table of its own
    /// (upstream's `nest_params`). The target is the caller's: the body becomes part of the caller's program.
    fn nest(&self, rt: &Runtime, parent: Nested) -> Nested {
        let _ = rt;
        parent
    }
}

/// The reason for which a body cannot be made, in the words of the compiler that owns the call.
///
/// # Examples
/// ```
/// let error = kiln_runtime::deferred::DeferredError::from("no derivative of `f` is known");
/// assert_eq!(error.to_string(), "no derivative of `f` is known");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredError(String);

impl From<String> for DeferredError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl From<&str> for DeferredError {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

impl From<DeferredError> for String {
    fn from(error: DeferredError) -> Self {
        error.0
    }
}

impl fmt::Display for DeferredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The inputs of inference of nested code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    /// Overlay tables, the front one first, on the runtime's own and the global one.
    pub tables: Vec<TableId>,
    /// Every call is inlined that can be.
    pub always_inline: bool,
}

/// The request to a compiler, and its access to others.
pub trait DeferredJob {
    /// The session.
    fn runtime(&self) -> &Runtime;

    /// The types of the call: the function that is given to the owner, then the arguments.
    fn call(&self) -> &[Type];

    /// The types of the arguments of the body: the owner itself, the function, a tuple of the arguments.
    fn params(&self) -> [Type; 3];

    /// Returns optimized typed code for a call of these types, the function's first. The body depends on it.
    ///
    /// # Errors
    /// When there is no one such method, or it cannot be inferred.
    fn typed(&mut self, call: &[Type]) -> Result<Arc<CodeInstance>, DeferredError>;

    /// Returns the instance for a call of these types, the function's first, to be called by the body.
    ///
    /// # Errors
    /// When there is no one such method.
    fn instance(&mut self, call: &[Type]) -> Result<Instance, DeferredError>;

    /// The instance of the same owner for a call of these types: to be called with the owner, the function and a tuple of
    /// the arguments.
    ///
    /// # Errors
    /// When the owner has no method, which would be a bug.
    fn owned(&mut self, call: &[Type]) -> Result<Instance, DeferredError>;
}

/// Compilers by name.
#[derive(Default)]
pub(crate) struct DeferredCompilers {
    all: RwLock<Vec<(Symbol, Arc<dyn DeferredCompiler>)>>,
}

/// Registers `compiler` for calls of `Owned{:name}`, before the first such call is compiled: existing bodies are
/// not made again.
pub fn own(rt: &Runtime, name: &str, compiler: Arc<dyn DeferredCompiler>) {
    let name = rt.types.symbol(name);
    let mut all = rt.deferred_compilers.all.write();
    all.retain(|it| it.0 != name);
    all.push((name, compiler));
}

/// The compiler registered by this name.
pub fn compiler(rt: &Runtime, name: Symbol) -> Option<Arc<dyn DeferredCompiler>> {
    rt.deferred_compilers.all.read().iter().find(|it| it.0 == name).map(|it| it.1.clone())
}

/// Returns the compiler that makes the body of this instance, if not kiln.
pub fn owner(rt: &Runtime, instance: Instance) -> Option<Symbol> {
    let signature = unionall::unwrap(&rt.types, rt.tables.instance_data(instance).spec_types);
    owner_name(&rt.types, *datatype::params(&rt.types, signature).first()?)
}

/// The name in a type `Base.Device.Owned{:name}`.
fn owner_name(types: &Types, ty: Type) -> Option<Symbol> {
    let definition = &types.type_name(datatype::name_of(types, ty)?).def;
    let module = definition.module;
    let is_owned = types.name(definition.name) == "Owned"
        && types.name(module::name(types, module)) == "Device"
        && module::parent(types, module) == Module::BASE;
    let [name] = datatype::params(types, ty) else { return None };
    let TypeData::Value(constant) = types.data(*name) else { return None };
    let ConstData::Symbol(name) = types.const_data(*constant) else { return None };
    is_owned.then_some(*name)
}
