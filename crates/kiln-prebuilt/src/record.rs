//! The entry of an image for a kernel that runs without Julia: the object, how it is called, and the meaning of its sites.

use kiln_bytes::{Read, Reader, Writer};
use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_targets::TargetFacts;
use kiln_unit::OperandPlace;
use std::time::Duration;

/// The part of a key that only such entries have: the version of this form.
pub const FORM: &str = "prebuilt kernel";
/// The version.
const VERSION: u64 = 3;

/// A kernel that runs without Julia.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrebuiltKernel {
    /// The name of the function.
    pub name: String,
    /// The processor it was compiled for.
    pub target: TargetFacts,
    /// The object.
    pub object: Vec<u8>,
    /// The symbol of the entry.
    pub entry: String,
    /// Its items meet at barriers and need a stack each.
    pub has_barrier: bool,
    /// Memory of an item's frame.
    pub frame_bytes: u32,
    /// Its items make objects.
    pub allocates: bool,
    /// The types of the arguments that have a size, and their places in the block.
    pub args: Vec<(String, OperandPlace)>,
    /// The length of the block.
    pub args_bytes: u32,
    /// Static shared memory of a group.
    pub shared_bytes: u32,
    /// Memory of a launch for objects.
    pub heap_bytes: u32,
    /// The sites: that of number 1 first.
    pub sites: Vec<PrebuiltSite>,
}

/// A place where an item gives up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrebuiltSite {
    /// The description of the exception, as far as it is known.
    pub what: String,
    /// The function, file and line, the innermost first; line 0 if the place is not known.
    pub frames: Vec<(String, String, u32)>,
}

impl PrebuiltKernel {
    /// The key of the entry.
    pub fn key(&self) -> Key {
        let types: Vec<&str> = self.args.iter().map(|it| it.0.as_str()).collect();
        let subject = format!("{}({})", self.name, types.join(", "));
        let mut key = KeyBuilder::new(Class::Tool, subject.as_str());
        key.number(FORM, VERSION).text("kernel", &subject).bytes("target", &self.target.to_bytes());
        key.finish()
    }

    /// Whether an entry with this key is one.
    pub fn is_one(key: &Key) -> bool {
        key.parts().iter().any(|it| it.name == FORM && it.value == kiln_cache::KeyValue::Number(VERSION))
    }

    /// The entry.
    pub fn to_entry(&self) -> Entry {
        let mut out = Writer::new();
        out.str(&self.name);
        out.bytes(&self.target.to_bytes());
        out.bytes(&self.object);
        out.str(&self.entry);
        out.bool(self.has_barrier);
        out.u32(self.frame_bytes);
        out.bool(self.allocates);
        out.list(&self.args, |out, (ty, place)| {
            out.str(ty);
            out.u32(place.offset);
            out.u32(place.size);
        });
        [self.args_bytes, self.shared_bytes, self.heap_bytes].iter().for_each(|it| out.u32(*it));
        out.list(&self.sites, |out, site| {
            out.str(&site.what);
            out.list(&site.frames, |out, (function, file, line)| {
                out.str(function);
                out.str(file);
                out.u32(*line);
            });
        });
        Entry::new(out.finish(), Duration::ZERO)
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// When it is not an entry of a kernel.
    pub fn from_entry(entry: &Entry) -> Read<Self> {
        let mut input = Reader::new(&entry.payload);
        let it = &mut input;
        let kernel = Self {
            name: it.string()?,
            target: TargetFacts::from_bytes(it.bytes()?)?,
            object: it.bytes()?.to_vec(),
            entry: it.string()?,
            has_barrier: it.bool()?,
            frame_bytes: it.u32()?,
            allocates: it.bool()?,
            args: it.list(|it| Ok((it.string()?, OperandPlace { offset: it.u32()?, size: it.u32()? })))?,
            args_bytes: it.u32()?,
            shared_bytes: it.u32()?,
            heap_bytes: it.u32()?,
            sites: it.list(|it| {
                let what = it.string()?;
                let frames = it.list(|it| Ok((it.string()?, it.string()?, it.u32()?)))?;
                Ok(PrebuiltSite { what, frames })
            })?,
        };
        input.finish()?;
        Ok(kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel comes back as it was written, and no truncation of it is taken for one.
    #[test]
    fn a_kernel_survives_its_bytes() {
        let kernel = PrebuiltKernel {
            name: "f!".into(),
            target: kiln_targets::lookup("x86-64-v2").expect("a level"),
            object: vec![1, 2, 3],
            entry: "f".into(),
            has_barrier: true,
            frame_bytes: 24,
            allocates: false,
            args: vec![("Float32".into(), OperandPlace { offset: 8, size: 4 })],
            args_bytes: 12,
            shared_bytes: 64,
            heap_bytes: 0,
            sites: vec![PrebuiltSite {
                what: "BoundsError".into(),
                frames: vec![("f!".into(), "f.jl".into(), 3)],
            }],
        };
        let entry = kernel.to_entry();
        assert_eq!(PrebuiltKernel::from_entry(&entry), Ok(kernel.clone()));
        assert!(PrebuiltKernel::is_one(&kernel.key()));
        for len in 0..entry.payload.len() {
            let cut = Entry::new(entry.payload[..len].to_vec(), Duration::ZERO);
            assert!(PrebuiltKernel::from_entry(&cut).is_err());
        }
    }
}
