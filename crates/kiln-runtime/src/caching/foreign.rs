//! Methods whose bodies are the IR of another front end.
//!
//! Look-up, replacement and invalidation treat such a method like any other. kiln does not read its body: for the
//! interpreter and inference the method throws. Its own compiler reads the body, and declares the dependencies of its
//! results as edges of their code instances.
//!
//! The body is also kept as bytes, so that images can store and compare it: it refers to functions and types by name,
//! not by ids of the session.

use super::Portable;
use crate::heap::Value;
use crate::tables::{Binding, CodeTables, Method, MethodDef, MethodId, NameError, TableId};
use kiln_bytes::{Read, Reader, Writer};
use kiln_ir::{CodeInfo, CodeMeta, Lowered, LoweredStmt, SlotInfo, SourceLoc};
use kiln_types::{ConstData, Module, Type, TypeData, consts, datatype, definition, unionall};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// IR of another front end, as the body of methods.
pub trait ForeignIr: Portable {
    /// The name: one type a name.
    const LANGUAGE: &'static str;
}

/// A foreign body.
pub(crate) struct ForeignSource {
    language: Box<str>,
    bytes: Box<[u8]>,
    decoded: OnceLock<Option<Arc<dyn Any + Send + Sync>>>,
}

impl fmt::Debug for ForeignSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {}", self.bytes.len(), self.language)
    }
}

impl ForeignSource {
    fn new<T: ForeignIr>(ir: T) -> Self {
        let bytes = ir.to_bytes().into();
        let ir: Arc<dyn Any + Send + Sync> = Arc::new(ir);
        Self { language: T::LANGUAGE.into(), bytes, decoded: OnceLock::from(Some(ir)) }
    }

    fn get<T: ForeignIr>(&self) -> Option<Arc<T>> {
        if *self.language != *T::LANGUAGE {
            return None;
        }
        let decoded = self.decoded.get_or_init(|| {
            let ir: Arc<dyn Any + Send + Sync> = Arc::new(T::from_bytes(&self.bytes)?);
            Some(ir)
        });
        decoded.clone()?.downcast::<T>().ok()
    }

    pub(crate) fn freeze(&self, out: &mut Writer) {
        out.str(&self.language);
        out.bytes(&self.bytes);
    }

    pub(crate) fn thaw(input: &mut Reader<'_>) -> Read<Self> {
        let language = input.str()?.into();
        let bytes = input.bytes()?.into();
        Ok(Self { language, bytes, decoded: OnceLock::new() })
    }
}

impl Method {
    /// Its body in the IR of another front end, if it is of this one.
    pub fn foreign<T: ForeignIr>(&self) -> Option<Arc<T>> {
        self.foreign.as_ref()?.get()
    }

    /// The language of its body, if it is another front end's.
    pub fn foreign_language(&self) -> Option<&str> {
        self.foreign.as_ref().map(|it| &*it.language)
    }
}

impl CodeTables {
    /// Returns the type of the function `name` of `module`, creating the function if the name is undefined.
    ///
    /// # Errors
    /// When the name means something other than a function, or belongs to another module.
    pub fn function(&self, module: Module, name: &str) -> Result<Type, NameError> {
        let name = self.types().symbol(name);
        if let Binding::Const(value) = self.bindings.binding(module, name, self.world()).0
            && self.types().subtype(value.ty(), self.types().core().function)
        {
            return Ok(value.ty());
        }
        let ty = definition::define_singleton(self.types(), name, module, self.types().core().function);
        self.define_const(module, name, Value::inline(ty, 0))?;
        Ok(ty)
    }

    /// Adds a method with a foreign body to a table, in a new world, and replaces one of equal signature. `sig` is
    /// `Tuple{typeof(f), ..}` inside the `UnionAll`s of its static parameters.
    ///
    /// # Panics
    /// When `sig` does not begin with the type of a function, or as [`CodeTables::add_method`] does.
    pub fn add_foreign_method<T: ForeignIr>(&self, table: TableId, sig: Type, ir: T) -> MethodId {
        let types = self.types();
        let params = datatype::params(types, unionall::unwrap(types, sig));
        let function = params.first().and_then(|it| datatype::name_of(types, *it));
        let function = types.type_name(function.expect("a signature begins with the type of a function"));
        let (name, module) = (function.def.name, function.def.module);
        let is_va = params.last().is_some_and(|it| matches!(types.data(*it), TypeData::Vararg { .. }));
        let source = Arc::new(ForeignSource::new(ir));
        let slot = |at: usize| SlotInfo {
            name: types.symbol(&format!("#{at}#")),
            unused: true,
            single_assignment: true,
        };
        // Two bodies that differ must not look the same to a comparison of their stand-ins.
        let tag = blake3::hash(&source.bytes).to_hex();
        let message = format!("`{}` is written in {} ({})", types.name(name), source.language, &tag[..16]);
        let message = types.constant(ConstData::String(message.into_bytes().into()));
        let exception = consts::of_type(types, types.core().error_exception);
        let stmts = vec![
            LoweredStmt::New([Lowered::Const(exception), Lowered::Const(message)].into()),
            LoweredStmt::Call([Lowered::Global(Module::CORE, types.symbol("throw")), Lowered::Ssa(0)].into()),
            LoweredStmt::Return(Lowered::Ssa(1)),
        ];
        let code = CodeInfo {
            name,
            module,
            slots: (0..params.len()).map(slot).collect(),
            nargs: params.len() as u32,
            is_va,
            static_params: unionall::outer_vars(types, sig)
                .into_iter()
                .filter_map(|it| var_name(types.data(it)))
                .collect(),
            locs: vec![SourceLoc::NONE; stmts.len()],
            stmts,
            bodies: Vec::new(),
            meta: CodeMeta::default(),
            loc: SourceLoc::NONE,
        };
        let def = MethodDef { name, module, sig, code: Arc::new(code), loc: SourceLoc::NONE };
        self.add_method_of(table, def, Some(source))
    }
}

fn var_name(var: &TypeData) -> Option<kiln_types::Symbol> {
    if let TypeData::Var { name, .. } = var { Some(*name) } else { None }
}
