//! The check of one access.

use super::finding::{Finding, FindingKind, MemorySpace, Party};
use super::memory::Fault;
use super::shadow::{Cell, Touch};
use super::{Checker, SPINS_MAX, Undecided, hooks};
use kiln_unit::{ACCESS_ATOMIC, ACCESS_READ, ACCESS_RELEASE, ACCESS_WRITE};

/// An access that an item is about to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) address: u64,
    pub(super) bytes: u64,
    /// Bits `ACCESS_*`.
    pub(super) bits: u32,
    pub(super) site: u32,
}

impl Access {
    fn reads(self) -> bool {
        self.bits & ACCESS_READ != 0
    }
    fn writes(self) -> bool {
        self.bits & ACCESS_WRITE != 0
    }
    fn is_atomic(self) -> bool {
        self.bits & ACCESS_ATOMIC != 0
    }
}

/// The consequence for the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It makes the access.
    Go,
    /// The access would leave all memory: it is made elsewhere.
    Elsewhere,
}

impl Checker {
    #[inline]
    pub(super) fn access(&mut self, access: Access) -> Verdict {
        if self.undecided.is_some() {
            decide(self);
        }
        if self.checks.memory
            && let Some(fault) = self.memory.fault(access.address, access.bytes, access.writes(), access.site)
        {
            let (kind, declared) = match fault {
                Fault::OutOfBounds => (FindingKind::OutOfBounds, 0),
                Fault::Freed => (FindingKind::UseAfterFree, 0),
                Fault::Constant(site) => (FindingKind::ConstantWrite, site),
            };
            let mut finding = finding(self, kind, access, None);
            finding.declared = declared.max(finding.declared);
            self.findings.add(finding);
            return Verdict::Elsewhere;
        }
        let (item, is_private) = (self.running.item, self.memory.is_private(access.address));
        if self.checks.uninit && (is_private || self.memory.is_of_group(access.address)) {
            check_written(self, access);
        }
        if access.is_atomic() && access.reads() {
            self.clocks.acquire(item, access.address);
        }
        if self.checks.race && !is_private {
            check_order(self, access);
        }
        if access.is_atomic() && access.writes() {
            let (releases, keeps) = (access.bits & ACCESS_RELEASE != 0, access.reads());
            self.clocks.release(item, access.address, releases, keeps);
        }
        Verdict::Go
    }

    /// Whether the item seems to wait for another, so that others are to run before the access.
    pub(super) fn lets_others_run(&mut self, access: Access) -> bool {
        self.spins = if access.is_atomic() && access.reads() { self.spins + 1 } else { 0 };
        let waits = self.spins >= SPINS_MAX;
        self.spins = if waits { 0 } else { self.spins };
        waits
    }
}

/// Finds reads of what was not written, and notes writes.
fn check_written(checker: &mut Checker, access: Access) {
    if access.reads() && checker.shadow.is_unwritten(access.address, access.bytes) {
        let finding = finding(checker, FindingKind::Uninit, access, None);
        checker.findings.add(finding);
    }
    if access.writes() {
        checker.shadow.mark(access.address, access.bytes, false);
    }
}

/// Compares an access with those before it to the same place, and notes it.
fn check_order(checker: &mut Checker, access: Access) {
    let (item, clocks) = (checker.running.item, &mut checker.clocks);
    let of_group = checker.memory.is_of_group(access.address);
    let touch = Touch::new(clocks.segment(item), access.site, access.is_atomic());
    // The first access of another item that conflicts, and whether it wrote; reads first, since equal values excuse writes.
    let (mut read, mut write) = (None, None);
    checker.shadow.visit(access.address, access.bytes, |cells| {
        for cell in cells {
            let conflicts = |it: Touch| {
                it.segment != touch.segment
                    && it.segment != 0
                    && !(access.is_atomic() && it.is_atomic())
                    && !clocks.is_before(item, it.segment, of_group)
            };
            if write.is_none() {
                write = [cell.write, cell.atomic].into_iter().find(|it| conflicts(*it));
            }
            if access.writes() && read.is_none() {
                read = cell.reads.into_iter().find(|it| conflicts(*it));
            }
            note(cell, touch, access.writes(), |it| clocks.is_before(item, it.segment, of_group));
        }
    });
    match (read, write) {
        (None, None) => {}
        (None, Some(other)) => conflict(checker, access, other, true),
        (Some(other), _) => conflict(checker, access, other, false),
    }
}

/// Adds the finding of an access that conflicts with an earlier one; that of a plain write after another once it is known whether
/// it changes the value.
fn conflict(checker: &mut Checker, access: Access, other: Touch, writes: bool) {
    let Some((group, item)) = checker.clocks.owner(other.segment) else { return };
    let party = checker.running.party(group, item as usize, other.site());
    let other = Party { writes, is_atomic: other.is_atomic(), ..party };
    let finding = finding(checker, FindingKind::Race, access, Some(other));
    let are_plain_writes = writes && !access.reads() && !access.is_atomic() && !other.is_atomic;
    if are_plain_writes && access.bytes <= 16 {
        let before = hooks::bytes_at(access.address, access.bytes);
        checker.undecided = Some(Undecided { finding, before });
    } else {
        checker.findings.add(finding);
    }
}

/// Decides about the last write, which has been made.
pub(super) fn decide(checker: &mut Checker) {
    if let Some(Undecided { finding, before }) = checker.undecided.take()
        && hooks::bytes_at(finding.address, finding.bytes) != before
    {
        checker.findings.add(finding);
    }
}

fn finding(checker: &Checker, kind: FindingKind, access: Access, other: Option<Party>) -> Finding {
    let (running, place) = (checker.running, checker.memory.place(access.address));
    let party = running.party(running.group, running.item, access.site);
    Finding {
        kind,
        party: Party { writes: access.writes(), is_atomic: access.is_atomic(), ..party },
        other,
        address: access.address,
        bytes: access.bytes,
        space: place.map_or(MemorySpace::Global, |it| it.space),
        declared: place.map_or(0, |it| it.site),
        offset: place.map_or(0, |it| access.address.wrapping_sub(it.start) as i64),
        count: 1,
    }
}

/// Notes an access in its cell.
#[inline]
fn note(cell: &mut Cell, touch: Touch, writes: bool, is_before: impl Fn(Touch) -> bool) {
    if writes && touch.is_atomic() {
        cell.atomic = touch;
        return;
    }
    if writes {
        // What came before this is before those who come after it.
        *cell = Cell { write: touch, ..Cell::default() };
        return;
    }
    let [first, second] = &mut cell.reads;
    if first.segment == touch.segment || first.segment == 0 || is_before(*first) {
        *first = touch;
    } else {
        *second = touch;
    }
}
