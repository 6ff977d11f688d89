//! What every launch has, whatever the device: its size, and what becomes of an item that fails or reports.

/// The size of a launch: less than 2^31 groups, and items of a group, in each dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Groups in each dimension.
    pub groups: [i64; 3],
    /// Items of a group in each dimension.
    pub items: [i64; 3],
    /// Dynamic shared memory a group, in bytes.
    pub dynamic_shared_bytes: usize,
}

impl Grid {
    /// Whether it has no item: launching it does nothing.
    pub fn is_empty(&self) -> bool {
        self.groups.iter().chain(&self.items).any(|it| *it <= 0)
    }
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

/// What an item told the host while it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The kernel's site number, from 1.
    pub site: u32,
    /// The site's operands.
    pub operands: Box<[u8]>,
}
