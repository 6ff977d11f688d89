//! The facts of a target.

use crate::options::TargetOption;
use crate::tools::{Library, Tools};
use std::borrow::Cow;

/// The back end of a target, by name: `ptx`. Targets of one back end are given code by one `Target` of codegen, and kernels for
/// them see the overlay tables of its name. Any name is one: a third-party code generator has its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Backend(Cow<'static, str>);

impl Backend {
    /// The back end of this name.
    pub const fn new(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl From<String> for Backend {
    fn from(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

/// The executor of a launch's items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Items {
    /// Loops that codegen puts around the body.
    Loops,
    /// The device: the entry is the code of one item.
    Device,
    /// None: there are no items, an entry runs once.
    None,
}

/// The way in which an artifact maps its code to lines of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineForm {
    /// None.
    None,
    /// By directives in its text, from which tools may build a table.
    Directives,
    /// By a table, with inlining information.
    Tables,
}

/// The way in which code for a target refers to objects of the host: a `Symbol`, the type tag of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum References {
    /// As numbers: those that are the same in every process are in the code, those of a session are patched by its
    /// linker.
    Patch,
    /// Through an exported table with one word per reference. Initially it holds the numbers that are the same in
    /// every process; the loader of the artifact may replace them.
    Table,
}

/// LLVM's numbers for the kinds of memory of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddressSpaces {
    /// Pointers to any of the others: the space of a `Ptr`.
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

    /// The numbers that CUDA.jl and AMDGPU.jl give the kinds of memory in a `Core.LLVMPtr{T,AS}`.
    pub const OF_GPU_POINTERS: Self = Self { generic: 0, global: 1, shared: 3, constant: 4, private: 5 };

    fn all(&self) -> [u32; 5] {
        [self.generic, self.global, self.shared, self.constant, self.private]
    }
}

/// The names that a back end has for the items that see a memory access in order; the empty one is for all devices and the
/// host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scopes {
    /// Items of a group.
    pub group: Cow<'static, str>,
    /// Items of the device.
    pub device: Cow<'static, str>,
}

/// The way in which a kernel takes an argument that does not fit a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByAddress {
    /// A copy of its own.
    Value,
    /// A reference to constant memory.
    Reference,
}

/// The operations that items of a target have beside plain arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Abilities {
    /// Supports atomic addition of floats, by an instruction or an expansion of the back end.
    pub adds_floats: bool,
    /// The back end follows LLVM's semantics of signed overflow, and of the least and the greatest of two floats.
    pub is_exact: bool,
    /// 64-bit integers have products of twice their width, to see an overflow by.
    pub has_wide_products: bool,
    /// Signed integers are divided.
    pub divides_signed: bool,
    /// Atomic operations find the least and the greatest of two integers.
    pub has_extrema: bool,
    /// Atomic loads and stores have orders; otherwise fences beside them have.
    pub orders_accesses: bool,
    /// Accesses of one item can be ordered for others to see.
    pub has_fences: bool,
    /// A function can call itself.
    pub recurses: bool,
    /// Functions have addresses that can be called.
    pub has_function_pointers: bool,
    /// The size of the group's dynamic memory is known by a parameter of the kernel, which is that memory, instead of a symbol.
    pub passes_dynamic_shared: bool,
    /// The fewest bytes of an integer that can be exchanged.
    pub atomic_bytes_min: u32,
    /// The most bytes of an integer or a float that atomic operations are on.
    pub atomic_bytes_max: u32,
    /// The way in which kernels take arguments that fit no register, if they do.
    pub by_address: Option<ByAddress>,
}

impl Abilities {
    /// The abilities of most GPUs.
    pub const GPU: Self = Self {
        adds_floats: true,
        is_exact: true,
        has_wide_products: true,
        divides_signed: true,
        has_extrema: true,
        orders_accesses: true,
        has_fences: true,
        recurses: true,
        has_function_pointers: true,
        passes_dynamic_shared: false,
        atomic_bytes_min: 1,
        atomic_bytes_max: 8,
        by_address: Some(ByAddress::Value),
    };

    /// The abilities of a machine that runs one function at a time.
    pub const LEAST: Self = Self {
        adds_floats: false,
        is_exact: true,
        has_wide_products: false,
        divides_signed: false,
        has_extrema: false,
        orders_accesses: true,
        has_fences: false,
        recurses: false,
        has_function_pointers: false,
        passes_dynamic_shared: false,
        atomic_bytes_min: 4,
        atomic_bytes_max: 8,
        by_address: None,
    };
}

/// Bounds that hold for every device of a target; `None` where only the device's driver knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Bytes of static shared memory of a group.
    pub static_shared_bytes: Option<u32>,
    /// Items of a group.
    pub group_items: Option<u32>,
    /// Registers of an item.
    pub registers: Option<u32>,
}

/// The files that hold code for a target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileFormats {
    /// The ending of the assembler's text.
    pub assembly: Cow<'static, str>,
    /// The file extension of the code generator's output.
    pub object: Cow<'static, str>,
    /// The file extension of the finished form.
    pub binary: Cow<'static, str>,
    /// The object is text.
    pub object_is_text: bool,
    /// Users load the finished form.
    pub loads_binary: bool,
}

impl FileFormats {
    /// The formats of a target whose objects are loaded directly.
    pub const OBJECTS: Self = Self {
        assembly: Cow::Borrowed("s"),
        object: Cow::Borrowed("o"),
        binary: Cow::Borrowed("o"),
        object_is_text: false,
        loads_binary: false,
    };
}

/// The code that a driver of devices takes, as `kiln_launch` names its formats.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loads {
    /// The format of the object.
    pub object: Cow<'static, str>,
    /// The format of the finished form and the processor that it is for, where drivers load that too.
    pub binary: Option<(Cow<'static, str>, Cow<'static, str>)>,
}

/// Facts about a target: everything codegen and the optimizer may ask. Part of every key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetFacts {
    /// The usual name: `sm_90`, `x86-64-v3`.
    pub name: String,
    /// The back end.
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
    /// A failing item reports its location.
    pub can_throw: bool,
    /// Items a group runs in step, for choosing group sizes.
    pub preferred_group_items: u32,
    /// Bits of the vectors in which a processor computes; 0 where items run by themselves.
    pub vector_bits: u32,
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
    /// The kind of line information.
    pub lines: LineForm,
    /// The kind of references to the host.
    pub references: References,
    /// The numbers that the kinds of memory have in a `Core.LLVMPtr{T,AS}`.
    pub pointer_spaces: AddressSpaces,
    /// The operations that its items have.
    pub abilities: Abilities,
    /// Its names for the items that see an access in order; `None` where that is not asked.
    pub scopes: Option<Scopes>,
    /// The targets that LLVM names its intrinsics after, as in `llvm.nvvm.`; none: any of them may be its own.
    pub intrinsics: Vec<Cow<'static, str>>,
    /// The tables of `Base.DeviceTables` that its kernels see in front of that of its back end, each for abilities of
    /// newer devices: `ptx_80`.
    pub tables: Vec<Cow<'static, str>>,
    /// Its bounds.
    pub limits: Limits,
    /// The options that the target supports.
    pub options: Vec<TargetOption>,
    /// Its files.
    pub files: FileFormats,
    /// The tools that finish, check and show its code.
    pub tools: Tools,
    /// The library of functions that its vendor ships.
    pub library: Option<Library>,
    /// The forms of its code that drivers load, if kiln knows any.
    pub loads: Option<Loads>,
    /// LLVM may crash on code for it: codegen runs in a process of its own, unless a user says otherwise.
    pub may_crash: bool,
}

impl TargetFacts {
    /// The least that may be true of a target: a machine of 64 bits that runs functions by itself, with one kind of memory and
    /// no options or tools.
    pub fn new(name: impl Into<String>, backend: Backend) -> Self {
        Self {
            name: name.into(),
            backend,
            triple: String::new(),
            cpu: String::new(),
            features: String::new(),
            pointer_bytes: 8,
            have_fma: false,
            can_throw: false,
            preferred_group_items: 1,
            vector_bits: 0,
            have_int128: false,
            have_float16: false,
            have_bfloat16: false,
            have_float32: false,
            have_float64: false,
            items: Items::None,
            spaces: AddressSpaces::FLAT,
            lines: LineForm::None,
            references: References::Patch,
            pointer_spaces: AddressSpaces::OF_GPU_POINTERS,
            abilities: Abilities::LEAST,
            scopes: None,
            intrinsics: Vec::new(),
            tables: Vec::new(),
            limits: Limits::default(),
            options: Vec::new(),
            files: FileFormats::OBJECTS,
            tools: Tools::default(),
            library: None,
            loads: None,
            may_crash: false,
        }
    }

    /// Returns the address space of a `Core.LLVMPtr{T,AS}`; `None` if the number has no memory.
    pub fn pointer_space(&self, number: i64) -> Option<u32> {
        let at = self.pointer_spaces.all().iter().position(|it| i64::from(*it) == number)?;
        self.spaces.all().get(at).copied()
    }
}
