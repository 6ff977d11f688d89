//! The body of a kept result, read on demand: a session that finds the unit too never does.

use super::names::NameIndex;
use super::{places, record};
use kiln_ir::wire::{self, WireReader};
use kiln_ir::{Instance, IrCode};
use kiln_runtime::Runtime;
use kiln_runtime::tables::{DeferredCode, MethodId};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The bytes of a body, and what they mean in this session.
pub(super) struct KeptBody {
    names: Arc<NameIndex>,
    /// The callees, the body, and the part for the host alone.
    bytes: Box<[u8]>,
    /// Where the body begins and ends.
    body: Range<usize>,
    /// The methods of the record.
    methods: Box<[MethodId]>,
    read: OnceLock<Option<Arc<IrCode>>>,
}

impl KeptBody {
    /// Of three sections: the callees, which refer to `methods`, the body, and the part for the host alone.
    pub(super) fn new(names: Arc<NameIndex>, parts: [&[u8]; 3], methods: Box<[MethodId]>) -> Self {
        let body = parts[0].len()..parts[0].len() + parts[1].len();
        Self { names, bytes: parts.concat().into(), body, methods, read: OnceLock::new() }
    }

    fn read(&self, rt: &Runtime, instance: Instance) -> Option<IrCode> {
        let names = self.names.of(rt);
        let Range { start, end } = self.body;
        let mut reader = WireReader::within(&rt.types, &names);
        let callees = reader.section(&self.bytes[..start]).ok()?;
        let [calls, inlined] = record::read_callees(rt, callees, &self.methods).ok()?;
        let mut code = reader.read(&self.bytes[start..end], Some(&self.bytes[end..])).ok()?;
        wire::bind(&mut code, &calls, &inlined).ok()?;
        places::attach(rt, instance, &mut code);
        kiln_ir::verify(&code, &rt.types).is_empty().then_some(code)
    }
}

impl DeferredCode for KeptBody {
    fn code(&self, rt: &Runtime, instance: Instance) -> Option<&Arc<IrCode>> {
        self.read.get_or_init(|| self.read(rt, instance).map(Arc::new)).as_ref()
    }
}

impl fmt::Debug for KeptBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a body of {} bytes", self.bytes.len())
    }
}
