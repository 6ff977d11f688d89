//! The data beside code that was built ahead of time: a descriptor of each kernel or function, which C reads as
//! `struct kiln_rt_kernel` (`include/kiln_rt.h`), and its description, which only a failure needs.
//!
//! The descriptor is a constant of the library: numbers, the address of the entry, and the place of the description. The
//! description is bytes: the name, and a text for each site, with gaps for operands.

use crate::{OperandPlace, RECORD_OPERAND_BYTES};
use kiln_bytes::{Malformed, Read, Reader, Writer};

/// The version of descriptors and descriptions.
pub const DESCRIPTOR_VERSION: u32 = 1;
/// `KernelDescriptor::kind` of a kernel whose entry is a [`GroupsEntry`](crate::GroupsEntry).
pub const KIND_GROUPS: u32 = 1;
/// `KernelDescriptor::kind` of a kernel whose entry is an [`ItemEntry`](crate::ItemEntry).
pub const KIND_ITEM: u32 = 2;
/// `KernelDescriptor::kind` of a function, whose entry is a [`FunctionEntry`](crate::FunctionEntry).
pub const KIND_FUNCTION: u32 = 3;

/// A kernel or a function, as C sees it.
#[repr(C)]
#[derive(Debug)]
pub struct KernelDescriptor {
    /// The form of this struct and of the description.
    pub version: u32,
    /// The kind of the entry: `KIND_*`.
    pub kind: u32,
    /// Size in bytes of the block of arguments.
    pub args_bytes: u32,
    /// Size in bytes of the result of a function.
    pub result_bytes: u32,
    /// Static shared memory of a group, in bytes.
    pub shared_bytes: u32,
    /// Size in bytes of the frame of an item.
    pub frame_bytes: u32,
    /// Items of a warp; 0: as many as usual.
    pub lanes: u32,
    /// Zero.
    pub reserved: u32,
    /// Bytes of memory for the objects of a launch; 0 if its items make none.
    pub heap_bytes: u64,
    /// The address of the entry.
    pub entry: *const core::ffi::c_void,
    /// The description.
    pub description: *const u8,
    /// Its length in bytes.
    pub description_bytes: u64,
}

/// Bytes of a descriptor.
pub const DESCRIPTOR_BYTES: usize = size_of::<KernelDescriptor>();
/// The offset of the address of the entry in a descriptor.
pub const DESCRIPTOR_ENTRY: usize = core::mem::offset_of!(KernelDescriptor, entry);
/// The offset of the address of the description in a descriptor.
pub const DESCRIPTOR_DESCRIPTION: usize = core::mem::offset_of!(KernelDescriptor, description);

/// The numbers of a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DescriptorFacts {
    /// The kind of the entry: `KIND_*`.
    pub kind: u32,
    /// See [`KernelDescriptor::args_bytes`].
    pub args_bytes: u32,
    /// See [`KernelDescriptor::result_bytes`].
    pub result_bytes: u32,
    /// See [`KernelDescriptor::shared_bytes`].
    pub shared_bytes: u32,
    /// See [`KernelDescriptor::frame_bytes`].
    pub frame_bytes: u32,
    /// See [`KernelDescriptor::lanes`].
    pub lanes: u32,
    /// See [`KernelDescriptor::heap_bytes`].
    pub heap_bytes: u64,
}

impl DescriptorFacts {
    /// The bytes of the descriptor, with zeros for the two addresses.
    pub fn to_bytes(self, description_bytes: u64) -> [u8; DESCRIPTOR_BYTES] {
        let words = [
            DESCRIPTOR_VERSION,
            self.kind,
            self.args_bytes,
            self.result_bytes,
            self.shared_bytes,
            self.frame_bytes,
            self.lanes,
            0,
        ];
        let mut bytes = [0; DESCRIPTOR_BYTES];
        for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes[32..40].copy_from_slice(&self.heap_bytes.to_le_bytes());
        bytes[56..64].copy_from_slice(&description_bytes.to_le_bytes());
        bytes
    }
}

/// A description: a name, and the failures there can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryDescription {
    /// The name of the function, with the types of its arguments.
    pub name: String,
    /// The text of site number `n` (from 1) is at `n - 1`.
    pub sites: Vec<SiteDescription>,
}

/// A place where an item gives up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteDescription {
    /// The message, in pieces.
    pub message: Vec<MessagePart>,
    /// Function, file and line, the innermost first; line 0 if the place is not known.
    pub frames: Vec<(String, String, u32)>,
}

/// A piece of the message of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// The same for each failure.
    Text(String),
    /// A signed integer among the operands, of 1, 2, 4 or 8 bytes.
    Signed(OperandPlace),
    /// An unsigned integer, of as many bytes.
    Unsigned(OperandPlace),
    /// A float, of 4 or 8 bytes.
    Float(OperandPlace),
}

impl MessagePart {
    fn write(&self, out: &mut Writer) {
        let (number, place) = match self {
            Self::Text(text) => {
                out.u32(0);
                return out.str(text);
            }
            Self::Signed(place) => (1, place),
            Self::Unsigned(place) => (2, place),
            Self::Float(place) => (3, place),
        };
        [number, place.offset, place.size].into_iter().for_each(|it| out.u32(it));
    }

    fn read(input: &mut Reader<'_>) -> Read<Self> {
        let kind = input.u32()?;
        if kind == 0 {
            return Ok(Self::Text(input.string()?));
        }
        let place = OperandPlace { offset: input.u32()?, size: input.u32()? };
        let is_inside = place.offset as usize + place.size as usize <= RECORD_OPERAND_BYTES;
        match (kind, place.size) {
            _ if place.offset as usize > RECORD_OPERAND_BYTES || !is_inside => {
                Err(Malformed("an operand outside of the launch record"))
            }
            (1, 1 | 2 | 4 | 8) => Ok(Self::Signed(place)),
            (2, 1 | 2 | 4 | 8) => Ok(Self::Unsigned(place)),
            (3, 4 | 8) => Ok(Self::Float(place)),
            _ => Err(Malformed("a part of a message that this version does not know")),
        }
    }

    fn show(&self, operands: &[u8]) -> String {
        let bits = |place: &OperandPlace| {
            let at = place.offset as usize;
            let mut word = [0; 8];
            if let Some(found) = operands.get(at..at + place.size as usize) {
                word[..found.len()].copy_from_slice(found);
            }
            u64::from_le_bytes(word)
        };
        match self {
            Self::Text(text) => text.clone(),
            Self::Signed(place) => {
                let unused = 64 - 8 * place.size;
                ((bits(place) << unused) as i64 >> unused).to_string()
            }
            Self::Unsigned(place) => bits(place).to_string(),
            Self::Float(place) if place.size == 4 => format!("{:?}", f32::from_bits(bits(place) as u32)),
            Self::Float(place) => format!("{:?}", f64::from_bits(bits(place))),
        }
    }
}

impl SiteDescription {
    /// The message of a failure that left these operands.
    pub fn message(&self, operands: &[u8]) -> String {
        self.message.iter().map(|it| it.show(operands)).collect()
    }
}

impl EntryDescription {
    /// The bytes of the description. A text that occurs often is there once.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut texts: Vec<&str> = Vec::new();
        let mut number = |text| {
            let found = texts.iter().position(|it| *it == text);
            found.unwrap_or_else(|| {
                texts.push(text);
                texts.len() - 1
            }) as u32
        };
        let frames = |site: &'_ SiteDescription| site.frames.len();
        let mut numbers = Vec::with_capacity(self.sites.iter().map(frames).sum());
        for (function, file, line) in self.sites.iter().flat_map(|it| &it.frames) {
            numbers.push([number(function.as_str()), number(file.as_str()), *line]);
        }
        let mut out = Writer::new();
        out.str(&self.name);
        out.list(&texts, |out, it| out.str(it));
        let mut numbers = numbers.into_iter();
        out.list(&self.sites, |out, site| {
            out.list(&site.message, |out, it| it.write(out));
            let of_site: Vec<[u32; 3]> = numbers.by_ref().take(site.frames.len()).collect();
            out.list(&of_site, |out, it| it.iter().for_each(|it| out.u32(*it)));
        });
        out.finish()
    }

    /// Reads a description.
    ///
    /// # Errors
    /// When the bytes are none of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        let name = input.string()?;
        let texts = input.list(Reader::string)?;
        let text = |number: u32| {
            texts.get(number as usize).cloned().ok_or(Malformed("a text that a description does not have"))
        };
        let sites = input.list(|input| {
            let message = input.list(MessagePart::read)?;
            let frames = input.list(|input| Ok((text(input.u32()?)?, text(input.u32()?)?, input.u32()?)))?;
            Ok(SiteDescription { message, frames })
        })?;
        input.finish()?;
        Ok(Self { name, sites })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> EntryDescription {
        let place = |offset, size| OperandPlace { offset, size };
        EntryDescription {
            name: "f!(Float32)".into(),
            sites: vec![
                SiteDescription {
                    message: vec![
                        MessagePart::Text("BoundsError at ".into()),
                        MessagePart::Signed(place(0, 2)),
                        MessagePart::Text(" of ".into()),
                        MessagePart::Unsigned(place(2, 1)),
                        MessagePart::Text(", ".into()),
                        MessagePart::Float(place(4, 4)),
                    ],
                    frames: vec![("g".into(), "f.jl".into(), 3), ("f!".into(), "f.jl".into(), 9)],
                },
                SiteDescription::default(),
            ],
        }
    }

    /// A description comes back as it was written, and no truncation of it is taken for one.
    #[test]
    fn a_description_survives_its_bytes() {
        let bytes = example().to_bytes();
        assert_eq!(EntryDescription::from_bytes(&bytes), Ok(example()));
        for len in 0..bytes.len() {
            assert!(EntryDescription::from_bytes(&bytes[..len]).is_err(), "{len}");
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                // Another description, or none: no panic.
                if let Ok(it) = EntryDescription::from_bytes(&damaged) {
                    it.sites.iter().for_each(|it| drop(it.message(&[0xff; RECORD_OPERAND_BYTES])));
                }
            }
        }
    }

    /// Operands stand in the message as the numbers that they are.
    #[test]
    fn a_message_has_the_operands() {
        let mut operands = [0; RECORD_OPERAND_BYTES];
        operands[..2].copy_from_slice(&(-7i16).to_le_bytes());
        operands[2] = 200;
        operands[4..8].copy_from_slice(&1.5f32.to_le_bytes());
        assert_eq!(example().sites[0].message(&operands), "BoundsError at -7 of 200, 1.5");
        assert_eq!(example().sites[0].message(&[]), "BoundsError at 0 of 0, 0.0");
    }

    /// `include/kiln_rt.h` has the same offsets.
    #[test]
    fn fields_are_where_the_header_has_them() {
        let header = include_str!("../../../include/kiln_rt.h");
        assert!(header.contains(&format!("#define KILN_RT_INTERFACE {DESCRIPTOR_VERSION}\n")));
        assert_eq!((DESCRIPTOR_BYTES, DESCRIPTOR_ENTRY, DESCRIPTOR_DESCRIPTION), (64, 40, 48));
        assert_eq!(core::mem::offset_of!(KernelDescriptor, heap_bytes), 32);
        assert_eq!(core::mem::offset_of!(KernelDescriptor, description_bytes), 56);
        let facts = DescriptorFacts { kind: 2, heap_bytes: 9, lanes: 64, ..DescriptorFacts::default() };
        let bytes = facts.to_bytes(77);
        assert_eq!((bytes[0], bytes[4], bytes[24], bytes[32], bytes[56]), (1, 2, 64, 9, 77));
    }
}
