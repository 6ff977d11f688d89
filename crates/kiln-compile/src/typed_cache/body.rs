//! The body of a kept result, read on demand: a session that finds the unit too never does.

use super::names::NameIndex;
use super::places;
use kiln_ir::wire::{self, WireReader};
use kiln_ir::{Instance, IrCode};
use kiln_runtime::Runtime;
use kiln_runtime::tables::DeferredCode;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The bytes of a body, and what they mean in this session.
pub(super) struct KeptBody {
    names: Arc<NameIndex>,
    /// The body, then what only the host needs.
    bytes: Box<[u8]>,
    body_bytes: usize,
    calls: Vec<Instance>,
    inlined: Vec<Instance>,
    read: OnceLock<Option<Arc<IrCode>>>,
}

impl KeptBody {
    /// Of a body, beside what only the host needs, with the instances that it calls and those inlined into it.
    pub(super) fn new(
        names: Arc<NameIndex>,
        (body, host): (&[u8], &[u8]),
        (calls, inlined): (Vec<Instance>, Vec<Instance>),
    ) -> Self {
        let bytes = [body, host].concat().into();
        Self { names, bytes, body_bytes: body.len(), calls, inlined, read: OnceLock::new() }
    }

    fn read(&self, rt: &Runtime, instance: Instance) -> Option<IrCode> {
        let names = self.names.of(rt);
        let (body, host) = self.bytes.split_at(self.body_bytes);
        let mut code = WireReader::within(&rt.types, &names).read(body, Some(host)).ok()?;
        wire::bind(&mut code, &self.calls, &self.inlined).ok()?;
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
