//! The facts of a target.

use kiln_unit::bytes::{Malformed, Read, Reader, Writer};

/// Which `Target` of codegen takes requests for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Objects for the processor this runs on, or one like it.
    Native,
    /// PTX for NVIDIA GPUs.
    Ptx,
    /// Code objects for AMD GPUs.
    Gcn,
    /// SPIR-V as OpenCL takes it.
    Spirv,
    /// Objects for the virtual machine of the Linux kernel.
    Bpf,
    /// None of these: a third-party code generator, which knows the target by its name. There are no items.
    Other,
}

impl Backend {
    /// All of them, by the number they have in bytes.
    pub const ALL: [Self; 6] = [Self::Native, Self::Ptx, Self::Gcn, Self::Spirv, Self::Bpf, Self::Other];

    /// As keys and messages name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Ptx => "ptx",
            Self::Gcn => "gcn",
            Self::Spirv => "spirv",
            Self::Bpf => "bpf",
            Self::Other => "other",
        }
    }
}

/// The executor of a launch's items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Items {
    /// Loops that codegen puts around the body.
    Loops,
    /// The device: the entry is what one item does.
    Device,
    /// None: there are no items, an entry runs once.
    None,
}

/// How an artifact says which lines of the source its code is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineForm {
    /// It cannot.
    None,
    /// By directives in its text: what is made of that may have a table.
    Directives,
    /// By a table, and a description of what was inlined where.
    Tables,
}

/// How code for a target has what stands for something of the host: a `Symbol`, the type of what is in a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum References {
    /// As numbers: those that are the same in every process are in the code, those of a session its linker puts there.
    Patch,
    /// By reading a table of words, one a reference, that the artifact exports. What is in it at first are the numbers that are
    /// the same in every process; who loads the artifact may put others in their place.
    Table,
}

/// LLVM's numbers for the kinds of memory of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddressSpaces {
    /// Pointers to any of the others: what a `Ptr` is.
    pub generic: u32,
    /// Of all groups.
    pub global: u32,
    /// Of a group.
    pub shared: u32,
    /// Of all groups, and read-only.
    pub constant: u32,
    /// Of an item: where LLVM's allocations are.
    pub private: u32,
}

impl AddressSpaces {
    /// All memory is one.
    pub const FLAT: Self = Self { generic: 0, global: 0, shared: 0, constant: 0, private: 0 };

    /// Returns the address space `AS` of a `Core.LLVMPtr{T,AS}` on this target, numbered as for NVIDIA GPUs:
    /// 0 generic, 1 global, 3 shared, 4 constant, 5 private. `None` if there is no such memory.
    pub fn of_julia(&self, number: i64) -> Option<u32> {
        match number {
            0 => Some(self.generic),
            1 => Some(self.global),
            3 => Some(self.shared),
            4 => Some(self.constant),
            5 => Some(self.private),
            _ => None,
        }
    }
}

/// Facts about a target: everything codegen and the optimizer may ask. Part of every key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetFacts {
    /// The usual name: `sm_90`, `x86-64-v3`.
    pub name: String,
    /// The code generator.
    pub backend: Backend,
    /// LLVM's triple.
    pub triple: String,
    /// LLVM's name of the processor.
    pub cpu: String,
    /// LLVM's feature string.
    pub features: String,
    /// Bytes of a pointer.
    pub pointer_bytes: u32,
    /// `fma` is one instruction: `muladd` fuses.
    pub have_fma: bool,
    /// A failing item says where it failed.
    pub can_throw: bool,
    /// Items a group runs in step, for choosing group sizes.
    pub preferred_group_items: u32,
    /// 128-bit integers can be computed with.
    pub have_int128: bool,
    /// `Float16` can be computed with.
    pub have_float16: bool,
    /// `BFloat16` can be computed with.
    pub have_bfloat16: bool,
    /// `Float32` can be computed with.
    pub have_float32: bool,
    /// `Float64` can be computed with.
    pub have_float64: bool,
    /// The executor of the items.
    pub items: Items,
    /// Its kinds of memory.
    pub spaces: AddressSpaces,
    /// How it is told the lines of the source.
    pub lines: LineForm,
    /// How it has references to the host.
    pub references: References,
}

impl TargetFacts {
    /// Bytes of static shared memory that a group may have; `None` where only the device's driver knows. This machine's
    /// processor takes what some GPU takes.
    pub fn static_shared_bytes_max(&self) -> Option<u32> {
        match self.backend {
            Backend::Ptx => Some(48 << 10),
            Backend::Gcn if self.cpu == "gfx950" => Some(160 << 10),
            Backend::Gcn | Backend::Native => Some(64 << 10),
            Backend::Spirv | Backend::Bpf | Backend::Other => None,
        }
    }

    /// As bytes, equal for equal facts.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.str(&self.name);
        out.u8(Backend::ALL.iter().position(|it| *it == self.backend).unwrap_or(0) as u8);
        out.str(&self.triple);
        out.str(&self.cpu);
        out.str(&self.features);
        out.u32(self.pointer_bytes);
        out.u32(self.preferred_group_items);
        for flag in [
            self.have_fma,
            self.can_throw,
            self.have_int128,
            self.have_float16,
            self.have_bfloat16,
            self.have_float32,
            self.have_float64,
        ] {
            out.bool(flag);
        }
        out.u8(match self.items {
            Items::Loops => 0,
            Items::Device => 1,
            Items::None => 2,
        });
        let AddressSpaces { generic, global, shared, constant, private } = self.spaces;
        for space in [generic, global, shared, constant, private] {
            out.u32(space);
        }
        out.u8(match self.lines {
            LineForm::None => 0,
            LineForm::Directives => 1,
            LineForm::Tables => 2,
        });
        out.bool(self.references == References::Table);
        out.finish()
    }

    /// The inverse of `to_bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        let name = input.str()?;
        let backend = *Backend::ALL.get(usize::from(input.u8()?)).ok_or(Malformed("unknown back end"))?;
        let facts = Self {
            name,
            backend,
            triple: input.str()?,
            cpu: input.str()?,
            features: input.str()?,
            pointer_bytes: input.u32()?,
            preferred_group_items: input.u32()?,
            have_fma: input.bool()?,
            can_throw: input.bool()?,
            have_int128: input.bool()?,
            have_float16: input.bool()?,
            have_bfloat16: input.bool()?,
            have_float32: input.bool()?,
            have_float64: input.bool()?,
            items: match input.u8()? {
                0 => Items::Loops,
                1 => Items::Device,
                2 => Items::None,
                _ => return Err(Malformed("items without an executor")),
            },
            spaces: AddressSpaces {
                generic: input.u32()?,
                global: input.u32()?,
                shared: input.u32()?,
                constant: input.u32()?,
                private: input.u32()?,
            },
            lines: match input.u8()? {
                0 => LineForm::None,
                1 => LineForm::Directives,
                2 => LineForm::Tables,
                _ => return Err(Malformed("lines in an unknown form")),
            },
            references: if input.bool()? { References::Table } else { References::Patch },
        };
        input.finish()?;
        if facts.items == Items::Loops && facts.references == References::Table {
            return Err(Malformed("the linker of processors' units has cells of its own for references"));
        }
        if facts.backend == Backend::Other && facts.items != Items::None {
            return Err(Malformed("items of a back end that kiln does not know"));
        }
        Ok(facts)
    }
}
