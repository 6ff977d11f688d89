//! A kernel that a device runs: its artifact, and launching it.

use super::DeviceProgram;
use super::addresses::{Meaning, ProgramMemory, number_of_symbol, range_at, visit};
use super::chosen::OpenDevice;
use super::composition::symbol_number;
use crate::arguments;
use crate::block::Block;
use crate::failure;
use crate::kernel::Kernel;
use crate::kernel_host::Driver;
use crate::program::Program;
use crate::reports::Reports;
use crate::stats::{add_min, count};
use crate::thunk;
use crate::typed::View;
use kiln_ir::{ThunkStep, ThunkValue};
use kiln_launch::{
    DeviceArtifact, DeviceError, Finished, Format, Grid, Handles, HostRange, Param, ParamKind, Seed, Stream,
};
use kiln_runtime::{Run, Runtime, Value};
use kiln_targets::{Backend, TargetFacts};
use kiln_types::{Type, Types};
use kiln_unit::{GlobalRole, LinkInfo};
use std::sync::Arc;
use std::time::Instant;

/// An artifact and the kernels that devices have made of it: one for all jobs that came out equal.
#[derive(Debug)]
pub(crate) struct Loadable {
    artifact: DeviceArtifact,
    handles: Handles,
}

/// What launching on a device needs beside the program.
#[derive(Debug)]
pub(crate) struct DeviceEntry {
    loadable: Arc<Loadable>,
    /// Types of the arguments, the function first.
    args: Vec<Type>,
}

/// The parameters of a kernel: those that code generation declares.
pub(super) fn params(types: &Types, facts: &TargetFacts, link: &LinkInfo, args: &[Type]) -> Vec<Param> {
    let traits = link.definitions.iter().find(|it| it.ordinal == 0).map(|it| it.traits).unwrap_or_default();
    let mut params = Vec::new();
    params.extend(traits.needs_state.then(|| Param::supplied(ParamKind::State)));
    let places = link.args.iter().zip(args).filter(|it| it.0.size > 0);
    params.extend(places.map(|(it, ty)| Param::of_block(kind(types, *ty), it.offset, it.size)));
    let has_dynamic_shared = traits.has_dynamic_shared && facts.backend == Backend::Spirv;
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
    /// What launches need of a program that was made for a device, and the program.
    pub(crate) fn device_entry(
        &self,
        rt: &Runtime,
        view: &View,
        made: DeviceProgram,
    ) -> Result<(DeviceEntry, Program), String> {
        let DeviceProgram { code, program } = made;
        let facts = &view.unit.facts;
        let format = match facts.backend {
            Backend::Ptx => Format::Ptx,
            Backend::Spirv => Format::Spirv,
            Backend::Gcn | Backend::Bpf | Backend::Native | Backend::Other => {
                return Err(format!("no device runs code for {}", facts.name));
            }
        };
        let link = program.entry();
        let args = program.entry_function().code(rt).args.clone();
        let artifact = DeviceArtifact {
            format,
            code: code.composed.object,
            entry: code.symbol,
            params: params(&rt.types, facts, link, &args),
            args_bytes: link.args_bytes,
            reports: link.reports,
            heap_bytes: if link.allocates { view.heap_bytes.into() } else { 0 },
        };
        self.name_symbols(rt, &program);
        Ok((DeviceEntry { loadable: self.loadable(artifact), args }, program))
    }

    /// The one of an artifact.
    fn loadable(&self, artifact: DeviceArtifact) -> Arc<Loadable> {
        let mut known = self.loadables.lock();
        if let Some(found) = known.iter().find(|it| it.artifact == artifact) {
            return found.clone();
        }
        let new = Arc::new(Loadable { artifact, handles: Handles::default() });
        known.push(new.clone());
        new
    }

    /// Remembers which symbols the numbers in a program's code are.
    fn name_symbols(&self, rt: &Runtime, program: &Program) {
        let mut symbols = self.device_symbols.lock();
        for global in program.units().flat_map(|it| &it.body.link.globals) {
            let GlobalRole::Name(name) = &global.role;
            symbols.insert(symbol_number(name), rt.types.symbol(name));
        }
    }

    /// Runs a kernel on a device and waits for it.
    ///
    /// # Errors
    /// What the first item threw that failed, or a report's thunk, or why the device does not run it.
    pub(crate) fn launch_on_device(
        &self,
        rt: &Runtime,
        (kernel, entry, open): (&Kernel, &DeviceEntry, &OpenDevice),
        grid: (&Grid, Option<Seed>),
        function: Value,
        args: &[Value],
    ) -> Run<()> {
        let link = kernel.program.entry();
        let size = link.args_bytes as usize;
        let mut block = Block::new(size.next_multiple_of(8));
        arguments::pack(rt, link, function, args, block.bytes_mut());
        let bytes = &mut block.bytes_mut()[..size];
        let addresses = self.translate(rt, entry, link, bytes);
        count(&self.counters().kernels_launched);
        let start = Instant::now();
        let mut mirrors = Vec::new();
        let finished = run(rt, open, entry, grid, (bytes, &addresses), &mut mirrors);
        let took = start.elapsed();
        add_min(&self.counters().launch_ns, &self.counters().launch_min_ns, took);
        self.counters().span("launch", || rt.types.name(kernel.name).to_owned(), start, took);
        let Finished { failure, reports: reported, reports_lost, took: _ } =
            finished.map_err(|it| self.throw(rt, &it.to_string()))?;
        let name = rt.types.name(kernel.name);
        let must_be_heard = reports_lost > 0 && must_be_heard(rt, &kernel.program);
        if reports_lost > 0 && !must_be_heard {
            self.warn(&format!(
                "`{name}` printed more than a launch has room for: {reports_lost} lines are lost"
            ));
        }
        let mut reports = Reports::new(rt, kernel);
        for mut report in reported {
            self.name_operands(rt, &kernel.program, report.site, &mut report.operands, &mirrors);
            reports.take(&report);
        }
        if let Some(mut failure) = failure {
            self.name_operands(rt, &kernel.program, failure.site, &mut failure.operands, &mirrors);
            return Err(failure::of_item(rt, kernel, &failure));
        }
        reports.finish()?;
        if must_be_heard {
            let what =
                format!("`{name}` asked for more than a launch has room for: {reports_lost} calls are lost");
            return Err(rt.error(&what));
        }
        Ok(())
    }

    /// Gives symbols their numbers; where addresses are, and how many bytes are known to be there.
    fn translate(
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
    fn name_operands(
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

/// Whether what items report is to be done whatever happens: calls of functions of the type `Base.Device.Essential`.
fn must_be_heard(rt: &Runtime, program: &Program) -> bool {
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
struct Mirrored {
    host: u64,
    device: u64,
    bytes: u64,
}

impl Mirrored {
    /// The host's address of one of the device's.
    fn host_of(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.device)?;
        (offset < self.bytes.max(1)).then(|| self.host + offset)
    }
}

/// Launches with what the host's addresses are on the device, and waits. `mirrors` gets what is elsewhere there.
fn run(
    rt: &Runtime,
    open: &OpenDevice,
    entry: &DeviceEntry,
    (grid, seed): (&Grid, Option<Seed>),
    (bytes, addresses): (&mut [u8], &[(usize, Option<u64>)]),
    mirrors: &mut Vec<Mirrored>,
) -> Result<Finished, DeviceError> {
    let kernel = entry.loadable.handles.get(&open.device, &entry.loadable.artifact)?;
    if open.residency.is_direct() {
        return kernel.launch_seeded(Stream::DEFAULT, grid, seed, bytes)?.wait();
    }
    // The host may have changed anything since the last launch, and looks at anything after this one.
    let _alone = open.copying.lock();
    let memory = &mut ProgramMemory(&rt.heap);
    let mut places: Vec<(usize, u64)> = Vec::new();
    let mut ranges: Vec<HostRange> = Vec::new();
    for (at, known) in addresses {
        let Some(address) = word(bytes, *at).filter(|it| *it != 0 && *known != Some(0)) else { continue };
        let range = range_at(&rt.heap, address, *known).ok_or_else(|| {
            DeviceError::NoDevice(format!(
                "{} reaches arrays that are arguments, and {address:#x} is an address in none",
                open.device.name()
            ))
        })?;
        places.push((*at, address - range.base));
        ranges.push(range);
    }
    let bases = open.residency.enter(memory, Stream::DEFAULT, &ranges)?;
    mirrors.extend(ranges.iter().zip(&bases).map(|(range, base)| Mirrored {
        host: range.base,
        device: *base,
        bytes: range.bytes as u64,
    }));
    for ((at, offset), base) in places.into_iter().zip(bases) {
        set_word(bytes, at, base + offset);
    }
    let launched = kernel.launch_seeded(Stream::DEFAULT, grid, seed, bytes).and_then(|it| it.wait());
    open.residency.leave(memory)?;
    open.residency.invalidate(0, usize::MAX);
    if open.residency.mirrored_bytes() as u64 > open.device.limits().memory_bytes / MIRRORED_PART_MAX {
        open.residency.forget(0, usize::MAX)?;
    }
    launched
}

/// Mirrors of arrays are kept for later launches while they are at most this part of the device's memory.
const MIRRORED_PART_MAX: u64 = 4;

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|it| u64::from_le_bytes(*it))
}

fn set_word(bytes: &mut [u8], at: usize, word: u64) {
    if let Some(place) = bytes.get_mut(at..).and_then(|it| it.first_chunk_mut()) {
        *place = word.to_le_bytes();
    }
}
