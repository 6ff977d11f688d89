//! Facts as bytes: they travel in requests, in the replies of third-party code generators and in images.

use crate::facts::{
    Abilities, AddressSpaces, Backend, ByAddress, FileFormats, Items, Limits, LineForm, Loads, References,
    Scopes, TargetFacts,
};
use crate::options::TargetOption;
use crate::tools::{Finish, Library, Shown, Tool, ToolUse, Tools};
use kiln_bytes::{Malformed, Read, Reader, Writer};
use std::borrow::Cow;

type Text = Cow<'static, str>;

/// A value that has bytes.
trait Wire: Sized {
    fn write(&self, out: &mut Writer);
    fn read(input: &mut Reader<'_>) -> Read<Self>;
}

impl Wire for bool {
    fn write(&self, out: &mut Writer) {
        out.bool(*self);
    }
    fn read(input: &mut Reader<'_>) -> Read<Self> {
        input.bool()
    }
}

impl Wire for u32 {
    fn write(&self, out: &mut Writer) {
        out.u32(*self);
    }
    fn read(input: &mut Reader<'_>) -> Read<Self> {
        input.u32()
    }
}

impl Wire for String {
    fn write(&self, out: &mut Writer) {
        out.str(self);
    }
    fn read(input: &mut Reader<'_>) -> Read<Self> {
        input.string()
    }
}

impl Wire for Text {
    fn write(&self, out: &mut Writer) {
        out.str(self);
    }
    fn read(input: &mut Reader<'_>) -> Read<Self> {
        input.string().map(Cow::Owned)
    }
}

impl Wire for Backend {
    fn write(&self, out: &mut Writer) {
        out.str(self.name());
    }
    fn read(input: &mut Reader<'_>) -> Read<Self> {
        input.string().map(Self::from)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, out: &mut Writer) {
        out.bool(self.is_some());
        if let Some(value) = self {
            value.write(out);
        }
    }
    fn read(input: &mut Reader<'_>) -> Read<Self> {
        if input.bool()? { T::read(input).map(Some) } else { Ok(None) }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, out: &mut Writer) {
        out.list(self, |out, it| it.write(out));
    }
    fn read(input: &mut Reader<'_>) -> Read<Self> {
        input.list(T::read)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write(&self, out: &mut Writer) {
        self.0.write(out);
        self.1.write(out);
    }
    fn read(input: &mut Reader<'_>) -> Read<Self> {
        Ok((A::read(input)?, B::read(input)?))
    }
}

/// A record is its fields, in this order; reading and writing cannot disagree.
macro_rules! record {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl Wire for $name {
            fn write(&self, out: &mut Writer) {
                let Self { $($field),* } = self;
                $($field.write(out);)*
            }
            fn read(input: &mut Reader<'_>) -> Read<Self> {
                Ok(Self { $($field: Wire::read(input)?),* })
            }
        }
    };
}

/// A choice without fields is the position of its name in a list of all.
macro_rules! choice {
    ($name:ty, $all:expr) => {
        impl Wire for $name {
            fn write(&self, out: &mut Writer) {
                let all: &[Self] = &$all;
                out.u8(all.iter().position(|it| it == self).unwrap_or(0) as u8);
            }
            fn read(input: &mut Reader<'_>) -> Read<Self> {
                let all: &[Self] = &$all;
                let at = usize::from(input.u8()?);
                all.get(at).copied().ok_or(Malformed("a fact with an unknown value"))
            }
        }
    };
}

choice!(Items, [Items::Loops, Items::Device, Items::None]);
choice!(LineForm, [LineForm::None, LineForm::Directives, LineForm::Tables]);
choice!(References, [References::Patch, References::Table]);
choice!(ByAddress, [ByAddress::Value, ByAddress::Reference]);
choice!(Shown, [Shown::Object, Shown::Binary]);
choice!(TargetOption, TargetOption::ALL);

record!(AddressSpaces { generic, global, shared, constant, private });
record!(Scopes { group, device });
record!(Limits { static_shared_bytes, group_items, registers });
record!(FileFormats { assembly, object, binary, object_is_text, loads_binary });
record!(Loads { object, binary });
record!(Tool { name, about, variable, files, from });
record!(ToolUse { tool, options, makes_file });
record!(Tools { finish, check, disassemble });
record!(Library { name, file, folders });
record!(Abilities {
    adds_floats,
    is_exact,
    has_wide_products,
    divides_signed,
    has_extrema,
    orders_accesses,
    has_fences,
    recurses,
    has_function_pointers,
    passes_dynamic_shared,
    atomic_bytes_min,
    atomic_bytes_max,
    by_address,
});
record!(TargetFacts {
    name,
    backend,
    triple,
    cpu,
    features,
    pointer_bytes,
    have_fma,
    can_throw,
    preferred_group_items,
    vector_bits,
    have_int128,
    have_float16,
    have_bfloat16,
    have_float32,
    have_float64,
    items,
    spaces,
    lines,
    references,
    pointer_spaces,
    abilities,
    scopes,
    intrinsics,
    tables,
    limits,
    options,
    files,
    tools,
    library,
    loads,
    may_crash,
});

impl Wire for Finish {
    fn write(&self, out: &mut Writer) {
        match self {
            Self::None => out.u8(0),
            Self::Assemble { assembler, relocatable } => {
                out.u8(1);
                assembler.write(out);
                relocatable.write(out);
            }
            Self::CodeObject(linker) => {
                out.u8(2);
                linker.write(out);
            }
            Self::MetalLibrary => out.u8(3),
        }
    }
    fn read(input: &mut Reader<'_>) -> Read<Self> {
        match input.u8()? {
            0 => Ok(Self::None),
            1 => Ok(Self::Assemble { assembler: Wire::read(input)?, relocatable: Wire::read(input)? }),
            2 => ToolUse::read(input).map(Self::CodeObject),
            3 => Ok(Self::MetalLibrary),
            _ => Err(Malformed("objects finished in an unknown way")),
        }
    }
}

impl TargetFacts {
    /// Serializes the facts; equal facts have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        self.write(&mut out);
        out.finish()
    }

    /// The inverse of `to_bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        let facts = Self::read(&mut input)?;
        input.finish()?;
        if facts.items == Items::Loops && facts.references == References::Table {
            return Err(Malformed("the linker of processors' units has cells of its own for references"));
        }
        // Loops run in the process of the host, whose linker is for its own processor.
        if facts.items == Items::Loops && !crate::native::FAMILY.has(&facts) {
            return Err(Malformed("loops of items for what is no processor of the host"));
        }
        Ok(facts)
    }
}
