//! Findings of the checks, each cause once.

use std::collections::HashMap;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// An access outside of the memory that it was made for.
    OutOfBounds,
    /// An access to memory that was freed.
    UseAfterFree,
    /// A write to an array that the kernel promised not to write.
    ConstantWrite,
    /// Two accesses to one location without an order between them.
    Race,
    /// Items of a group at different barriers, or at none while others wait.
    Barrier,
    /// A read of memory that no item wrote.
    Uninit,
}

/// The memory of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySpace {
    /// The static shared memory of the group.
    Shared,
    /// The dynamic shared memory of the group.
    Dynamic,
    /// The private memory of the item.
    Private,
    /// Any other memory.
    Global,
}

/// One party of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    /// The number of its site, as in a launch record; 0: it has returned.
    pub site: u32,
    /// The group, from 0.
    pub group: [i64; 3],
    /// The item in it, from 0.
    pub item: [i64; 3],
    /// Whether it writes.
    pub writes: bool,
    /// Whether its access is atomic.
    pub is_atomic: bool,
}

/// A cause that a check has found: its first occurrence, and how many there were in the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The item whose access or barrier showed it.
    pub party: Party,
    /// The other item of a race or of a barrier.
    pub other: Option<Party>,
    /// The address of the access; 0 at a barrier.
    pub address: u64,
    /// The bytes of the access.
    pub bytes: u64,
    /// The memory of the access.
    pub space: MemorySpace,
    /// The site that declared the memory; 0 if none did.
    pub declared: u32,
    /// The offset of the access in the memory of its space, if that is memory of the group or the item.
    pub offset: i64,
    /// How often it was found.
    pub count: u64,
}

/// The findings of a launch.
#[derive(Debug, Default)]
pub(super) struct Findings {
    all: Vec<Finding>,
    /// By cause: the kind and the sites of both parties, the lower first.
    known: HashMap<(FindingKind, u32, u32), usize>,
}

impl Findings {
    /// Adds a finding, or counts it if its cause is known.
    pub(super) fn add(&mut self, finding: Finding) {
        let (a, b) = (finding.party.site, finding.other.map_or(0, |it| it.site));
        let cause = (finding.kind, a.min(b), a.max(b));
        match self.known.get(&cause) {
            Some(&at) => self.all[at].count += 1,
            None => {
                self.known.insert(cause, self.all.len());
                self.all.push(finding);
            }
        }
    }

    /// Takes all of them.
    pub(super) fn take(&mut self) -> Vec<Finding> {
        self.known.clear();
        std::mem::take(&mut self.all)
    }
}
