//! The metadata of a kernel: versions, limits, and a node for each parameter, which tells the driver how to fill it.
//!
//! The shapes are those that Apple's compiler writes. Textures, samplers, constants of functions and the stages of graphics are
//! absent.

use crate::model::{MetadataRef, Module, Value};
use crate::types::{Type, TypeId};
use std::fmt;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelArgument {
    /// Memory that the host provides. All values of the host are passed so, also single numbers.
    Buffer(BufferArgument),
    /// A number, or two or three of them, about the item that runs: an integer of 16 or 32 bits or a vector.
    Item(ItemInput),
}

/// Memory that the host provides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferArgument {
    /// The index under which the host provides it, 0 to 30.
    pub location: u32,
    /// Whether the kernel writes to it.
    pub is_written: bool,
    /// The size of an element in bytes.
    pub size: u32,
    /// The alignment of an element in bytes.
    pub align: u32,
    /// The type of an element, for people.
    pub type_name: String,
    /// The name, for people.
    pub name: String,
}

/// A question about the item that runs, by Metal's name. Those about positions and sizes may have up to three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum ItemInput {
    DispatchQuadgroupsPerThreadgroup,
    DispatchSimdgroupsPerThreadgroup,
    DispatchThreadsPerThreadgroup,
    GridOrigin,
    GridSize,
    QuadgroupIndexInThreadgroup,
    QuadgroupsPerThreadgroup,
    SimdgroupIndexInThreadgroup,
    SimdgroupsPerThreadgroup,
    ThreadExecutionWidth,
    ThreadIndexInQuadgroup,
    ThreadIndexInSimdgroup,
    ThreadIndexInThreadgroup,
    ThreadPositionInGrid,
    ThreadPositionInThreadgroup,
    ThreadgroupPositionInGrid,
    ThreadgroupsPerGrid,
    ThreadsPerGrid,
    ThreadsPerSimdgroup,
    ThreadsPerThreadgroup,
}

impl ItemInput {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::DispatchQuadgroupsPerThreadgroup,
        Self::DispatchSimdgroupsPerThreadgroup,
        Self::DispatchThreadsPerThreadgroup,
        Self::GridOrigin,
        Self::GridSize,
        Self::QuadgroupIndexInThreadgroup,
        Self::QuadgroupsPerThreadgroup,
        Self::SimdgroupIndexInThreadgroup,
        Self::SimdgroupsPerThreadgroup,
        Self::ThreadExecutionWidth,
        Self::ThreadIndexInQuadgroup,
        Self::ThreadIndexInSimdgroup,
        Self::ThreadIndexInThreadgroup,
        Self::ThreadPositionInGrid,
        Self::ThreadPositionInThreadgroup,
        Self::ThreadgroupPositionInGrid,
        Self::ThreadgroupsPerGrid,
        Self::ThreadsPerGrid,
        Self::ThreadsPerSimdgroup,
        Self::ThreadsPerThreadgroup,
    ];

    /// Returns the question with AIR's name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Returns AIR's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::DispatchQuadgroupsPerThreadgroup => "air.dispatch_quadgroups_per_threadgroup",
            Self::DispatchSimdgroupsPerThreadgroup => "air.dispatch_simdgroups_per_threadgroup",
            Self::DispatchThreadsPerThreadgroup => "air.dispatch_threads_per_threadgroup",
            Self::GridOrigin => "air.grid_origin",
            Self::GridSize => "air.grid_size",
            Self::QuadgroupIndexInThreadgroup => "air.quadgroup_index_in_threadgroup",
            Self::QuadgroupsPerThreadgroup => "air.quadgroups_per_threadgroup",
            Self::SimdgroupIndexInThreadgroup => "air.simdgroup_index_in_threadgroup",
            Self::SimdgroupsPerThreadgroup => "air.simdgroups_per_threadgroup",
            Self::ThreadExecutionWidth => "air.thread_execution_width",
            Self::ThreadIndexInQuadgroup => "air.thread_index_in_quadgroup",
            Self::ThreadIndexInSimdgroup => "air.thread_index_in_simdgroup",
            Self::ThreadIndexInThreadgroup => "air.thread_index_in_threadgroup",
            Self::ThreadPositionInGrid => "air.thread_position_in_grid",
            Self::ThreadPositionInThreadgroup => "air.thread_position_in_threadgroup",
            Self::ThreadgroupPositionInGrid => "air.threadgroup_position_in_grid",
            Self::ThreadgroupsPerGrid => "air.threadgroups_per_grid",
            Self::ThreadsPerGrid => "air.threads_per_grid",
            Self::ThreadsPerSimdgroup => "air.threads_per_simdgroup",
            Self::ThreadsPerThreadgroup => "air.threads_per_threadgroup",
        }
    }

    /// Whether the answer may have two or three numbers.
    pub fn has_dimensions(self) -> bool {
        matches!(
            self,
            Self::DispatchThreadsPerThreadgroup
                | Self::GridOrigin
                | Self::GridSize
                | Self::ThreadPositionInGrid
                | Self::ThreadPositionInThreadgroup
                | Self::ThreadgroupPositionInGrid
                | Self::ThreadgroupsPerGrid
                | Self::ThreadsPerGrid
                | Self::ThreadsPerThreadgroup
        )
    }
}

/// The description of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDescription {
    /// The version of AIR: 2 and, for example, 8.
    pub air: [u32; 2],
    /// The version of the Metal language.
    pub language: [u32; 2],
    /// Whether floats are computed inexactly.
    pub is_fast: bool,
    /// The name of the compiler, for people.
    pub producer: String,
    /// The most items of a group, if the code depends on it.
    pub items_max: Option<u32>,
    /// The parameters, in order.
    pub arguments: Vec<KernelArgument>,
}

/// A fault of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelFault {
    /// The function has no body, or returns something.
    NotAKernel,
    /// There are more or fewer arguments than parameters.
    Count,
    /// The parameter with this index has another type than its argument, or its argument has no such location.
    Argument(u32),
    /// The module is described already.
    Described,
}

impl fmt::Display for KernelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAKernel => f.write_str("a kernel has a body and returns nothing"),
            Self::Count => f.write_str("a kernel has a parameter for each argument"),
            Self::Argument(index) => write!(f, "parameter {index} of the kernel is not as described"),
            Self::Described => f.write_str("the module is described already"),
        }
    }
}

impl std::error::Error for KernelFault {}

/// Buffers of a kernel, at most.
const BUFFERS_MAX: u32 = 31;
/// The limits that Apple's compiler writes, of which one module may say less than another.
const LIMITS: [(&str, u32); 6] = [
    ("air.max_device_buffers", BUFFERS_MAX),
    ("air.max_constant_buffers", BUFFERS_MAX),
    ("air.max_threadgroup_buffers", BUFFERS_MAX),
    ("air.max_textures", 128),
    ("air.max_read_write_textures", 8),
    ("air.max_samplers", 16),
];
/// How flags of two modules are joined: they must be equal, or the greatest counts.
const EQUAL: u32 = 1;
const GREATEST: u32 = 7;
/// The first minor version of AIR whose modules say which functions keep their frame pointer: all.
const FRAME_POINTER_SINCE: u32 = 6;
const ALL_FRAME_POINTERS: u32 = 2;
/// The bytes of a wide character.
const WIDE_CHARACTER_BYTES: u32 = 4;
/// The list that names the kernel.
const KERNELS: &str = "air.kernel";

/// Adds the lists of a kernel to its module: flags, versions, options, and a node for each parameter.
///
/// # Errors
/// Fails if the function, by its index, is no kernel with these parameters.
pub fn describe_kernel(
    module: &mut Module,
    function: u32,
    description: &KernelDescription,
) -> Result<(), KernelFault> {
    if module.metadata.named.iter().any(|it| it.0 == KERNELS) {
        return Err(KernelFault::Described);
    }
    let params = params(module, function)?;
    if params.len() != description.arguments.len() {
        return Err(KernelFault::Count);
    }
    let mut nodes = Vec::new();
    for (index, (argument, param)) in description.arguments.iter().zip(params).enumerate() {
        let index = index as u32;
        let node = argument_node(module, index, argument, param).ok_or(KernelFault::Argument(index))?;
        nodes.push(Some(node));
    }
    let flags = flags(module, description.air);
    let producer = texts(module, &[&description.producer]);
    let [major, minor] = description.air;
    let version = [major, minor, 0].map(|it| Some(number(module, it)));
    let version = module.metadata.list(&version);
    let [major, minor] = description.language;
    let metal = module.metadata.text("Metal");
    let language = [major, minor, 0].map(|it| Some(number(module, it)));
    let language = module.metadata.list(&[&[Some(metal)], &language[..]].concat());
    let fast =
        if description.is_fast { "air.compile.fast_math_enable" } else { "air.compile.fast_math_disable" };
    let options = ["air.compile.denorms_disable", fast, "air.compile.framebuffer_fetch_enable"];
    let options = options.map(|it| texts(module, &[it])).to_vec();
    let kernel = kernel_node(module, function, &nodes, description.items_max);
    for (name, list) in [
        ("llvm.module.flags", flags),
        ("llvm.ident", vec![producer]),
        ("air.version", vec![version]),
        ("air.language_version", vec![language]),
        ("air.compile_options", options),
        (KERNELS, vec![kernel]),
    ] {
        module.metadata.named.push((name.to_owned(), list));
    }
    Ok(())
}

/// Returns the types of the parameters of a kernel.
fn params(module: &Module, function: u32) -> Result<Vec<TypeId>, KernelFault> {
    let it = module.functions.get(function as usize).ok_or(KernelFault::NotAKernel)?;
    let pointee = module.types.pointer_parts(it.address).map(|it| it.0);
    let signature = pointee.and_then(|it| module.types.signature(it));
    let (result, params, is_variadic) = signature.ok_or(KernelFault::NotAKernel)?;
    let is_void = module.types.get(result) == Some(&Type::Void);
    if it.blocks.is_empty() || !is_void || is_variadic {
        return Err(KernelFault::NotAKernel);
    }
    Ok(params.to_vec())
}

fn number(module: &mut Module, value: u32) -> MetadataRef {
    let value = module.int(32, u64::from(value));
    module.metadata.value(value)
}

/// Returns a list of texts.
fn texts(module: &mut Module, texts: &[&str]) -> MetadataRef {
    let list: Vec<_> = texts.iter().map(|it| Some(module.metadata.text(it))).collect();
    module.metadata.list(&list)
}

fn flags(module: &mut Module, air: [u32; 2]) -> Vec<MetadataRef> {
    let mut all = vec![(EQUAL, "wchar_size", WIDE_CHARACTER_BYTES)];
    if air[1] >= FRAME_POINTER_SINCE {
        all.push((GREATEST, "frame-pointer", ALL_FRAME_POINTERS));
    }
    all.extend(LIMITS.map(|(name, value)| (GREATEST, name, value)));
    let mut nodes = Vec::new();
    for (behaviour, name, value) in all {
        let parts = [number(module, behaviour), module.metadata.text(name), number(module, value)];
        nodes.push(module.metadata.list(&parts.map(Some)));
    }
    nodes
}

fn kernel_node(
    module: &mut Module,
    function: u32,
    arguments: &[Option<MetadataRef>],
    items_max: Option<u32>,
) -> MetadataRef {
    let stage = module.metadata.list(&[]);
    let arguments = module.metadata.list(arguments);
    let function = module.metadata.value(Value::Function(function));
    let mut parts = vec![Some(function), Some(stage), Some(arguments)];
    if let Some(most) = items_max {
        let bound = [module.metadata.text("air.max_work_group_size"), number(module, most)];
        parts.push(Some(module.metadata.list(&bound.map(Some))));
    }
    module.metadata.list(&parts)
}

/// Returns the node of an argument; `None` if the parameter has another type.
fn argument_node(
    module: &mut Module,
    index: u32,
    argument: &KernelArgument,
    param: TypeId,
) -> Option<MetadataRef> {
    let mut parts = vec![number(module, index)];
    match argument {
        KernelArgument::Buffer(it) => {
            let (_, space) = module.types.pointer_parts(param)?;
            if !(1..=3).contains(&space) || it.location >= BUFFERS_MAX || space == 2 && it.is_written {
                return None;
            }
            let access = if it.is_written { "air.read_write" } else { "air.read" };
            parts.push(module.metadata.text("air.buffer"));
            parts.extend([module.metadata.text("air.location_index"), number(module, it.location)]);
            parts.extend([number(module, 1), module.metadata.text(access)]); // one location
            parts.extend([module.metadata.text("air.address_space"), number(module, space)]);
            parts.extend([module.metadata.text("air.arg_type_size"), number(module, it.size)]);
            parts.extend([module.metadata.text("air.arg_type_align_size"), number(module, it.align)]);
            parts.extend(["air.arg_type_name", &it.type_name].map(|it| module.metadata.text(it)));
            parts.extend(["air.arg_name", &it.name].map(|it| module.metadata.text(it)));
        }
        KernelArgument::Item(it) => {
            let name = item_type(module, *it, param)?;
            parts.extend([it.name(), "air.arg_type_name", &name].map(|it| module.metadata.text(it)));
        }
    }
    let parts: Vec<_> = parts.into_iter().map(Some).collect();
    Some(module.metadata.list(&parts))
}

/// Returns Metal's name of the type of a parameter about the item; `None` if it cannot have this type.
fn item_type(module: &Module, input: ItemInput, param: TypeId) -> Option<String> {
    let (count, scalar) = module.types.vector_parts(param).unwrap_or((1, param));
    let name = match module.types.int_bits(scalar)? {
        32 => "uint",
        16 => "ushort",
        _ => return None,
    };
    match count {
        1 if module.types.vector_parts(param).is_none() => Some(name.to_owned()),
        2 | 3 if input.has_dimensions() => Some(format!("{name}{count}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::ItemInput;

    /// Each question is found by its name, and no two have one name.
    #[test]
    fn questions_have_names() {
        for it in ItemInput::ALL {
            assert_eq!(ItemInput::from_name(it.name()), Some(it));
        }
        assert_eq!(ItemInput::from_name("air.thread_color"), None);
    }
}
