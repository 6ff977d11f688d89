//! The checks of the sanitizer, and the functions of the launcher that checked kernels call.
//!
//! A checked kernel runs on the CPU, item by item ([`ItemEntry`](crate::ItemEntry)), and calls a function of
//! [`CheckTable`] before each access to memory, at each barrier and at each fence. Sites are numbers of
//! [`SITE_ACCESS`](crate::SITE_ACCESS), as in [`LaunchRecord::site`](crate::LaunchRecord).

use crate::LaunchContext;
use std::fmt;
use std::str::FromStr;

/// Which checks kernels are compiled and run with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Checks {
    /// Accesses outside of arrays, to memory that was freed, and writes to constant arrays.
    pub memory: bool,
    /// Accesses of two items to one location without an order between them.
    pub race: bool,
    /// Items of a group that wait at different barriers, or at none while others wait.
    pub barrier: bool,
    /// Reads of shared and private memory that no item wrote.
    pub uninit: bool,
}

/// The names of the checks, in the order of the fields.
const NAMES: [&str; 4] = ["memory", "race", "barrier", "uninit"];

impl Checks {
    /// No checks.
    pub const NONE: Self = Self { memory: false, race: false, barrier: false, uninit: false };
    /// All checks.
    pub const ALL: Self = Self { memory: true, race: true, barrier: true, uninit: true };

    /// Whether there is a check at all.
    pub fn any(self) -> bool {
        self.bits() != 0
    }

    /// Whether accesses to memory are checked.
    pub fn watches_accesses(self) -> bool {
        self.memory || self.race || self.uninit
    }

    /// Returns the checks as bits, the first field lowest.
    pub fn bits(self) -> u8 {
        let all = [self.memory, self.race, self.barrier, self.uninit];
        all.iter().enumerate().fold(0, |bits, (at, it)| bits | u8::from(*it) << at)
    }

    /// The inverse of `bits`; others are ignored.
    pub fn from_bits(bits: u8) -> Self {
        let bit = |at: u8| bits >> at & 1 == 1;
        Self { memory: bit(0), race: bit(1), barrier: bit(2), uninit: bit(3) }
    }
}

/// A name that no check has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCheck(String);

impl fmt::Display for UnknownCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no check is called `{}`; there are all, {}", self.0, NAMES.join(", "))
    }
}

impl std::error::Error for UnknownCheck {}

impl FromStr for Checks {
    type Err = UnknownCheck;

    /// Names with commas between them, or `all`.
    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        let mut bits = 0;
        for name in text.split(',').map(str::trim) {
            bits |= match NAMES.iter().position(|it| *it == name) {
                Some(at) => 1 << at,
                None if name == "all" => Self::ALL.bits(),
                None => return Err(UnknownCheck(name.to_owned())),
            };
        }
        Ok(Self::from_bits(bits))
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = NAMES.iter().enumerate().filter(|(at, _)| self.bits() >> at & 1 == 1);
        f.write_str(&on.map(|it| *it.1).collect::<Vec<_>>().join(","))
    }
}

/// Bit of an access: it reads.
pub const ACCESS_READ: u32 = 1;
/// Bit of an access: it writes.
pub const ACCESS_WRITE: u32 = 2;
/// Bit of an access: it is atomic.
pub const ACCESS_ATOMIC: u32 = 4;
/// Bit of an atomic access or a fence: later accesses stay behind it.
pub const ACCESS_ACQUIRE: u32 = 8;
/// Bit of an atomic access or a fence: earlier accesses stay before it.
pub const ACCESS_RELEASE: u32 = 16;
/// Bit of a fence: it orders for the items of the group alone.
pub const ACCESS_GROUP: u32 = 32;

/// Kind of declared memory: a block of static shared memory.
pub const DECLARED_SHARED: u32 = 0;
/// Kind of declared memory: the dynamic shared memory.
pub const DECLARED_DYNAMIC: u32 = 1;
/// Kind of declared memory: private memory of the item.
pub const DECLARED_PRIVATE: u32 = 2;
/// Kind of declared memory: an array that the kernel promises not to write.
pub const DECLARED_CONSTANT: u32 = 3;
/// Kind of declared memory: a block of static shared memory that passes for written.
pub const DECLARED_WRITTEN: u32 = 4;
/// Kind of declared memory, for the screen: a block in which the lanes of a warp exchange values between two meetings, so that all
/// accesses are in order.
pub const DECLARED_LANES: u32 = 5;

/// The functions of the launcher that checked kernels call.
#[repr(C)]
#[derive(Debug)]
pub struct CheckTable {
    /// Called before an access to `bytes` bytes, with bits `ACCESS_*`: returns the address to access instead.
    pub access: unsafe extern "C" fn(
        ctx: *mut LaunchContext,
        address: *mut u8,
        bytes: u64,
        access: u32,
        site: u32,
    ) -> *mut u8,
    /// Called at a fence, with bits `ACCESS_*`.
    pub fence: unsafe extern "C" fn(ctx: *mut LaunchContext, order: u32),
    /// Called at a barrier of the group instead of `LaunchContext::barrier`.
    pub barrier: unsafe extern "C" fn(ctx: *mut LaunchContext, site: u32),
    /// Called when an item gets the address of memory, of the kind `DECLARED_*`.
    pub declare:
        unsafe extern "C" fn(ctx: *mut LaunchContext, address: *mut u8, bytes: u64, kind: u32, site: u32),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn names_are_read_and_shown() {
        assert_eq!("all".parse(), Ok(Checks::ALL));
        let some: Checks = "race, uninit".parse().unwrap();
        assert_eq!((some.to_string().as_str(), some.bits()), ("race,uninit", 10));
        assert_eq!(Checks::from_bits(10), some);
        assert!("races".parse::<Checks>().unwrap_err().to_string().contains("memory, race, barrier, uninit"));
    }

    /// Codegen addresses these fields by number.
    #[test]
    fn functions_are_where_codegen_looks() {
        assert_eq!(offset_of!(CheckTable, access), 0);
        assert_eq!(offset_of!(CheckTable, fence), 8);
        assert_eq!(offset_of!(CheckTable, barrier), 16);
        assert_eq!(offset_of!(CheckTable, declare), 24);
    }
}
