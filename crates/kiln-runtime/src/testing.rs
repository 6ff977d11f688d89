//! A session without a front end, for tests.

use crate::heap::{CollectionPolicy, Value, collect};
use crate::image::{ImageBytes, ImageError, Snapshot, Trust};
use crate::interp::define;
use crate::runtime::Runtime;
use crate::services::{Frontend, HostIo};
use crate::tables::{MethodDef, MethodId, TableId};
use crate::thrown::Run;
use kiln_ir::CodeInfo;
use kiln_testing::CodeBuilder;
use kiln_types::{Module, Symbol, Type, Types, datatype, display};
use std::sync::Arc;

/// A front end that can do nothing.
struct NoFrontend;

impl Frontend for NoFrontend {}

/// A machine without files or clocks.
struct NoIo;

impl HostIo for NoIo {}

/// A session with an empty `Base`. It collects at every `KILN_GC_STRESS`th safepoint, if that is set.
pub(crate) fn session() -> Runtime {
    let rt = Runtime::new(Arc::new(Types::new()), Box::new(NoFrontend), Box::new(NoIo));
    let stress = kiln_testing::random::setting("KILN_GC_STRESS", 0);
    collect::set_policy(&rt.heap, CollectionPolicy { stress, ..CollectionPolicy::default() });
    rt
}

/// A session from an image, in the same surroundings.
pub(crate) fn thawed(bytes: &[u8], trust: Trust) -> Result<Runtime, ImageError> {
    let image = Snapshot::open(ImageBytes::read(bytes.to_vec()), trust)?;
    Runtime::thaw(&image, Box::new(NoFrontend), Box::new(NoIo))
}

impl Runtime {
    pub(crate) fn main(&self, name: &str) -> (Module, Symbol) {
        (Module::MAIN, self.types.symbol(name))
    }
    /// The function `name` of `Main`, made if there is none.
    pub(crate) fn function(&self, name: &str) -> Value {
        let (main, name) = self.main(name);
        define::generic_function(self, main, name).unwrap()
    }
    /// Adds `name(::args...)` with this body.
    pub(crate) fn add(&self, name: &str, args: &[Type], code: CodeInfo) -> MethodId {
        let function = self.function(name);
        let mut elems = vec![function.ty()];
        elems.extend_from_slice(args);
        self.add_sig(datatype::tuple(&self.types, &elems), code)
    }
    pub(crate) fn add_sig(&self, sig: Type, code: CodeInfo) -> MethodId {
        self.add_to(TableId::GLOBAL, sig, code)
    }
    pub(crate) fn add_to(&self, table: TableId, sig: Type, code: CodeInfo) -> MethodId {
        let def =
            MethodDef { name: code.name, module: code.module, sig, loc: code.loc, code: Arc::new(code) };
        self.tables.add_method(table, def)
    }
    /// A body that returns a number.
    pub(crate) fn returns(&self, name: &str, args: &[&str], number: i64) -> CodeInfo {
        let mut code = CodeBuilder::new(&self.types, name, args);
        let value = code.int(number);
        code.ret(value);
        code.finish()
    }
    /// The `Int` a call gives.
    pub(crate) fn int_of(&self, result: Run) -> i64 {
        match result {
            Ok(value) => value.as_int(self.types.core()).unwrap(),
            Err(thrown) => panic!("threw {}", display::of_type(&self.types, thrown.exception.ty())),
        }
    }
}
