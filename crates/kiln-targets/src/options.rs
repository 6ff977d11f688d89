//! Options of compiling a kernel for a target: which target takes which option, and which values.

use crate::facts::{Backend, TargetFacts};
use kiln_unit::DeviceOptions;

/// An option that only some targets take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetOption {
    /// [`DeviceOptions::fastmath`].
    Fastmath,
    /// [`DeviceOptions::items`].
    Items,
    /// [`DeviceOptions::items_max`].
    ItemsMax,
    /// [`DeviceOptions::groups_min`].
    GroupsMin,
    /// [`DeviceOptions::registers_max`].
    RegistersMax,
    /// [`DeviceOptions::language`].
    Language,
    /// [`DeviceOptions::code_object`].
    CodeObject,
    /// [`DeviceOptions::extensions`].
    Extensions,
}

impl TargetOption {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Fastmath,
        Self::Items,
        Self::ItemsMax,
        Self::GroupsMin,
        Self::RegistersMax,
        Self::Language,
        Self::CodeObject,
        Self::Extensions,
    ];

    /// Returns the flag of the command line.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Fastmath => "--fastmath",
            Self::Items => "--minthreads",
            Self::ItemsMax => "--maxthreads",
            Self::GroupsMin => "--blocks-per-sm",
            Self::RegistersMax => "--maxregs",
            Self::Language => "--ptx",
            Self::CodeObject => "--code-object",
            Self::Extensions => "--extensions",
        }
    }

    /// Whether something is said by it.
    pub fn is_given(self, options: &DeviceOptions) -> bool {
        match self {
            Self::Fastmath => options.fastmath,
            Self::Items => options.items.is_some(),
            Self::ItemsMax => options.items_max.is_some(),
            Self::GroupsMin => options.groups_min.is_some(),
            Self::RegistersMax => options.registers_max.is_some(),
            Self::Language => options.language.is_some(),
            Self::CodeObject => options.code_object.is_some(),
            Self::Extensions => !options.extensions.is_empty(),
        }
    }
}

impl Backend {
    /// The options that change what is made. A third-party back end may take any: all.
    pub fn options(self) -> &'static [TargetOption] {
        use TargetOption as O;
        match self {
            Self::Native | Self::Bpf => &[],
            Self::Ptx => &[O::Fastmath, O::Items, O::ItemsMax, O::GroupsMin, O::RegistersMax, O::Language],
            Self::Gcn => &[O::Fastmath, O::Items, O::ItemsMax, O::RegistersMax, O::CodeObject],
            Self::Spirv => &[O::Fastmath, O::Items, O::Extensions],
            Self::Other => &O::ALL,
        }
    }
}

/// Versions of PTX that LLVM 22 makes, from what any GPU here needs: `major * 10 + minor`.
pub const PTX_VERSIONS: [u32; 25] =
    [60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90];

/// Versions of AMD code objects that LLVM 22 makes.
pub const CODE_OBJECTS: std::ops::RangeInclusive<u32> = 4..=6;

/// Items a group of a GPU may have.
pub const GROUP_ITEMS_MAX: u32 = 1024;
/// Registers of a thread on NVIDIA GPUs.
const PTX_REGISTERS_MAX: u32 = 255;
/// Vector registers of an item on AMD GPUs, those for accumulation among them.
const GCN_REGISTERS_MAX: u32 = 512;

/// Extensions of SPIR-V that LLVM 22 knows, sorted.
pub const SPIRV_EXTENSIONS: [&str; 75] = [
    "SPV_ALTERA_arbitrary_precision_fixed_point",
    "SPV_ALTERA_arbitrary_precision_integers",
    "SPV_ALTERA_blocking_pipes",
    "SPV_EXT_arithmetic_fence",
    "SPV_EXT_demote_to_helper_invocation",
    "SPV_EXT_descriptor_indexing",
    "SPV_EXT_fragment_fully_covered",
    "SPV_EXT_fragment_invocation_density",
    "SPV_EXT_fragment_shader_interlock",
    "SPV_EXT_image_raw10_raw12",
    "SPV_EXT_mesh_shader",
    "SPV_EXT_optnone",
    "SPV_EXT_relaxed_printf_string_address_space",
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_EXT_shader_image_int64",
    "SPV_EXT_shader_stencil_export",
    "SPV_EXT_shader_viewport_index_layer",
    "SPV_GOOGLE_hlsl_functionality1",
    "SPV_GOOGLE_user_type",
    "SPV_INTEL_16bit_atomics",
    "SPV_INTEL_2d_block_io",
    "SPV_INTEL_bfloat16_arithmetic",
    "SPV_INTEL_bfloat16_conversion",
    "SPV_INTEL_bindless_images",
    "SPV_INTEL_cache_controls",
    "SPV_INTEL_float_controls2",
    "SPV_INTEL_fp_max_error",
    "SPV_INTEL_function_pointers",
    "SPV_INTEL_global_variable_fpga_decorations",
    "SPV_INTEL_global_variable_host_access",
    "SPV_INTEL_inline_assembly",
    "SPV_INTEL_int4",
    "SPV_INTEL_joint_matrix",
    "SPV_INTEL_kernel_attributes",
    "SPV_INTEL_long_composites",
    "SPV_INTEL_media_block_io",
    "SPV_INTEL_memory_access_aliasing",
    "SPV_INTEL_optnone",
    "SPV_INTEL_predicated_io",
    "SPV_INTEL_split_barrier",
    "SPV_INTEL_subgroup_matrix_multiply_accumulate",
    "SPV_INTEL_subgroups",
    "SPV_INTEL_tensor_float32_conversion",
    "SPV_INTEL_ternary_bitwise_function",
    "SPV_INTEL_usm_storage_classes",
    "SPV_INTEL_variable_length_array",
    "SPV_KHR_16bit_storage",
    "SPV_KHR_bfloat16",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_cooperative_matrix",
    "SPV_KHR_device_group",
    "SPV_KHR_expect_assume",
    "SPV_KHR_float_controls",
    "SPV_KHR_float_controls2",
    "SPV_KHR_fragment_shader_barycentric",
    "SPV_KHR_fragment_shading_rate",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_linkonce_odr",
    "SPV_KHR_maximal_reconvergence",
    "SPV_KHR_multiview",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_physical_storage_buffer",
    "SPV_KHR_post_depth_coverage",
    "SPV_KHR_ray_query",
    "SPV_KHR_ray_tracing",
    "SPV_KHR_shader_clock",
    "SPV_KHR_shader_draw_parameters",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_uniform_group_instructions",
    "SPV_KHR_vulkan_memory_model",
    "SPV_NV_shader_atomic_fp16_vector",
    "SPV_NV_shader_subgroup_partitioned",
];

/// The version of PTX that a GPU needs.
pub fn ptx_needed(facts: &TargetFacts) -> u32 {
    facts.features.split(',').find_map(|it| it.strip_prefix("+ptx")?.parse().ok()).unwrap_or(PTX_VERSIONS[0])
}

/// Whether a target takes the values of the options; those that it does not take are not looked at.
///
/// # Errors
/// Checks the options; an error names the wrong value and the accepted ones.
pub fn check_options(facts: &TargetFacts, options: &DeviceOptions) -> Result<(), String> {
    for option in facts.backend.options() {
        match option {
            TargetOption::Language if facts.backend == Backend::Ptx => check_ptx(facts, options)?,
            TargetOption::CodeObject if facts.backend == Backend::Gcn => check_code_object(options)?,
            TargetOption::Extensions if facts.backend == Backend::Spirv => check_extensions(options)?,
            TargetOption::Items | TargetOption::ItemsMax => check_items(facts, options)?,
            TargetOption::RegistersMax => check_registers(facts, options)?,
            TargetOption::Fastmath
            | TargetOption::GroupsMin
            | TargetOption::Language
            | TargetOption::CodeObject
            | TargetOption::Extensions => {}
        }
    }
    Ok(())
}

fn check_ptx(facts: &TargetFacts, options: &DeviceOptions) -> Result<(), String> {
    let Some(version) = options.language else { return Ok(()) };
    let say = |it: u32| format!("{}.{}", it / 10, it % 10);
    let needed = ptx_needed(facts);
    if PTX_VERSIONS.contains(&version) && version >= needed {
        return Ok(());
    }
    let taken: Vec<String> = PTX_VERSIONS.into_iter().filter(|it| *it >= needed).map(say).collect();
    let why = match PTX_VERSIONS.contains(&version) {
        true => format!("{} needs a later PTX than {}", facts.name, say(version)),
        false => format!("LLVM makes no PTX {}", say(version)),
    };
    Err(format!("{why}; for {} it can be {}", facts.name, taken.join(", ")))
}

fn check_code_object(options: &DeviceOptions) -> Result<(), String> {
    match options.code_object {
        Some(version) if !CODE_OBJECTS.contains(&version) => {
            Err(format!("there is no version {version} of code objects that LLVM makes: 4, 5 or 6"))
        }
        _ => Ok(()),
    }
}

/// LLVM ends the process for an extension that it does not know.
fn check_extensions(options: &DeviceOptions) -> Result<(), String> {
    let list = &options.extensions;
    for item in list.split(',').filter(|_| !list.is_empty()) {
        let name = item.strip_prefix('+').or_else(|| item.strip_prefix('-'));
        match name.map(|it| SPIRV_EXTENSIONS.binary_search(&it)) {
            Some(Ok(_)) => {}
            Some(Err(_)) => return Err(format!("LLVM knows no extension `{item}` of SPIR-V")),
            None => {
                return Err(format!(
                    "`{item}` is no extension of SPIR-V with a `+` or a `-`: +SPV_KHR_expect_assume, say"
                ));
            }
        }
    }
    Ok(())
}

/// Sizes of groups, as far as all GPUs of a family bound them; OpenCL's devices each have bounds of their own.
fn check_items(facts: &TargetFacts, options: &DeviceOptions) -> Result<(), String> {
    if !matches!(facts.backend, Backend::Ptx | Backend::Gcn) {
        return Ok(());
    }
    for sizes in [options.items, options.items_max].into_iter().flatten() {
        let items = sizes.iter().fold(1_u32, |product, it| product.saturating_mul(*it));
        if items > GROUP_ITEMS_MAX {
            return Err(format!("{items} threads a block: {} has at most {GROUP_ITEMS_MAX}", facts.name));
        }
    }
    match (options.items, options.items_max) {
        (Some(exactly), Some(at_most)) if exactly.iter().zip(at_most).any(|(it, most)| *it > most) => {
            Err(format!("--minthreads {exactly:?} is more than --maxthreads {at_most:?}"))
        }
        _ => Ok(()),
    }
}

fn check_registers(facts: &TargetFacts, options: &DeviceOptions) -> Result<(), String> {
    let most = if facts.backend == Backend::Ptx { PTX_REGISTERS_MAX } else { GCN_REGISTERS_MAX };
    match options.registers_max {
        Some(count) if count > most => {
            Err(format!("{count} registers: a thread of {} has at most {most}", facts.name))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup;

    fn check(target: &str, options: DeviceOptions) -> Result<(), String> {
        check_options(&lookup(target).expect("a target"), &options)
    }

    /// A refusal of a value lists the accepted ones; an option that a target does not take is ignored.
    #[test]
    fn values_are_checked_where_they_mean_something() {
        let ptx = |version| DeviceOptions { language: Some(version), ..DeviceOptions::default() };
        assert_eq!(check("sm_90", ptx(83)), Ok(()));
        assert_eq!(check("gfx1100", ptx(999)), Ok(()));
        assert!(check("sm_90", ptx(999)).is_err_and(|it| it.contains("8.0, 8.1")));
        assert!(check("sm_90", ptx(70)).is_err_and(|it| it.contains("needs a later")));
        let extension = |it: &str| DeviceOptions { extensions: it.into(), ..DeviceOptions::default() };
        assert_eq!(check("spirv64", extension("+SPV_KHR_expect_assume,-SPV_KHR_bfloat16")), Ok(()));
        assert!(check("spirv64", extension("SPV_KHR_expect_assume")).is_err());
        assert!(check("spirv64", extension("+SPV_NO_SUCH")).is_err());
        let items = DeviceOptions { items: Some([32, 32, 2]), ..DeviceOptions::default() };
        assert!(check("sm_90", items.clone()).is_err());
        assert_eq!(check("spirv64", items), Ok(()));
        let bounds = |items, items_max| DeviceOptions { items, items_max, ..DeviceOptions::default() };
        assert_eq!(check("gfx1100", bounds(Some([64, 1, 1]), Some([128, 1, 1]))), Ok(()));
        assert!(check("sm_90", bounds(Some([512, 1, 1]), Some([256, 1, 1]))).is_err());
        assert!(check("gfx1100", bounds(None, Some([4096, 1, 1]))).is_err());
        let registers = |it| DeviceOptions { registers_max: Some(it), ..DeviceOptions::default() };
        assert_eq!(check("sm_90", registers(255)), Ok(()));
        assert!(check("sm_90", registers(256)).is_err() && check("gfx90a", registers(100_000)).is_err());
        let code = DeviceOptions { code_object: Some(7), ..DeviceOptions::default() };
        assert!(check("gfx90a", code).is_err());
    }

    /// The search in it is a binary one.
    #[test]
    fn extensions_are_sorted() {
        assert!(SPIRV_EXTENSIONS.is_sorted());
    }
}
