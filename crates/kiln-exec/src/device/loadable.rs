//! Artifacts as devices load them, and the symbols that numbers in their code are.

use super::addresses::{Meaning, number_of_symbol, visit};
use super::opened::OpenDevice;
use crate::thunk;
use kiln_compile::{Compiler, Program, device::device_link::symbol_number};
use kiln_launch::{DeviceArtifact, DeviceError, DeviceKernel, LoadedKernels};
use kiln_runtime::Runtime;
use kiln_runtime::heap::boxes;
use kiln_types::{Symbol, Type};
use kiln_unit::{GlobalRole, LinkInfo};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An artifact and the kernels that devices have made of it: one for all jobs that came out equal.
#[derive(Debug)]
pub(crate) struct Loadable {
    pub(super) artifact: DeviceArtifact,
    handles: LoadedKernels,
    /// Machine code of the same, for one processor only.
    exact: Option<Exact>,
}

/// Machine code of an artifact, for one processor.
#[derive(Debug)]
pub(super) struct Exact {
    pub(super) processor: String,
    pub(super) artifact: DeviceArtifact,
    handles: LoadedKernels,
    /// A driver did not take it.
    is_refused: AtomicBool,
}

impl Exact {
    pub(super) fn new(processor: String, artifact: DeviceArtifact) -> Self {
        Self { processor, artifact, handles: LoadedKernels::default(), is_refused: AtomicBool::new(false) }
    }
}

impl Loadable {
    /// The kernel on a device: its machine code if that is for this device, else what the driver compiles.
    pub(super) fn kernel(
        &self,
        compiler: &Compiler,
        open: &OpenDevice,
    ) -> Result<Arc<dyn DeviceKernel>, DeviceError> {
        let fits = |it: &&Exact| {
            let is_taken = open.device.takes(it.artifact.format) && !it.is_refused.load(Ordering::Relaxed);
            is_taken && it.processor == open.facts.cpu
        };
        if let Some(exact) = self.exact.as_ref().filter(fits) {
            match exact.handles.get(&open.device, &exact.artifact) {
                Ok(kernel) => return Ok(kernel),
                Err(why) => {
                    exact.is_refused.store(true, Ordering::Relaxed);
                    let entry = &self.artifact.entry;
                    let why = format!("the machine code of `{entry}` is not used, but its PTX: {why}");
                    compiler.warn("machine-code-unused", why);
                }
            }
        }
        self.handles.get(&open.device, &self.artifact)
    }
}

/// The artifacts given to devices, and the symbols that numbers in their code are.
#[derive(Debug, Default)]
pub struct Loadables {
    all: Mutex<Vec<Arc<Loadable>>>,
    symbols: Mutex<FxHashMap<u64, Symbol>>,
}

impl Loadables {
    /// The one of an artifact.
    pub(super) fn intern(&self, artifact: DeviceArtifact, exact: Option<Exact>) -> Arc<Loadable> {
        let mut known = self.all.lock();
        if let Some(found) = known.iter().find(|it| it.artifact == artifact) {
            return found.clone();
        }
        let new = Arc::new(Loadable { artifact, handles: LoadedKernels::default(), exact });
        known.push(new.clone());
        new
    }

    /// Remembers which symbols the numbers in a program's code are.
    pub(super) fn name_symbols(&self, rt: &Runtime, program: &Program) {
        let mut symbols = self.symbols.lock();
        for global in program.units().flat_map(|it| &it.body.link.globals) {
            match &global.role {
                GlobalRole::Name(name) => drop(symbols.insert(symbol_number(name), rt.types.symbol(name))),
                GlobalRole::Type(_) => {} // compared only, in a kernel
                // Of host code.
                GlobalRole::Number(_)
                | GlobalRole::Instance(_)
                | GlobalRole::Constant { .. }
                | GlobalRole::Cell { .. } => {}
            }
        }
    }

    /// Gives symbols their numbers; where addresses are, and how many bytes are known to be there.
    pub(super) fn translate(
        &self,
        rt: &Runtime,
        (link, types): (&LinkInfo, &[Type]),
        bytes: &mut [u8],
    ) -> Vec<(usize, Option<u64>)> {
        let (mut addresses, mut symbols) = (Vec::new(), Vec::new());
        for (place, ty) in link.args.iter().zip(types).filter(|it| it.0.size > 0) {
            visit(&rt.types, *ty, (place.offset as usize, bytes), &mut |at, meaning| match meaning {
                Meaning::Symbol => symbols.push(at),
                Meaning::Address(known) => addresses.push((at, known)),
            });
        }
        for at in symbols {
            if let Some((number, symbol)) = word(bytes, at).and_then(|it| number_of_symbol(rt, it)) {
                set_word(bytes, at, number);
                self.symbols.lock().insert(number, symbol);
            }
        }
        addresses
    }

    /// Puts the addresses of symbols where a site's operands have their numbers, and the host's where they have a mirror's.
    pub(super) fn name_operands(
        &self,
        rt: &Runtime,
        program: &Program,
        site: u32,
        operands: &mut [u8],
        mirrors: &[Mirrored],
    ) {
        let Some((site, function)) = program.site(site) else { return };
        let Some(data) = thunk::data(rt, function, site) else { return };
        let (mut symbols, mut addresses) = (Vec::new(), Vec::new());
        for (ty, place) in data.operands.iter().zip(&site.operands) {
            let offset = place.offset as usize;
            visit(&rt.types, *ty, (offset, operands), &mut |at, meaning| match meaning {
                Meaning::Symbol => symbols.push(at),
                Meaning::Address(_) => addresses.push(at),
            });
        }
        for at in addresses {
            let host = word(operands, at).and_then(|it| mirrors.iter().find_map(|mirror| mirror.host_of(it)));
            host.into_iter().for_each(|it| set_word(operands, at, it));
        }
        for at in symbols {
            let known = word(operands, at).and_then(|it| self.symbols.lock().get(&it).copied());
            let name = known.map_or("?", |it| rt.types.name(it));
            set_word(operands, at, boxes::box_value(&rt.heap, rt.heap.symbol(name)));
        }
    }
}

/// A range of the host's memory that a launch found elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mirrored {
    pub(super) host: u64,
    pub(super) device: u64,
    pub(super) bytes: u64,
}

impl Mirrored {
    /// The host's address of one of the device's.
    fn host_of(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.device)?;
        (offset < self.bytes.max(1)).then(|| self.host + offset)
    }
}

pub(super) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|it| u64::from_le_bytes(*it))
}

pub(super) fn set_word(bytes: &mut [u8], at: usize, word: u64) {
    if let Some(place) = bytes.get_mut(at..).and_then(|it| it.first_chunk_mut()) {
        *place = word.to_le_bytes();
    }
}
