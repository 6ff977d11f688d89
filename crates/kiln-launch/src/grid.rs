//! The parts of a launch that are the same on every device: its size, failures and reports of items.

/// Shared memory of a group on a processor, static and dynamic, in bytes: as much as a group has on the GPU that has the most.
pub const SHARED_BYTES_MAX: usize = 227 << 10;

/// The size of a launch: less than 2^31 groups, and items of a group, in each dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Groups in each dimension.
    pub groups: [i64; 3],
    /// Items of a group in each dimension.
    pub items: [i64; 3],
    /// Dynamic shared memory a group, in bytes.
    pub dynamic_shared_bytes: usize,
    /// The groups that may wait for each other.
    pub together: Together,
}

/// The groups of a launch that run at the same time and may wait for each other. By default no groups do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Together {
    /// All of them, on devices that launch so; others start them in any order.
    pub is_cooperative: bool,
    /// Those of a cluster, by the number of groups in each dimension. A device without clusters refuses more than one.
    pub cluster: [i64; 3],
}

impl Together {
    /// No groups.
    pub const NONE: Self = Self { is_cooperative: false, cluster: [1; 3] };

    /// Whether clusters have more than one group.
    pub fn has_clusters(&self) -> bool {
        self.cluster != [1; 3]
    }
}

impl Default for Together {
    fn default() -> Self {
        Self::NONE
    }
}

impl Grid {
    /// Whether it has no item: launching it does nothing.
    pub fn is_empty(&self) -> bool {
        self.groups.iter().chain(&self.items).any(|it| *it <= 0)
    }
}

/// The seed of the random numbers that items draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    /// Equal numbers are drawn for equal values.
    pub value: u64,
    /// A nonzero number of this launch alone: a launch does not mistake leftovers in the memory of groups for its
    /// own.
    pub launch: u32,
}

/// The first item that failed in a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kernel's site number, from 1.
    pub site: u32,
    /// The group, from 0.
    pub group_id: [i64; 3],
    /// The item in it, from 0.
    pub local_id: [i64; 3],
    /// The site's operands as it left them.
    pub operands: Vec<u8>,
    /// Debug level 2: the sites of the calls it was in, innermost first.
    pub frames: Vec<u32>,
}

/// A report of a running item to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The kernel's site number, from 1.
    pub site: u32,
    /// The site's operands.
    pub operands: Box<[u8]>,
}
