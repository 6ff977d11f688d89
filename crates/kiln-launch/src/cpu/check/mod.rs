//! The sanitizer of the CPU device: the checks of kernels that were compiled with them.
//!
//! A checked kernel calls the functions of [`hooks`] before each access, at each barrier and at each fence. Its groups run one
//! after another on one thread, and their items in turn, so that what is found is the same in every run, and needs no locks. What
//! orders accesses is not the order of that run, but that of the program: see [`clocks`].
//!
//! # Invariants
//! * A finding is certain: where what is known is limited (old clocks, numbers that start again), accesses pass for ordered.

mod access;
mod clocks;
mod finding;
mod hooks;
mod memory;
mod ranges;
mod screen;
mod segments;
mod shadow;

pub use finding::{Finding, FindingKind, MemorySpace, Party};
pub(super) use hooks::{Run, end_screened, run, run_screened};
pub use memory::HostArray;
pub(super) use memory::RED_ZONE;

use crate::grid::Grid;
use clocks::Clocks;
use finding::Findings;
use kiln_unit::{Checks, DECLARED_WRITTEN};
use memory::Memory;
use screen::Screen;
use shadow::Shadow;

/// The atomic reads in a row after which an item lets others run.
const SPINS_MAX: u32 = 64;

/// The state of the checks of a session, from launch to launch.
#[derive(Debug)]
pub struct Checker {
    checks: Checks,
    shadow: Shadow,
    clocks: Clocks,
    memory: Memory,
    findings: Findings,
    /// A write to what another item wrote without an order: a finding unless it writes the same.
    undecided: Option<Undecided>,
    running: Running,
    /// Atomic reads in a row, of the item that runs.
    spins: u32,
    /// Memory for accesses that would leave all memory.
    sink: Vec<u64>,
    /// For the launches that are screened first.
    screen: Screen,
    /// Whether the last launch was screened, and suspected.
    pub(super) is_suspected: bool,
}

/// A write that waits for its value.
#[derive(Debug)]
struct Undecided {
    finding: Finding,
    before: [u8; 16],
}

impl Checker {
    /// The state before the first launch.
    pub fn new(checks: Checks) -> Self {
        Self {
            checks,
            shadow: Shadow::new(),
            clocks: Clocks::new(),
            memory: Memory::default(),
            findings: Findings::default(),
            undecided: None,
            running: Running::default(),
            spins: 0,
            sink: Vec::new(),
            screen: Screen::new(hooks::screen_state()),
            is_suspected: false,
        }
    }

    /// Takes the findings of the last launch.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        self.findings.take()
    }

    /// Whether the last launch was screened, and suspected: then it was made again with all checks.
    pub fn is_suspected(&self) -> bool {
        self.is_suspected
    }

    /// Begins a launch: those before it are over.
    pub(super) fn begin_launch(&mut self, grid: &Grid) {
        self.running = Running { groups: grid.groups, items: grid.items, group: 0, item: 0 };
        self.clocks.begin_launch();
    }

    fn begin_group(&mut self, group: i64) {
        self.running.group = group;
        let items = self.running.items.iter().product::<i64>() as u32;
        if self.clocks.begin_group(group, items) {
            self.shadow.forget_accesses();
        }
        if self.checks.uninit {
            for (start, bytes) in self.memory.group_memory() {
                self.shadow.mark(start, bytes, true);
            }
        }
        self.memory.begin_group();
    }

    /// Notes memory of the running item.
    fn declare(&mut self, (start, bytes): (u64, u64), kind: u32, site: u32) {
        let is_new =
            self.memory.declare((start, bytes), (kind, site), (self.running.group, self.running.item));
        let is_written = kind == DECLARED_WRITTEN;
        if (is_new || is_written) && self.checks.uninit {
            self.shadow.mark(start, bytes, !is_written);
        }
    }

    fn fence(&mut self) {
        self.clocks.fence(self.running.item);
    }

    /// Returns memory for an access that is not made where it was meant to be.
    fn elsewhere(&mut self, bytes: u64) -> *mut u8 {
        let words = (bytes as usize).div_ceil(8);
        self.sink.clear();
        self.sink.resize(words, 0);
        self.sink.as_mut_ptr().cast()
    }

    /// Notes which item runs from here on.
    fn resumes(&mut self, item: usize) {
        access::decide(self);
        (self.running.item, self.spins) = (item, 0);
    }

    fn warp_met(&mut self, first: usize, mask: u64) {
        access::decide(self);
        self.clocks.warp_met(first, mask);
    }

    /// Notes that all items have stopped: at the barrier of a site, or at the end (`None`).
    fn group_met(&mut self, places: &[Option<u32>]) {
        access::decide(self);
        if self.clocks.group_met() {
            self.shadow.forget_accesses();
        }
        if self.checks.barrier
            && let Some(finding) = self.running.divergence(places)
        {
            self.findings.add(finding);
        }
    }
}

/// The grid of the running launch, and the item that runs.
#[derive(Clone, Copy, Debug, Default)]
struct Running {
    groups: [i64; 3],
    items: [i64; 3],
    /// In linear order.
    group: i64,
    /// In linear order, in its group.
    item: usize,
}

impl Running {
    /// Returns a party that accesses nothing.
    fn party(&self, group: i64, item: usize, site: u32) -> Party {
        let (group, item) = (unlinear(group, self.groups), unlinear(item as i64, self.items));
        Party { site, group, item, writes: false, is_atomic: false }
    }

    /// Finds an item that does not wait at the barrier at which the first waiting item does. `places` are the sites of their
    /// barriers; items without one have returned.
    fn divergence(&self, places: &[Option<u32>]) -> Option<Finding> {
        let (first, site) = places.iter().enumerate().find_map(|(item, it)| Some((item, (*it)?)))?;
        let (other, place) = places.iter().enumerate().find(|it| *it.1 != Some(site))?;
        Some(Finding {
            kind: FindingKind::Barrier,
            party: self.party(self.group, first, site),
            other: Some(self.party(self.group, other, place.unwrap_or(0))),
            address: 0,
            bytes: 0,
            space: MemorySpace::Global,
            declared: 0,
            offset: 0,
            count: 1,
        })
    }
}

/// Returns the index in each dimension of the index in linear order.
fn unlinear(index: i64, size: [i64; 3]) -> [i64; 3] {
    [index % size[0], index / size[0] % size[1], index / size[0] / size[1]]
}
