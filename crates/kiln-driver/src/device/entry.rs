//! A kernel that a device runs: its artifact, and what of its arguments and reports means something else there.

use super::DeviceProgram;
use super::addresses::{Meaning, number_of_symbol, visit};
use super::chosen::OpenDevice;
use crate::kernel_host::Driver;
use crate::thunk;
use kiln_compile::{
    Program, View, device::composition::symbol_number, device::finish::kept_machine_code, specialization,
};
use kiln_ir::{ThunkStep, ThunkValue};
use kiln_launch::{DeviceArtifact, DeviceError, DeviceKernel, Format, Handles, Param, ParamKind};
use kiln_runtime::Runtime;
use kiln_targets::TargetFacts;
use kiln_types::{Type, Types};
use kiln_unit::{GlobalRole, LinkInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An artifact and the kernels that devices have made of it: one for all jobs that came out equal.
#[derive(Debug)]
pub(crate) struct Loadable {
    artifact: DeviceArtifact,
    handles: Handles,
    /// Machine code of the same, for one processor only.
    exact: Option<Exact>,
}

#[derive(Debug)]
struct Exact {
    processor: String,
    artifact: DeviceArtifact,
    handles: Handles,
    /// A driver did not take it.
    is_refused: AtomicBool,
}

impl Loadable {
    /// The kernel on a device: its machine code if that is for this device, else what the driver compiles.
    fn kernel(&self, driver: &Driver, open: &OpenDevice) -> Result<Arc<dyn DeviceKernel>, DeviceError> {
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
                    driver
                        .compiler
                        .warn(&format!("the machine code of `{entry}` is not used, but its PTX: {why}"));
                }
            }
        }
        self.handles.get(&open.device, &self.artifact)
    }
}

/// The needs of a launch on a device beside the program.
#[derive(Debug)]
pub(crate) struct DeviceEntry {
    loadable: Arc<Loadable>,
    /// Types of the arguments, the function first.
    args: Vec<Type>,
    /// The reports of items must be handled whatever happens, and before later launches: they launch kernels.
    pub(super) has_essential: bool,
}

impl DeviceEntry {
    /// The kernel as a device has loaded it.
    pub(super) fn load(
        &self,
        driver: &Driver,
        open: &OpenDevice,
    ) -> Result<Arc<dyn DeviceKernel>, DeviceError> {
        self.loadable.kernel(driver, open)
    }

    /// Whether each launch has much memory for what items report or make.
    pub(super) fn has_large_record(&self) -> bool {
        self.loadable.artifact.reports || self.loadable.artifact.heap_bytes > 0
    }
}

/// The parameters of a kernel: those that code generation declares.
pub(super) fn params(types: &Types, facts: &TargetFacts, link: &LinkInfo, args: &[Type]) -> Vec<Param> {
    let traits = link.definitions.iter().find(|it| it.ordinal == 0).map(|it| it.traits).unwrap_or_default();
    let mut params = Vec::new();
    params.extend(traits.needs_state.then(|| Param::supplied(ParamKind::State)));
    let places = link.args.iter().zip(args).filter(|it| it.0.size > 0);
    params.extend(places.map(|(it, ty)| Param::of_block(kind(types, *ty), it.offset, it.size)));
    let has_dynamic_shared = traits.has_dynamic_shared && facts.abilities.passes_dynamic_shared;
    params.extend(has_dynamic_shared.then(|| Param::supplied(ParamKind::DynamicShared)));
    params
}

fn kind(types: &Types, ty: Type) -> ParamKind {
    let core = types.core();
    let is = |wrapper: Type| types.name_of(ty).is_some() && types.name_of(ty) == types.name_of(wrapper);
    if is(core.ptr) || is(core.llvm_ptr) || ty == core.symbol {
        ParamKind::Pointer
    } else if types.is_primitive(ty) {
        ParamKind::Value
    } else {
        ParamKind::Aggregate
    }
}

impl Driver {
    /// Returns a program that was made for a device, and the needs of its launches.
    pub(crate) fn device_entry(
        &self,
        rt: &Runtime,
        view: &View,
        made: DeviceProgram,
    ) -> Result<(DeviceEntry, Program), String> {
        let DeviceProgram { code, program } = made;
        let facts = &view.unit.facts;
        let loads = facts.loads.as_ref().and_then(|it| Some((Format::named(&it.object)?, it)));
        let (format, loads) = loads.ok_or_else(|| format!("no device runs code for {}", facts.name))?;
        let link = program.entry();
        let args = program.entry_function().code(rt).args.clone();
        let binary = loads.binary.as_ref().and_then(|it| Some((Format::named(&it.0)?, it.1.to_string())));
        let exact = binary.and_then(|it| {
            let subject = specialization(rt, program.entry_function().instance);
            Some((it, kept_machine_code(&self.compiler, facts, &subject, &code.composed.object)?))
        });
        let artifact = DeviceArtifact {
            format,
            code: code.composed.object,
            entry: code.symbol,
            params: params(&rt.types, facts, link, &args),
            args_bytes: link.args_bytes,
            reports: link.reports,
            heap_bytes: if link.allocates { view.heap_bytes.into() } else { 0 },
        };
        let exact = exact.map(|((format, processor), code)| Exact {
            processor,
            artifact: DeviceArtifact { format, code, ..artifact.clone() },
            handles: Handles::default(),
            is_refused: AtomicBool::new(false),
        });
        self.name_symbols(rt, &program);
        let has_essential = artifact.reports && has_essential(rt, &program);
        Ok((DeviceEntry { loadable: self.loadable(artifact, exact), args, has_essential }, program))
    }

    /// The one of an artifact.
    fn loadable(&self, artifact: DeviceArtifact, exact: Option<Exact>) -> Arc<Loadable> {
        let mut known = self.loadables.lock();
        if let Some(found) = known.iter().find(|it| it.artifact == artifact) {
            return found.clone();
        }
        let new = Arc::new(Loadable { artifact, handles: Handles::default(), exact });
        known.push(new.clone());
        new
    }

    /// Remembers which symbols the numbers in a program's code are.
    fn name_symbols(&self, rt: &Runtime, program: &Program) {
        let mut symbols = self.device_symbols.lock();
        for global in program.units().flat_map(|it| &it.body.link.globals) {
            match &global.role {
                GlobalRole::Name(name) => drop(symbols.insert(symbol_number(name), rt.types.symbol(name))),
                GlobalRole::Type(_) => {} // compared only, in a kernel
            }
        }
    }

    /// Gives symbols their numbers; where addresses are, and how many bytes are known to be there.
    pub(super) fn translate(
        &self,
        rt: &Runtime,
        entry: &DeviceEntry,
        link: &LinkInfo,
        bytes: &mut [u8],
    ) -> Vec<(usize, Option<u64>)> {
        let (mut addresses, mut symbols) = (Vec::new(), Vec::new());
        for (place, ty) in link.args.iter().zip(&entry.args).filter(|it| it.0.size > 0) {
            visit(&rt.types, *ty, (place.offset as usize, bytes), &mut |at, meaning| match meaning {
                Meaning::Symbol => symbols.push(at),
                Meaning::Address(known) => addresses.push((at, known)),
            });
        }
        for at in symbols {
            if let Some((number, symbol)) = word(bytes, at).and_then(|it| number_of_symbol(rt, it)) {
                set_word(bytes, at, number);
                self.device_symbols.lock().insert(number, symbol);
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
            let known = word(operands, at).and_then(|it| self.device_symbols.lock().get(&it).copied());
            let name = known.map_or("?", |it| rt.types.name(it));
            set_word(operands, at, rt.heap.box_value(rt.heap.symbol(name)));
        }
    }
}

/// Whether some of what items report is to be done whatever happens: calls of functions of the type `Base.Device.Essential`.
fn has_essential(rt: &Runtime, program: &Program) -> bool {
    let core = rt.types.core();
    let module = rt.base_global("Device").and_then(|it| it.as_module(core));
    let essential = module.and_then(|it| rt.global(it, rt.types.symbol("Essential")));
    let Some(essential) = essential.and_then(|it| it.as_type(core)) else { return false };
    let functions = program.units().flat_map(|it| &it.functions);
    let mut steps = functions.flat_map(|it| it.code(rt).throw_sites.values()).flat_map(|it| &it.thunk);
    steps.any(|step| match step {
        ThunkStep::Call(call) => match call.first() {
            Some(ThunkValue::Const(callee)) => rt.types.subtype(rt.types.typeof_const(*callee), essential),
            Some(ThunkValue::Operand(_) | ThunkValue::Step(_)) | None => false,
        },
        ThunkStep::New(..) => false,
    })
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
