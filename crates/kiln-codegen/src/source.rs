//! The functions of a request, as the stages of a unit read them, and those of them that are the device's runtime.

use kiln_ir::IrCode;
use kiln_unit::{CodegenRequest, Plain, RuntimeRole, Traits};

/// A function of the request, read.
pub(crate) struct Source {
    pub(crate) code: IrCode,
    /// Ordinals of what its `Invoke`s name.
    pub(crate) callees: Vec<u32>,
    /// Defined by another unit, which says this of it.
    pub(crate) external: Option<Traits>,
}

/// Functions of the device's runtime, by their ordinals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Runtime {
    /// Called by an item that fails.
    pub(crate) signal: Option<u32>,
    /// The same, where the operands are kept.
    pub(crate) claim: Option<u32>,
    /// Called by an item that reports.
    pub(crate) reserve: Option<u32>,
    /// Called by an item that makes an object.
    pub(crate) allocate: Option<u32>,
    /// Called by an item that has failed, in each call on the way out.
    pub(crate) frame: Option<u32>,
    /// Make boxes of numbers, in the order of `Types::plain_types`.
    pub(crate) boxes: [Option<u32>; Plain::ALL.len()],
    /// Read them.
    pub(crate) unboxes: [Option<u32>; Plain::ALL.len()],
}

impl Runtime {
    /// Returns the functions that a request names.
    pub(crate) fn of_request(request: &CodegenRequest) -> Self {
        let find = |role| request.runtime.iter().find(|it| it.0 == role).map(|it| it.1);
        Self {
            signal: find(RuntimeRole::Signal),
            claim: find(RuntimeRole::Claim),
            reserve: find(RuntimeRole::Reserve),
            allocate: find(RuntimeRole::Allocate),
            frame: find(RuntimeRole::Frame),
            boxes: Plain::ALL.map(|it| find(RuntimeRole::Box(it))),
            unboxes: Plain::ALL.map(|it| find(RuntimeRole::Unbox(it))),
        }
    }
    /// Returns the function that a failing item calls.
    pub(crate) fn failure(&self) -> Option<u32> {
        self.claim.or(self.signal)
    }
}
