//! A compiled kernel, and what is needed to understand its failures.

use crate::device::entry::DeviceEntry;
use crate::launch_table::DeviceId;
use kiln_compile::{Program, View};
use kiln_ir::Instance;
use kiln_launch::CpuKernel;
use kiln_runtime::tables::CodeInstance;
use kiln_types::{Symbol, Type};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Arc, OnceLock};

/// The launched code.
#[derive(Debug)]
pub(crate) enum KernelEntry {
    /// Code in this process.
    Cpu(CpuKernel),
    /// A program that another device loads.
    Device(Box<DeviceEntry>),
}

/// A kernel that can be launched.
#[derive(Debug)]
pub struct Kernel {
    /// The name of the function, or the one the launch gave.
    pub(crate) name: Symbol,
    pub(crate) entry: KernelEntry,
    /// The device that runs it.
    pub(crate) device: DeviceId,
    /// The units that it was linked of, and the meaning of its sites.
    pub program: Program,
    /// The types of the function and its arguments, which launches are checked against.
    pub(crate) signature: Type,
    /// Its items draw random numbers.
    pub(crate) is_random: bool,
    /// The better form that it may get.
    pub(crate) tier: Option<Tier>,
    /// The results it was made of, the entry's first.
    pub(crate) parts: Arc<[Arc<CodeInstance>]>,
}

/// The better form that a kernel may get.
pub(crate) struct Tier {
    /// The view of the better form.
    pub(crate) view: View,
    pub(crate) entry: Instance,
    /// The name that the launch gave.
    pub(crate) name: Option<Symbol>,
    pub(crate) spent_ns: AtomicU64,
    /// The better form is the screened one of a checked kernel, which does not replace it.
    pub(crate) screens: bool,
    /// The launches that the screened form has suspected.
    pub(crate) suspected: AtomicU32,
    /// The better form; `None` if there is none.
    pub(crate) better: OnceLock<Option<Box<Kernel>>>,
    /// The better form for groups of one size; `None` if there is none.
    pub(crate) sized: OnceLock<Option<Box<Kernel>>>,
    /// Whether the store was asked for the form for the groups of the first launch.
    pub(crate) was_sought: AtomicBool,
}

impl Tier {
    pub(crate) fn new(view: View, entry: Instance) -> Self {
        let screens = view.unit.options.screens;
        let (spent_ns, suspected) = (AtomicU64::new(0), AtomicU32::new(0));
        let (better, sized) = (OnceLock::new(), OnceLock::new());
        let was_sought = AtomicBool::new(false);
        Self { view, entry, name: None, spent_ns, screens, suspected, better, sized, was_sought }
    }
}

impl std::fmt::Debug for Tier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tier")
            .field("spent_ns", &self.spent_ns)
            .field("better", &self.better)
            .finish_non_exhaustive()
    }
}

impl Kernel {
    /// Names it, in messages.
    pub(crate) fn set_name(&mut self, name: Symbol) {
        self.name = name;
        if let Some(tier) = &mut self.tier {
            tier.name = Some(name);
            for form in [&mut tier.better, &mut tier.sized] {
                if let Some(Some(better)) = form.get_mut() {
                    better.name = name;
                }
            }
        }
    }

    /// Returns the best form that there is of this kernel.
    #[inline]
    pub fn best(&self) -> &Self {
        let tier = self.tier.as_ref().filter(|it| !it.screens);
        let forms = tier.into_iter().flat_map(|it| [&it.better, &it.sized]);
        forms.filter_map(|it| it.get()?.as_deref()).next_back().unwrap_or(self)
    }

    /// Returns the form that runs groups of these items: the kernel itself as long as launches may make another. Launches with
    /// reports make none, and take the form for all sizes if there is one.
    #[inline]
    pub(crate) fn form_for(&self, items: &[i64; 3]) -> &Self {
        let Some(tier) = self.tier.as_ref().filter(|it| !it.screens) else { return self };
        match tier.sized.get() {
            None if !self.program.entry().reports => self,
            Some(Some(sized)) if sized.runs_groups_of(items) => sized,
            None | Some(_) => tier.better.get().and_then(Option::as_deref).unwrap_or(self),
        }
    }

    /// Whether it is compiled for groups of this size alone.
    pub(crate) fn runs_groups_of(&self, items: &[i64; 3]) -> bool {
        matches!(&self.entry, KernelEntry::Cpu(it) if it.group_size() == Some(*items))
    }
}
