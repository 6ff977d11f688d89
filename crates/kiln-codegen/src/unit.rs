//! The unit being emitted: inputs, tables and outputs that its functions share.

use crate::error::EmitError;
use crate::host_statements::HostStatements;
use crate::items::DeviceItems;
use crate::llvm::{Function, Module};
use crate::probe::Limit;
use crate::range_checks::RangeChecks;
use crate::shape::Shapes;
use crate::source::{Runtime, Source};
use kiln_ir::Stmt;
use kiln_targets::{Items, TargetFacts};
use kiln_types::{Type, Types, datatype, layout};
use kiln_unit::{Checks, CodegenOptions, CodegenRequest, EntryKind, Global, Site, Traits};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// The use of a block of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedUse {
    /// That of a function and its statement.
    Statement(u32, Stmt),
    /// Exchanges between the lanes of a warp, of values of some size: they are over before others begin.
    Lanes,
}

/// A block of shared memory.
pub(crate) struct SharedBlock {
    /// Its use; several emissions of a body share the block.
    pub(crate) of: SharedUse,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    /// It passes for written.
    pub(crate) is_written: bool,
}

/// A declared adapter, which is defined after all bodies.
pub(crate) struct Adapter {
    /// The ordinal of its function.
    pub(crate) target: u32,
    /// The argument types, ghosts included.
    pub(crate) args: Vec<Type>,
    pub(crate) function: Function,
    /// The kernel that calls it in a launch by an item.
    pub(crate) kernel: Option<Function>,
}

/// A unit being emitted.
pub(crate) struct Unit<'a> {
    pub(crate) types: &'a Types,
    pub(crate) facts: &'a TargetFacts,
    /// The device that runs the items; `None` where loops do.
    pub(crate) device: Option<&'static dyn DeviceItems>,
    pub(crate) runtime: Runtime,
    pub(crate) module: &'a Module,
    /// The limit that keeps the target from a function of foreign code, by its text and its name.
    pub(crate) limit: &'a Limit<'a>,
    pub(crate) shapes: Shapes<'a>,
    pub(crate) sources: &'a [Source],
    pub(crate) traits: Vec<Traits>,
    /// The functions that may recurse, which check the stack.
    pub(crate) recursive: Vec<bool>,
    pub(crate) functions: Vec<Function>,
    pub(crate) entry: EntryKind,
    /// The range checks of the entry, if its items run in loops.
    pub(crate) range_checks: Option<RangeChecks>,
    /// The value of the device intrinsic `in_kernel`.
    pub(crate) in_kernel: bool,
    /// The options of the request, the items of a warp among them.
    pub(crate) options: &'a CodegenOptions,
    /// The checks of accesses, barriers and fences.
    pub(crate) checks: Checks,
    /// Whether accesses are screened.
    pub(crate) screens: bool,
    /// The private memory of each function that is screened in place.
    pub(crate) privates: Vec<crate::private::Privates>,
    /// The accesses that are screened so far, by the bytes of a cell and whether they write.
    pub(crate) screened: RefCell<FxHashMap<(u32, bool), u32>>,
    pub(crate) sites: Vec<Site>,
    /// The number of the first site of each function, minus one.
    pub(crate) site_base: Vec<u32>,
    /// The numbers of the sites that codegen adds for a statement.
    pub(crate) own_sites: FxHashMap<(u32, Stmt, u32), u32>,
    pub(crate) shared: RefCell<Vec<SharedBlock>>,
    /// The symbols that refer to objects of the session.
    pub(crate) globals: RefCell<Vec<Global>>,
    /// The adapters of functions whose address is taken.
    pub(crate) adapters: RefCell<Vec<Adapter>>,
    /// See `LinkInfo::holds_address`.
    pub(crate) holds_address: Cell<bool>,
    /// The line of the first statement of each function.
    pub(crate) line_base: Vec<u32>,
    /// Whether it is code of the host, which has a heap.
    pub(crate) is_host: bool,
    /// The statements that the host runs.
    pub(crate) host: HostStatements,
    /// The bytes of operands, and of a result, of the statements of each function that the host may run, at most.
    pub(crate) run_bytes: Vec<(u32, u32)>,
    /// Statements that emission found the host has to run; without a statement, functions that it found to make boxes.
    pub(crate) left_to_host: RefCell<Vec<(u32, Option<Stmt>)>>,
}

/// Returns the line of the first statement of each function; the statements of a unit are numbered consecutively from
/// 1.
pub(crate) fn line_bases(sources: &[Source]) -> Vec<u32> {
    let mut next = 1;
    let bases = sources.iter().map(|it| {
        let base = next;
        next += it.code.stmts.len() as u32;
        base
    });
    bases.collect()
}

/// Whether a request is for code of the host, which has a heap and services.
pub(crate) fn is_host(request: &CodegenRequest, facts: &TargetFacts) -> bool {
    !request.in_kernel && request.entry != EntryKind::Kernel && facts.items == Items::Loops
}

impl<'a> Unit<'a> {
    pub(crate) fn new(
        types: &'a Types,
        facts: &'a TargetFacts,
        module: &'a Module,
        sources: &'a [Source],
        request: &'a CodegenRequest,
        (device, limit): (Option<&'static dyn DeviceItems>, &'a Limit<'a>),
        host: &HostStatements,
    ) -> Result<Self, EmitError> {
        let (entry, in_kernel) = (request.entry, request.in_kernel);
        let recursive = crate::analysis::recursive(sources);
        let runtime = Runtime::of_request(request);
        let is_host = is_host(request, facts);
        let checks = crate::check_sites::checks(request, facts);
        let screens = crate::check_sites::screens(request, facts);
        crate::limits::check_unit(facts, device, entry, (&recursive, sources))?;
        let mut unit = Self {
            types,
            facts,
            device,
            runtime,
            module,
            limit,
            shapes: Shapes::new(types, module, facts, in_kernel),
            sources,
            traits: crate::analysis::traits(
                sources,
                (&recursive, checks.any() || screens),
                types,
                device.map(|_| &runtime),
                (in_kernel, is_host.then_some((host, request.options.calls_launch))),
            ),
            recursive,
            functions: Vec::new(),
            entry,
            range_checks: None,
            in_kernel,
            options: &request.options,
            checks,
            screens,
            privates: if screens { crate::private::of_all(sources, types) } else { Vec::new() },
            screened: RefCell::default(),
            sites: Vec::new(),
            site_base: Vec::new(),
            own_sites: FxHashMap::default(),
            shared: RefCell::default(),
            globals: RefCell::default(),
            adapters: RefCell::default(),
            holds_address: Cell::new(false),
            line_base: line_bases(sources),
            is_host,
            host: host.clone(),
            run_bytes: vec![(0, 0); sources.len()],
            left_to_host: RefCell::default(),
        };
        let has_item_loop = device.is_none() && !unit.traits[0].has_barrier && !checks.any();
        if entry == EntryKind::Kernel && has_item_loop {
            unit.range_checks = RangeChecks::find(&sources[0].code, types, &unit.shapes);
        }
        Ok(unit)
    }

    /// Whether failing code records its calls: host code, and items at debug level 2.
    pub(crate) fn keeps_frames(&self) -> bool {
        self.is_host || self.in_kernel && self.options.debug_level >= 2
    }

    /// Whether a function checks the stack limit, which devices do not have.
    pub(crate) fn looks_at_stack(&self, ordinal: usize) -> bool {
        self.recursive[ordinal] && self.device.is_none()
    }

    /// Returns the line of a statement, from 1.
    pub(crate) fn line(&self, ordinal: u32, stmt: Stmt) -> u32 {
        self.line_base[ordinal as usize] + stmt.as_u32()
    }

    /// Returns the bytes that an object of a type has at least, if it is always one that host code refers to by its address.
    pub(crate) fn readable_bytes(&self, ty: Type) -> Option<u64> {
        let is_object =
            self.is_host && datatype::is_concrete(self.types, ty) && datatype::is_mutable(self.types, ty);
        let layout = layout::of(self.types, ty).filter(|_| is_object)?;
        (layout.size > 0).then_some(layout.size.into())
    }
}
