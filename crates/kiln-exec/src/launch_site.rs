//! Sites of compiled host code that ask for a kernel or launch one: what is the same each time is worked out once a site, and
//! operands go from compiled code to the launch without becoming values.
//!
//! A site that asks for a kernel keeps its job, and looks that up in the launch table: two loads and a comparison with the
//! running world, so a definition is seen by the next launch of code that sees the definition. A site that launches keeps a
//! *plan* for each kernel that it has launched: from where in the operands each argument goes to where in the block.
//!
//! Sites whose operands are not all bits, and launches of kernels that take their arguments in another form than the site has them,
//! go the way of interpreted code.

use crate::block::Block;
use crate::device::chosen::{config_on, default_device};
use crate::env::ExecEnv;
use crate::jobs::KernelHandle;
use crate::kernel::Kernel;
use crate::launch::launch_block;
use crate::launch_table::KernelJob;
use crate::statement_operand::Source;
use crate::value_form::ValueForm;
use kiln_ir::{HostFunction, Op, StmtData};
use kiln_launch::{Grid, Together};
use kiln_runtime::heap::{bits, tuples, uninterrupted};
use kiln_runtime::{Rooted, Run, Runtime};
use kiln_types::{Type, datatype, layout};
use kiln_unit::OperandPlace;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes that options take at most at a site that is served directly.
const OPTION_BYTES_MAX: usize = 256;

/// A site that the host serves directly.
#[derive(Debug)]
pub(crate) enum KernelSite {
    /// It asks for a kernel.
    Compile(CompileSite),
    /// It launches one.
    Launch(Box<LaunchSite>),
}

/// A site that asks for the kernel of one function and one tuple of argument types.
#[derive(Debug)]
pub(crate) struct CompileSite {
    function: Type,
    args: Type,
    options: Source,
    /// The job that the options gave the first time, with them as compiled code passes them, but for padding.
    known: OnceLock<KnownJob>,
}

/// The job of a site.
#[derive(Debug)]
struct KnownJob {
    /// The options: objects that they refer to keep their addresses.
    _options: Rooted,
    bytes: Box<[u8]>,
    job: KernelJob,
}

/// A site that launches.
#[derive(Debug)]
pub(crate) struct LaunchSite {
    handle: OperandPlace,
    groups: [Word; 3],
    items: [Word; 3],
    shared_bytes: Word,
    /// The function, then the arguments.
    args: Box<[Argument]>,
    plans: boxcar::Vec<Plan>,
    /// The plan that was used last.
    latest: AtomicUsize,
}

/// An integer of a launch.
#[derive(Clone, Copy, Debug)]
enum Word {
    /// The program's text says it.
    Known(i64),
    /// It is at this offset of the operands.
    At(u32),
}

/// An argument of a launch.
#[derive(Debug)]
struct Argument {
    ty: Type,
    bytes: ArgumentBytes,
}

/// The bytes of an argument.
#[derive(Debug)]
enum ArgumentBytes {
    Known(Box<[u8]>),
    Passed(OperandPlace),
}

/// How the arguments of a site become the block of a kernel.
#[derive(Debug)]
struct Plan {
    handle: KernelHandle,
    /// The address of the kernel's form.
    form: usize,
    args_bytes: usize,
    /// `None`: the kernel takes them in another form.
    moves: Option<Moves>,
}

/// The bytes that go to a block.
#[derive(Debug, Default)]
struct Moves {
    /// What is known of the block.
    known: Box<[(u32, Box<[u8]>)]>,
    passed: Box<[Move]>,
}

/// The bytes of one argument.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: OperandPlace,
    to: u32,
    /// Its type, if it has padding.
    padded: Option<Type>,
}

impl KernelSite {
    /// The site of a statement, if it is one that can be served directly.
    pub(crate) fn find(rt: &Runtime, data: &StmtData, operands: &[Source]) -> Option<Self> {
        let core = rt.types.core();
        match (&data.op, operands) {
            (Op::Host(HostFunction::KernelCompile, _), [function, args, options])
                if data.ty == core.uint64 =>
            {
                Some(Self::Compile(CompileSite::new(rt, function, args, options)?))
            }
            (Op::Host(HostFunction::KernelLaunch, _), [handle, groups, items, shared, args @ ..])
                if data.ty == core.nothing =>
            {
                let sizes = (handle, groups, items, shared);
                Some(Self::Launch(Box::new(LaunchSite::new(rt, sizes, args)?)))
            }
            _ => None,
        }
    }

    /// Serves the site, if it can. Nothing has happened if the answer is `None`.
    #[inline]
    pub(crate) fn serve(&self, env: &ExecEnv<'_>, operands: &[u8], result: &mut [u8]) -> Option<Run<()>> {
        match self {
            Self::Compile(site) => {
                let handle = site.resolved(env, operands)?;
                result.copy_from_slice(&handle.number().to_le_bytes());
                Some(Ok(()))
            }
            Self::Launch(site) => site.launch(env, operands),
        }
    }
}

impl CompileSite {
    fn new(rt: &Runtime, function: &Source, args: &Source, options: &Source) -> Option<Self> {
        let function = match function {
            Source::Known(value) => rt.heap.dispatch_type(*value),
            Source::Passed(form, _) => bits_type(rt, form)?,
        };
        let Source::Known(args) = args else { return None };
        let args = args.as_type(rt.types.core())?;
        let options = match options {
            Source::Known(value) => Source::Known(*value),
            Source::Passed(form @ ValueForm::Data(..), place) => Source::Passed(form.clone(), *place),
            Source::Passed(..) => return None,
        };
        Some(Self { function, args, options, known: OnceLock::new() })
    }

    /// The kernel, if it is known to be good in the running world.
    fn resolved(&self, env: &ExecEnv<'_>, operands: &[u8]) -> Option<KernelHandle> {
        match &self.options {
            Source::Known(_) => self.resolved_with(env, operands, &[]),
            Source::Passed(form, place) => {
                let ValueForm::Data(ty, _) = form else { return None };
                let mut passed = [0; OPTION_BYTES_MAX];
                let bytes = passed.get_mut(..place.size as usize)?;
                bits::copy_unpadded(&env.rt.heap, *ty, bytes_at(operands, *place)?, bytes);
                self.resolved_with(env, operands, bytes)
            }
        }
    }

    /// The same; `bytes` are those of the options, if compiled code passes them.
    fn resolved_with(&self, env: &ExecEnv<'_>, operands: &[u8], bytes: &[u8]) -> Option<KernelHandle> {
        let known = match self.known.get() {
            Some(known) => known,
            None => {
                let known = self.find(env, operands, bytes)?;
                self.known.get_or_init(|| known)
            }
        };
        // Where nothing is passed nothing is compared: the C library's comparison of no bytes at no address takes 70 ns.
        if !bytes.is_empty() && *known.bytes != *bytes {
            return None;
        }
        let handle = env.exec.jobs.resolved(env.rt, &known.job)?;
        env.exec.notes.watches.note(&known.job);
        Some(handle)
    }

    #[cold]
    fn find(&self, env: &ExecEnv<'_>, operands: &[u8], bytes: &[u8]) -> Option<KnownJob> {
        let options = self.options.value(env.rt, operands);
        let root = env.rt.roots.hold(options);
        let config = env.config_of(options).ok()?;
        let (config, device) = config_on(env, config, default_device(env.exec)).ok()?;
        let job = KernelJob { function: self.function, args: self.args, config, device };
        Some(KnownJob { _options: root, bytes: bytes.into(), job })
    }
}

impl LaunchSite {
    fn new(
        rt: &Runtime,
        (handle, groups, items, shared): (&Source, &Source, &Source, &Source),
        args: &[Source],
    ) -> Option<Self> {
        let core = rt.types.core();
        let handle = match handle {
            Source::Passed(ValueForm::Data(ty, _), place) if *ty == core.uint64 => *place,
            _ => return None,
        };
        let shared_bytes = match shared {
            Source::Known(value) => Word::Known(value.as_int(core)?),
            Source::Passed(ValueForm::Data(ty, _), place) if *ty == core.int64 => Word::At(place.offset),
            Source::Passed(..) => return None,
        };
        let args = args.iter().map(|it| Argument::new(rt, it)).collect::<Option<Box<[Argument]>>>()?;
        Some(Self {
            handle,
            groups: words(rt, groups)?,
            items: words(rt, items)?,
            shared_bytes,
            args: Some(args).filter(|it| !it.is_empty())?,
            plans: boxcar::Vec::new(),
            latest: AtomicUsize::new(0),
        })
    }

    fn launch(&self, env: &ExecEnv<'_>, operands: &[u8]) -> Option<Run<()>> {
        let handle = KernelHandle::from_number(word(operands, self.handle.offset)? as u64);
        if env.exec.collects() {
            return None;
        }
        let sizes =
            |it: &[Word; 3]| Some([it[0].read(operands)?, it[1].read(operands)?, it[2].read(operands)?]);
        let shared = usize::try_from(self.shared_bytes.read(operands)?).ok()?;
        let grid = Grid {
            groups: sizes(&self.groups)?,
            items: sizes(&self.items)?,
            dynamic_shared_bytes: shared,
            together: Together::NONE,
        };
        let kernel = env.exec.jobs.kernel(handle)?.form_for(&grid.items);
        let plan = self.plan(env.rt, handle, kernel);
        let moves = plan.moves.as_ref()?;
        let mut block = Block::new(plan.args_bytes.next_multiple_of(8));
        moves.run(env.rt, operands, block.bytes_mut())?;
        // As for interpreted code: reports and seeds run Julia code while a launch is under way.
        Some(uninterrupted(|| launch_block(env, (handle, kernel), &grid, &mut block, false)))
    }

    /// The plan for a form of a kernel.
    fn plan(&self, rt: &Runtime, handle: KernelHandle, kernel: &Kernel) -> &Plan {
        let form = std::ptr::from_ref(kernel).addr();
        let is_meant = |it: &&Plan| it.form == form && it.handle == handle;
        if let Some(plan) = self.plans.get(self.latest.load(Ordering::Relaxed)).filter(is_meant) {
            return plan;
        }
        let known = self.plans.iter().find(|(_, it)| is_meant(it)).map(|it| it.0);
        let at = known.unwrap_or_else(|| self.plans.push(Plan::new(rt, handle, kernel, &self.args)));
        self.latest.store(at, Ordering::Relaxed);
        &self.plans[at]
    }
}

impl Argument {
    fn new(rt: &Runtime, source: &Source) -> Option<Self> {
        match source {
            Source::Known(value) => {
                let ty = rt.heap.dispatch_type(*value);
                let bytes = match layout::is_bits(&rt.types, value.ty()) {
                    true => bits::of(&rt.heap, *value),
                    false => Some(Box::default()).filter(|_| value.as_type(rt.types.core()).is_some())?,
                };
                Some(Self { ty, bytes: ArgumentBytes::Known(bytes) })
            }
            Source::Passed(form, place) => {
                Some(Self { ty: bits_type(rt, form)?, bytes: ArgumentBytes::Passed(*place) })
            }
        }
    }
}

impl Plan {
    fn new(rt: &Runtime, handle: KernelHandle, kernel: &Kernel, args: &[Argument]) -> Self {
        let link = kernel.program.entry();
        let form = std::ptr::from_ref(kernel).addr();
        let types = datatype::params(&rt.types, kernel.signature);
        let fits = args.iter().map(|it| &it.ty).eq(types) && link.args.len() == args.len();
        let moves = || {
            let (mut known, mut passed) = (Vec::new(), Vec::new());
            for (arg, place) in args.iter().zip(&link.args).filter(|it| it.1.size > 0) {
                match &arg.bytes {
                    ArgumentBytes::Known(bytes) if bytes.len() == place.size as usize => {
                        known.push((place.offset, bytes.clone()));
                    }
                    ArgumentBytes::Passed(from) if from.size == place.size => {
                        let padded = (!bits::is_plain(&rt.heap, arg.ty)).then_some(arg.ty);
                        passed.push(Move { from: *from, to: place.offset, padded });
                    }
                    ArgumentBytes::Known(_) | ArgumentBytes::Passed(_) => return None,
                }
            }
            Some(Moves { known: known.into(), passed: passed.into() })
        };
        let moves = if fits { moves() } else { None };
        Self { handle, form, args_bytes: link.args_bytes as usize, moves }
    }
}

impl Moves {
    fn run(&self, rt: &Runtime, operands: &[u8], block: &mut [u8]) -> Option<()> {
        for (at, bytes) in &self.known {
            block.get_mut(*at as usize..)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
        }
        for Move { from, to, padded } in &self.passed {
            let from = bytes_at(operands, *from)?;
            let to = block.get_mut(*to as usize..)?.get_mut(..from.len())?;
            match padded {
                Some(ty) => bits::copy_unpadded(&rt.heap, *ty, from, to),
                None => to.copy_from_slice(from),
            }
        }
        Some(())
    }
}

impl Word {
    #[inline]
    fn read(self, operands: &[u8]) -> Option<i64> {
        match self {
            Self::Known(it) => Some(it),
            Self::At(at) => word(operands, at),
        }
    }
}

/// The integers of a tuple of three.
fn words(rt: &Runtime, source: &Source) -> Option<[Word; 3]> {
    let core = rt.types.core();
    match source {
        Source::Known(value) if datatype::is_tuple(&rt.types, value.ty()) => {
            let ints: Vec<i64> =
                tuples::values(&rt.heap, *value).iter().filter_map(|it| it.as_int(core)).collect();
            let ints: [i64; 3] = ints.try_into().ok()?;
            Some(ints.map(Word::Known))
        }
        Source::Passed(ValueForm::Data(ty, _), place)
            if *ty == datatype::tuple(&rt.types, &[core.int64; 3]) =>
        {
            Some([0, 8, 16].map(|it| Word::At(place.offset + it)))
        }
        Source::Known(_) | Source::Passed(..) => None,
    }
}

/// The type of values that are held as their bits.
fn bits_type(rt: &Runtime, form: &ValueForm) -> Option<Type> {
    match form {
        ValueForm::Data(ty, _) => Some(*ty).filter(|it| layout::is_bits(&rt.types, *it)),
        ValueForm::Ghost(_) | ValueForm::Object | ValueForm::Tagged(..) => None,
    }
}

#[inline]
fn bytes_at(operands: &[u8], place: OperandPlace) -> Option<&[u8]> {
    operands.get(place.offset as usize..)?.get(..place.size as usize)
}

#[inline]
fn word(operands: &[u8], at: u32) -> Option<i64> {
    Some(i64::from_le_bytes(*operands.get(at as usize..)?.first_chunk()?))
}
