//! The functions of a request, decoded, and the roles of those that belong to the device's runtime.

use kiln_ir::IrCode;
use kiln_unit::{CodegenRequest, Plain, RuntimeRole, Traits};

/// A decoded function of the request.
pub(crate) struct Source {
    pub(crate) code: IrCode,
    /// The ordinals of its callees, by the instances that its `Invoke`s name.
    pub(crate) callees: Vec<u32>,
    /// The traits of a function that another unit defines.
    pub(crate) external: Option<Traits>,
}

/// The functions of the device's runtime, by their ordinals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Runtime {
    /// Signals a failure.
    pub(crate) signal: Option<u32>,
    /// Claims the failure record, where operands are recorded.
    pub(crate) claim: Option<u32>,
    /// Reserves room for a report.
    pub(crate) reserve: Option<u32>,
    /// Allocates an object.
    pub(crate) allocate: Option<u32>,
    /// Records a call on the way out of a failure.
    pub(crate) frame: Option<u32>,
    /// Box primitive values, in the order of `kiln_types::boxing::plain_types`.
    pub(crate) boxes: [Option<u32>; Plain::ALL.len()],
    /// Unbox them.
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
