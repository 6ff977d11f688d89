//! Device artifacts: code for a driver, and the mapping from a launch's arguments to the kernel's.
//!
//! Plain data, the same in every process; the driver's loaded form is [`DeviceKernel`](crate::DeviceKernel).

use crate::{DeviceError, spirv};

/// How a Metal library begins.
const METALLIB: &[u8] = b"MTLB";

/// The format of an artifact's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A SPIR-V module in OpenCL's flavour, in the byte order of this machine.
    Spirv,
    /// Text for the driver's own assembler.
    Ptx,
    /// Code of one NVIDIA architecture.
    Cubin,
    /// A library of Metal, of which a device makes a pipeline.
    Metallib,
}

impl Format {
    /// The format of this name, as the facts of targets have it.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "spirv" => Some(Self::Spirv),
            "ptx" => Some(Self::Ptx),
            "cubin" => Some(Self::Cubin),
            "metallib" => Some(Self::Metallib),
            _ => None,
        }
    }
}

/// A kernel for a device, with the data needed to launch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceArtifact {
    /// The format of `code`.
    pub format: Format,
    /// The bytes for the device's driver.
    pub code: Vec<u8>,
    /// The kernel's name in it.
    pub entry: String,
    /// The kernel's parameters, in their order.
    pub params: Vec<Param>,
    /// Size in bytes of the block that a launch's arguments are in.
    pub args_bytes: u32,
    /// Items report: the kernel state has room for that behind the record of the first failure.
    pub reports: bool,
    /// Bytes of memory that a launch has for the objects that its items make; 0 if they make none.
    pub heap_bytes: u64,
}

/// One parameter of a kernel, and the bytes of the arguments' block that it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The kind of the parameter.
    pub kind: ParamKind,
    /// First byte.
    pub offset: u32,
    /// The size in bytes; 0 for parameters that the launch supplies.
    pub size: u32,
}

/// The meaning of a parameter for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A number, or anything else that is no address.
    Value,
    /// An address of the device's global memory, 8 bytes.
    Pointer,
    /// A structure by value, possibly with addresses in it.
    Aggregate,
    /// The kernel state: an address that the launch supplies, of a record of the first failure.
    State,
    /// The dynamic shared memory of a group, which the launch supplies.
    DynamicShared,
}

impl Param {
    /// A parameter that the launch supplies.
    pub fn supplied(kind: ParamKind) -> Self {
        Self { kind, offset: 0, size: 0 }
    }

    /// A parameter that is `size` bytes of the block from `offset` on.
    pub fn in_block(kind: ParamKind, offset: u32, size: u32) -> Self {
        Self { kind, offset, size }
    }

    /// Its bytes of a block that [`DeviceArtifact::check`] has found to be large enough.
    #[cfg(any(feature = "cuda", feature = "opencl"))]
    pub(crate) fn bytes<'a>(&self, block: &'a [u8]) -> &'a [u8] {
        &block[self.offset as usize..][..self.size as usize]
    }
}

impl DeviceArtifact {
    /// Whether its kernel gets a record of failures.
    pub fn needs_state(&self) -> bool {
        self.params.iter().any(|it| it.kind == ParamKind::State)
    }

    /// Checks that the fields are consistent.
    ///
    /// # Errors
    /// Fails if the parameters do not fit the block.
    pub fn check(&self) -> Result<(), DeviceError> {
        let malformed =
            |why: &str| Err(DeviceError::Malformed { entry: self.entry.clone(), why: why.to_owned() });
        if self.entry.is_empty() || self.entry.contains('\0') {
            return malformed("a kernel has a name without zero bytes");
        }
        if self.code.is_empty() {
            return malformed("it has no code");
        }
        if self.format == Format::Ptx && self.code.contains(&0) {
            return malformed("its text has zero bytes");
        }
        if self.format == Format::Cubin && !is_whole_elf(&self.code) {
            return malformed("its code is not a whole ELF file");
        }
        if self.format == Format::Metallib && !self.code.starts_with(METALLIB) {
            return malformed("its code is not a Metal library");
        }
        if self.format == Format::Spirv {
            let found = match spirv::kernels(&self.code) {
                Ok(found) => found,
                Err(why) => return malformed(why),
            };
            if !found.contains(&self.entry) {
                let found = found.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
                return Err(DeviceError::NoKernel { entry: self.entry.clone(), found });
            }
        }
        for param in &self.params {
            let end = u64::from(param.offset) + u64::from(param.size);
            let size_is_right = match param.kind {
                ParamKind::Value | ParamKind::Aggregate => param.size > 0,
                ParamKind::Pointer => param.size == 8,
                ParamKind::State | ParamKind::DynamicShared => param.size == 0,
            };
            if end > u64::from(self.args_bytes) || !size_is_right {
                return malformed("a parameter does not fit the block of arguments");
            }
        }
        if self.params.iter().filter(|it| it.kind == ParamKind::State).count() > 1 {
            return malformed("it has more than one kernel state");
        }
        if self.reports && !self.needs_state() {
            return malformed("its items report, and it has no kernel state");
        }
        if self.heap_bytes > 0 && !self.needs_state() {
            return malformed("its items make objects, and it has no kernel state");
        }
        Ok(())
    }
}

/// Whether a file of ELF's 64-bit form, in this machine's byte order, holds its tables of sections and segments
/// completely: the driver does not receive its length.
fn is_whole_elf(code: &[u8]) -> bool {
    let number = |at: usize, size: usize| {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&code[at..at + size]);
        u64::from_le_bytes(bytes)
    };
    let table_fits = |offset: usize, entry: usize, count: usize| {
        let bytes = number(entry, 2) * number(count, 2);
        number(offset, 8).checked_add(bytes).is_some_and(|end| end <= code.len() as u64)
    };
    code.len() >= 64 && code.starts_with(b"\x7fELF\x02") && table_fits(32, 54, 56) && table_fits(40, 58, 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(params: Vec<Param>) -> DeviceArtifact {
        let code = b".version 8.0".to_vec();
        DeviceArtifact {
            format: Format::Ptx,
            code,
            entry: "k".into(),
            params,
            args_bytes: 16,
            reports: false,
            heap_bytes: 0,
        }
    }

    /// A parameter outside the block is found before a driver sees it.
    #[test]
    fn parameters_lie_in_the_block() {
        let fits = [
            Param::supplied(ParamKind::State),
            Param::in_block(ParamKind::Aggregate, 0, 12),
            Param::in_block(ParamKind::Value, 12, 4),
            Param::supplied(ParamKind::DynamicShared),
        ];
        assert_eq!(artifact(fits.to_vec()).check(), Ok(()));
        let wrong = [
            vec![Param::in_block(ParamKind::Value, 13, 4)],
            vec![Param::in_block(ParamKind::Value, u32::MAX, u32::MAX)],
            vec![Param::in_block(ParamKind::Pointer, 0, 4)],
            vec![Param::in_block(ParamKind::Value, 0, 0)],
            vec![Param::supplied(ParamKind::State); 2],
        ];
        for params in wrong {
            let made = artifact(params);
            assert!(matches!(made.check(), Err(DeviceError::Malformed { .. })), "{:?}", made.params);
        }
    }

    /// Names and code are looked at too.
    #[test]
    fn code_and_names_are_looked_at() {
        let good = artifact(Vec::new());
        for (entry, code, format) in [
            ("", &b"x"[..], Format::Ptx),
            ("a\0b", b"x", Format::Ptx),
            ("k", b"", Format::Ptx),
            ("k", b"// text\0", Format::Ptx),
            ("k", b"\x7fELF\x02 and no more", Format::Cubin),
            ("k", b"not a module of whole words!", Format::Spirv),
            ("k", b"MTL, but no library", Format::Metallib),
            ("k", b"\x03\x02\x23\x07 too short", Format::Spirv),
        ] {
            let made = DeviceArtifact { entry: entry.into(), code: code.to_vec(), format, ..good.clone() };
            assert!(made.check().is_err(), "{entry:?}, {code:?}");
        }
    }
}
