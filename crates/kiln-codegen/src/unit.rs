//! The unit being emitted: inputs, tables and outputs that its functions share.

use crate::error::{EmitError, Unsupported};
use crate::host_statements::{HostStatements, may_be_run, touches_arrays};
use crate::item_state::{ItemState, STATE_VALUES};
use crate::items::DeviceItems;
use crate::llvm::{Function, Module, Ty, Val};
use crate::never_returning::all_never_returning;
use crate::probe::Limit;
use crate::range_checks::RangeChecks;
use crate::shape::{Form, Shapes};
use crate::source::{Runtime, Source};
use crate::vector::Variant;
use kiln_ir::{Stmt, ThrowSite};
use kiln_targets::{Items, TargetFacts};
use kiln_types::{Type, Types};
use kiln_unit::{
    Checks, CodegenOptions, CodegenRequest, EntryKind, Global, GlobalRole, NO_STMT, OperandPlace,
    SHARED_BASE, SITE_BASE, Site, Traits, body_symbol,
};
use llvm_sys::LLVMOpcode;
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
    screened: RefCell<FxHashMap<(u32, bool), u32>>,
    pub(crate) sites: Vec<Site>,
    /// The number of the first site of each function, minus one.
    site_base: Vec<u32>,
    /// The numbers of the sites that codegen adds for a statement.
    own_sites: FxHashMap<(u32, Stmt, u32), u32>,
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
    run_bytes: Vec<(u32, u32)>,
    /// Statements that emission found the host has to run; without a statement, functions that it found to make boxes.
    pub(crate) left_to_host: RefCell<Vec<(u32, Option<Stmt>)>>,
}

/// The statement in the key of a site that is of all statements of a function that have none of their own.
const ANY_STMT: u32 = NO_STMT - 1;

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

/// Returns the operands of a site of codegen's own.
fn own_operands(site: u32) -> Vec<OperandPlace> {
    match site {
        kiln_unit::SITE_BOUNDS | kiln_unit::SITE_MEMORY => vec![OperandPlace { offset: 0, size: 8 }],
        _ => Vec::new(),
    }
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
        for ordinal in 0..sources.len() {
            unit.number_run_sites(ordinal)
                .and_then(|()| unit.number_sites(ordinal))
                .map_err(|it| it.in_function(ordinal as u32))?;
            let function = unit.declare(ordinal).map_err(|it| it.in_function(ordinal as u32))?;
            unit.functions.push(function);
        }
        let has_item_loop = device.is_none() && !unit.traits[0].has_barrier && !checks.any();
        if entry == EntryKind::Kernel && has_item_loop {
            unit.range_checks = RangeChecks::find(&sources[0].code, types, &unit.shapes);
        }
        Ok(unit)
    }

    /// Numbers the sites of a function: those of its body, then those that codegen adds.
    fn number_sites(&mut self, ordinal: usize) -> Result<(), EmitError> {
        self.site_base.push(self.sites.len() as u32);
        let source = &self.sources[ordinal];
        if source.external.is_some() {
            return Ok(());
        }
        for (site, data) in &source.code.throw_sites {
            let operands = self.places(&data.operands)?;
            let (function, site) = (ordinal as u32, site.as_u32());
            self.sites.push(Site { function, site, stmt: NO_STMT, operands });
        }
        self.number_own_sites(ordinal);
        Ok(())
    }

    /// Numbers the sites that codegen adds: one of each kind for the function, used by statements that are not
    /// expected to fail, and those of the statements that are.
    fn number_own_sites(&mut self, ordinal: usize) {
        let function = ordinal as u32;
        for site in [kiln_unit::SITE_BOUNDS, kiln_unit::SITE_DIVIDE, kiln_unit::SITE_TYPE] {
            self.sites.push(Site { function, site, stmt: NO_STMT, operands: own_operands(site) });
        }
        if self.looks_at_stack(ordinal) {
            let site = kiln_unit::SITE_STACK;
            self.sites.push(Site { function, site, stmt: NO_STMT, operands: Vec::new() });
        }
        for (stmt, data) in &self.sources[ordinal].code.stmts {
            let call = self.keeps_frames() && matches!(data.op, kiln_ir::Op::Invoke(..));
            let calls: &[u32] = if call { &[kiln_unit::SITE_CALL] } else { &[] };
            let is_checked = self.checks.any() && crate::check_sites::has_site(data);
            let accesses: &[u32] = if is_checked { &[kiln_unit::SITE_ACCESS] } else { &[] };
            for &site in crate::analysis::own_sites(data, self.types).iter().chain(calls).chain(accesses) {
                self.sites.push(Site { function, site, stmt: stmt.as_u32(), operands: own_operands(site) });
                self.own_sites.insert((function, stmt, site), self.sites.len() as u32);
            }
            if self.may_be_run(function, stmt) {
                let (site, stmt_number) = (kiln_unit::SITE_RUN, stmt.as_u32());
                let operands = self.run_places(function, data).unwrap_or_default();
                self.sites.push(Site { function, site, stmt: stmt_number, operands });
                self.own_sites.insert((function, stmt, site), self.sites.len() as u32);
            }
        }
        let is_host = self.is_host;
        for stmt in all_never_returning(&self.sources[ordinal].code).filter(|_| is_host) {
            let site = kiln_unit::SITE_RETURNED;
            self.sites.push(Site { function, site, stmt: stmt.as_u32(), operands: Vec::new() });
            self.own_sites.insert((function, stmt, site), self.sites.len() as u32);
        }
        if self.host.makes_boxes(function) {
            let (site, stmt) = (kiln_unit::SITE_MEMORY, Stmt::from_u32(ANY_STMT));
            self.sites.push(Site { function, site, stmt: NO_STMT, operands: own_operands(site) });
            self.own_sites.insert((function, stmt, site), self.sites.len() as u32);
        }
    }

    /// Finds out how much memory the statements need that the host may run.
    fn number_run_sites(&mut self, ordinal: usize) -> Result<(), EmitError> {
        if !self.is_host {
            return Ok(());
        }
        for (stmt, data) in &self.sources[ordinal].code.stmts {
            if !self.may_be_run(ordinal as u32, stmt) {
                continue;
            }
            let places = self.run_places(ordinal as u32, data)?;
            let operands = places.iter().map(|it| it.offset + it.size).max().unwrap_or(0);
            if operands as usize > kiln_unit::RUN_OPERAND_BYTES {
                let most = kiln_unit::RUN_OPERAND_BYTES;
                return Err(
                    EmitError::from(Unsupported::OperandBytes { bytes: operands, most }).at(stmt.as_u32())
                );
            }
            let result = self.shapes.of(data.ty)?.size;
            let bytes = &mut self.run_bytes[ordinal];
            *bytes = (bytes.0.max(operands), bytes.1.max(result));
        }
        Ok(())
    }

    /// Whether a statement has a site for the host to run it.
    fn may_be_run(&self, ordinal: u32, stmt: Stmt) -> bool {
        let data = &self.sources[ordinal as usize].code.stmts[stmt];
        self.is_host
            && (self.host.contains(ordinal, stmt) || may_be_run(data) || self.looks_for_copies(ordinal, data))
    }

    /// Whether compiled code looks for copies of arrays on devices before this statement.
    pub(crate) fn looks_for_copies(&self, ordinal: u32, data: &kiln_ir::StmtData) -> bool {
        self.is_host
            && self.traits[ordinal as usize].launches
            && data.ty != Types::BOTTOM
            && touches_arrays(data, &self.sources[ordinal as usize], &self.traits)
    }

    /// Whether the host can run a statement: it has a site.
    pub(crate) fn has_run_site(&self, (ordinal, stmt): (u32, Stmt)) -> bool {
        self.own_sites.contains_key(&(ordinal, stmt, kiln_unit::SITE_RUN))
    }

    /// Returns the layout of the operands of a statement that the host runs.
    pub(crate) fn run_places(
        &self,
        ordinal: u32,
        data: &kiln_ir::StmtData,
    ) -> Result<Vec<OperandPlace>, EmitError> {
        let code = &self.sources[ordinal as usize].code;
        let (mut end, mut places) = (0u32, Vec::new());
        for operand in data.op.operands() {
            let shape = match operand {
                kiln_ir::Value::Const(_) => None,
                kiln_ir::Value::Stmt(_) | kiln_ir::Value::Arg(_) => {
                    Some(self.shapes.of(crate::analysis::operand_type(code, self.types, operand))?)
                }
            };
            let (size, align) = shape.map_or((0, 1), |it| (it.size, it.align));
            let offset = end.next_multiple_of(align);
            end = offset + size;
            places.push(OperandPlace { offset, size });
        }
        Ok(places)
    }

    /// Returns the bytes of the operands and of a result of the statements of a function that the host may run.
    pub(crate) fn run_bytes(&self, ordinal: u32) -> (u32, u32) {
        self.run_bytes[ordinal as usize]
    }

    /// Whether failing code records its calls: host code, and items at debug level 2.
    pub(crate) fn keeps_frames(&self) -> bool {
        self.is_host || self.in_kernel && self.options.debug_level >= 2
    }

    /// Whether a function checks the stack limit, which devices do not have.
    pub(crate) fn looks_at_stack(&self, ordinal: usize) -> bool {
        self.recursive[ordinal] && self.device.is_none()
    }

    /// Returns the layout of values of these types, one after the other.
    pub(crate) fn places(&self, operands: &[Type]) -> Result<Vec<OperandPlace>, EmitError> {
        let (mut end, mut places) = (0u32, Vec::with_capacity(operands.len()));
        for &ty in operands {
            let shape = self.shapes.of(ty)?;
            let offset = end.next_multiple_of(shape.align);
            end = offset + shape.size;
            places.push(OperandPlace { offset, size: shape.size });
        }
        if end as usize > kiln_unit::RECORD_OPERAND_BYTES {
            let most = kiln_unit::RECORD_OPERAND_BYTES;
            return Err(Unsupported::OperandBytes { bytes: end, most }.into());
        }
        Ok(places)
    }

    /// Returns the line of a statement, from 1.
    pub(crate) fn line(&self, ordinal: u32, stmt: Stmt) -> u32 {
        self.line_base[ordinal as usize] + stmt.as_u32()
    }

    /// Returns the number of a body's site.
    pub(crate) fn site(&self, ordinal: u32, site: ThrowSite) -> u32 {
        self.site_base[ordinal as usize] + site.as_u32() + 1
    }

    /// Returns the number of a function's site of codegen's own; `which` is one of `kiln_unit`'s constants.
    pub(crate) fn own_site(&self, ordinal: u32, which: u32) -> u32 {
        let count = self.sources[ordinal as usize].code.throw_sites.len() as u32;
        self.site_base[ordinal as usize] + count + (u32::MAX - which) + 1
    }

    /// Returns the number of the site at which an allocation of a statement of the host fails; `None` if emission has to note first that
    /// the function makes boxes.
    pub(crate) fn allocation_site(&self, (ordinal, stmt): (u32, Stmt)) -> Option<u32> {
        let of = |stmt, which| self.own_sites.get(&(ordinal, stmt, which)).copied();
        let own = of(stmt, kiln_unit::SITE_RUN).or_else(|| of(stmt, kiln_unit::SITE_MEMORY));
        own.or_else(|| of(Stmt::from_u32(ANY_STMT), kiln_unit::SITE_MEMORY))
    }

    /// Returns the number of a statement's site of codegen's own.
    pub(crate) fn own_site_of(&self, (ordinal, stmt): (u32, Stmt), which: u32) -> u32 {
        self.own_sites.get(&(ordinal, stmt, which)).copied().unwrap_or_else(|| self.own_site(ordinal, which))
    }

    /// Returns the parameter types: the hidden parameters, then the arguments that are not ghosts.
    pub(crate) fn params(&self, ordinal: usize) -> Result<Vec<Ty>, EmitError> {
        let mut params = self.hidden_params(self.traits[ordinal]);
        for &arg in &self.sources[ordinal].code.args {
            params.extend(self.shapes.of(arg)?.llvm);
        }
        Ok(params)
    }

    /// Returns the types of the hidden parameters of a function with these traits.
    pub(crate) fn hidden_params(&self, traits: Traits) -> Vec<Ty> {
        if self.device.is_none() {
            return match traits.needs_state {
                true if self.is_host => vec![self.module.ptr()],
                true => self.state_types(),
                false => Vec::new(),
            };
        }
        let spaces = &self.facts.spaces;
        let state = traits.needs_state.then(|| self.module.ptr_in(spaces.global));
        let passes = self.facts.abilities.passes_dynamic_shared && traits.has_dynamic_shared;
        state.into_iter().chain(passes.then(|| self.module.ptr_in(spaces.shared))).collect()
    }

    /// Returns the values of the state that functions pass on.
    pub(crate) fn passed_state(&self, state: &ItemState) -> Vec<Val> {
        let count = if self.is_host { 1 } else { STATE_VALUES };
        state.values()[..count].to_vec()
    }

    pub(crate) fn state_types(&self) -> Vec<Ty> {
        let (ptr, int) = (self.module.ptr(), self.module.int(64));
        let mut all = vec![ptr];
        all.extend([int; 12]);
        all.extend([ptr; 2]);
        debug_assert_eq!(all.len(), STATE_VALUES);
        all
    }

    /// Returns the result type: `{ value, site }`, `site`, the value, or `void`.
    pub(crate) fn result(&self, ordinal: usize) -> Result<Ty, EmitError> {
        let value = self.shapes.of(self.sources[ordinal].code.return_type)?.llvm;
        let site = self.module.int(32);
        Ok(match (value, self.traits[ordinal].may_fail) {
            (Some(value), true) => self.module.structure(&[value, site]),
            (Some(value), false) => value,
            (None, true) => site,
            (None, false) => self.module.void(),
        })
    }

    /// Returns the facts of the vector variant of a function.
    fn variant_of(&self, ordinal: usize) -> Variant {
        let traits = self.traits[ordinal];
        if self.sources[ordinal].external.is_some() {
            return if traits.lanes > 0 { Variant::Of(traits.lanes.into()) } else { Variant::None };
        }
        let Traits { has_barrier, has_atomics, reports, allocates, .. } = traits;
        let is_called = ordinal > 0 || self.entry == EntryKind::Body;
        let synchronizes = has_barrier || has_atomics || reports || allocates;
        let may_be = is_called && !synchronizes && !self.recursive[ordinal];
        if may_be { Variant::Wanted } else { Variant::None }
    }

    /// Returns the bytes that an object of a type has at least, if it is always one that host code refers to by its address.
    pub(crate) fn readable_bytes(&self, ty: Type) -> Option<u64> {
        let is_object = self.is_host && self.types.is_concrete(ty) && self.types.is_mutable(ty);
        let layout = self.types.layout(ty).filter(|_| is_object)?;
        (layout.size > 0).then_some(layout.size.into())
    }

    /// Notes of the parameters that are addresses of objects what can be read there.
    fn note_objects(&self, ordinal: usize, function: Function) -> Result<(), EmitError> {
        let mut at = self.hidden_params(self.traits[ordinal]).len();
        for &arg in &self.sources[ordinal].code.args {
            let shape = self.shapes.of(arg)?;
            if shape.llvm.is_none() {
                continue;
            }
            if let (Form::Object, Some(bytes)) = (&shape.form, self.readable_bytes(arg)) {
                crate::llvm::set_param_readable(self.module, function, at, bytes);
            }
            at += 1;
        }
        Ok(())
    }

    fn declare(&self, ordinal: usize) -> Result<Function, EmitError> {
        let external = self.sources[ordinal].external.is_some();
        let name = if external { format!("c{ordinal}") } else { body_symbol(ordinal as u32) };
        let function = self.module.function(&name, self.result(ordinal)?, &self.params(ordinal)?);
        self.module.set_attribute(function, "nounwind");
        self.note_objects(ordinal, function)?;
        if self.device.is_some() && self.traits[ordinal].has_barrier {
            self.module.set_attribute(function, "convergent");
        }
        if self.looks_at_stack(ordinal) {
            // Endless recursion is an error; tail calls would turn it into an endless loop.
            self.module.set_text_attribute(function, c"disable-tail-calls", c"true");
        }
        if !external && self.entry != EntryKind::Body {
            self.module.set_internal(function);
        }
        let has_vectors = self.device.is_none() && self.in_kernel && self.options.vector_bits > 0;
        if has_vectors && !self.checks.any() {
            let traits = self.traits[ordinal];
            let hidden = if traits.needs_state { STATE_VALUES } else { 0 };
            crate::vector::note(self.module, function, hidden, self.variant_of(ordinal));
        }
        Ok(function)
    }

    /// Returns a site's number in compiled code: relative to a symbol in units that others call, and in host code, whose sites have
    /// numbers of the session.
    pub(crate) fn site_value(&self, number: u32) -> Val {
        let number = self.module.const_u32(number);
        match self.entry {
            EntryKind::Body if self.device.is_some() => {
                self.module.add(self.module.placeholder(SITE_BASE, 32), number)
            }
            EntryKind::Body => self.module.add(self.module.absolute(SITE_BASE, 32), number),
            EntryKind::Function if self.is_host => {
                self.module.add(self.module.absolute(SITE_BASE, 32), number)
            }
            EntryKind::Function | EntryKind::Kernel => number,
        }
    }

    /// Returns an offset in shared memory in compiled code.
    pub(crate) fn shared_value(&self, offset: u64) -> Val {
        let offset = self.module.const_i64(offset as i64);
        match self.entry {
            EntryKind::Body => self.module.add(self.module.absolute(SHARED_BASE, 64), offset),
            EntryKind::Function | EntryKind::Kernel => offset,
        }
    }

    /// Returns the bytes of shared memory through which lanes exchange values.
    pub(crate) fn lane_bytes(&self) -> u32 {
        let blocks = self.shared.borrow();
        let of_lanes = blocks.iter().filter(|it| it.of == SharedUse::Lanes);
        of_lanes.map(|it| it.bytes as u32).sum()
    }

    /// Returns the address of the session's `Symbol` of this name.
    pub(crate) fn name_value(&self, name: &str) -> Val {
        self.global_value(GlobalRole::Name(name.into()))
    }

    /// Returns the tag of a type. On processors it is the type's hash, the same for all programs; on devices it is a
    /// symbol that device linking resolves.
    pub(crate) fn type_tag(&self, ty: Type) -> Val {
        let hash = self.types.hash128(ty);
        match self.device {
            None => self.module.const_i64(hash as i64),
            Some(_) => {
                let address = self.global_value(GlobalRole::Type(hash));
                self.module.cast(LLVMOpcode::LLVMPtrToInt, address, self.module.int(64))
            }
        }
    }

    /// Returns the number that the session has for a type, an `i32`.
    pub(crate) fn type_number(&self, ty: Type) -> Val {
        let symbol = self.global_symbol(GlobalRole::Number(self.types.hash128(ty)));
        self.module.absolute(&symbol, 32)
    }

    /// Returns the symbol of something of the session.
    fn global_symbol(&self, role: GlobalRole) -> String {
        let mut globals = self.globals.borrow_mut();
        let known = globals.iter().find(|it| it.role == role).map(|it| it.symbol.clone());
        known.unwrap_or_else(|| {
            let symbol = format!("g{}", globals.len());
            globals.push(Global { symbol: symbol.clone(), role });
            symbol
        })
    }

    /// Returns the address of an object of the session; on a device, the number that stands for it.
    pub(crate) fn global_value(&self, role: GlobalRole) -> Val {
        let symbol = self.global_symbol(role);
        match self.device {
            None => self.module.external(&symbol),
            Some(_) => {
                let number = self.module.placeholder(&symbol, 64);
                self.module.cast(LLVMOpcode::LLVMIntToPtr, number, self.module.ptr())
            }
        }
    }

    /// Returns the slot of another access that is screened, to cells of so many bytes.
    pub(crate) fn next_slot(&self, cell_bytes: u32, writes: bool) -> u32 {
        let mut screened = self.screened.borrow_mut();
        let count = screened.entry((cell_bytes, writes)).or_default();
        *count += 1;
        kiln_unit::screen_slot(cell_bytes, writes, *count - 1)
    }

    /// Notes that a statement's block of shared memory passes for written.
    pub(crate) fn note_written(&self, of: (u32, Stmt)) {
        let mut blocks = self.shared.borrow_mut();
        blocks
            .iter_mut()
            .filter(|it| it.of == SharedUse::Statement(of.0, of.1))
            .for_each(|it| it.is_written = true);
    }

    /// Returns the offset and the number of a statement's block of shared memory.
    pub(crate) fn shared_block(&self, of: SharedUse, bytes: u64, align: u64) -> (u64, usize) {
        let mut blocks = self.shared.borrow_mut();
        let fits = |it: &SharedBlock| {
            it.of == of && (of != SharedUse::Lanes || it.bytes == bytes && it.offset.is_multiple_of(align))
        };
        if let Some(known) = blocks.iter().position(fits) {
            return (blocks[known].offset, known);
        }
        let zone = if self.checks.memory || self.screens { crate::check_sites::RED_ZONE } else { 0 };
        let end = blocks.last().map_or(0, |it| it.offset + it.bytes + zone);
        let offset = end.next_multiple_of(align.clamp(1, 64));
        blocks.push(SharedBlock { of, offset, bytes, is_written: false });
        (offset, blocks.len() - 1)
    }
}
