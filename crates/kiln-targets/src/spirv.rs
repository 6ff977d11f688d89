//! SPIR-V for OpenCL drivers: `spirv64`, or with a version, `spirv64-v1.2`. Suffixes name features that a driver may
//! lack: `spirv64-v1.2-nofp64`.

use crate::facts::{Abilities, AddressSpaces, Backend, FileFormats, Items, Loads, Scopes, TargetFacts};
use crate::option_error::OptionError;
use crate::options::TargetOption as O;
use crate::tools::{Shown, ToolUse, Tools, spirv_disassembler, spirv_val, texts};
use crate::{Family, model};
use kiln_unit::DeviceOptions;

/// All of them.
pub(crate) static FAMILY: Family = Family {
    backend: Backend::new("spirv"),
    pattern: "spirv64[-vX.Y][-nofp16][-nofp64][-bf16][-clock]",
    about: "OpenCL drivers that take SPIR-V",
    names: &[
        "spirv64",
        "spirv64-v1.0",
        "spirv64-v1.1",
        "spirv64-v1.2",
        "spirv64-v1.3",
        "spirv64-v1.4",
        "spirv64-v1.5",
        "spirv64-v1.6",
        "spirv64-nofp64",
        "spirv64-nofp16",
        "spirv64-bf16",
        "spirv64-clock",
        "spirv64-v1.2-nofp16-nofp64",
    ],
    shown: "spirv64",
    lookup,
    fit,
    model: model::none,
    check,
};

/// The version that every OpenCL 2.1 driver takes.
const VERSION: &str = "v1.2";
/// The clock that kernels read, as a driver feature: the SPIR-V extension for LLVM.
pub const SPIRV_CLOCK: &str = "+SPV_KHR_shader_clock";

/// The version of SPIR-V behind its point: 3 for 1.3; `None` for other targets.
pub fn spirv_minor(facts: &TargetFacts) -> Option<u32> {
    facts.triple.strip_prefix("spirv64v1.")?.split_once('-')?.0.parse().ok()
}

const VERSIONS: [&str; 7] = ["v1.0", "v1.1", "v1.2", "v1.3", "v1.4", "v1.5", "v1.6"];

fn lookup(name: &str) -> Option<TargetFacts> {
    let suffixes = name.strip_prefix("spirv64").filter(|it| it.is_empty() || it.starts_with('-'))?;
    let mut parts = suffixes.split('-').skip(1).peekable();
    let version = parts.next_if(|it| VERSIONS.contains(it)).unwrap_or(VERSION);
    let (mut have_float16, mut have_float64, mut have_bfloat16) = (true, true, false);
    let mut features = "";
    for part in parts {
        match part {
            "nofp16" => have_float16 = false,
            "nofp64" => have_float64 = false,
            "bf16" => have_bfloat16 = true,
            "clock" => features = SPIRV_CLOCK,
            _ => return None,
        }
    }
    let validator = ToolUse {
        tool: spirv_val(),
        options: vec!["--target-env".into(), format!("spv{}", &version[1..]).into()],
        makes_file: false,
    };
    Some(TargetFacts {
        triple: format!("spirv64{version}-unknown-unknown"),
        features: features.into(),
        have_fma: true,
        can_throw: true,
        preferred_group_items: 256,
        have_float16,
        have_bfloat16,
        have_float32: true,
        have_float64,
        items: Items::Device,
        spaces: AddressSpaces { generic: 4, global: 1, shared: 3, constant: 2, private: 0 },
        // LLVM 22 cannot select signed sums that tell of overflow, takes every negative product for one, and takes `fmin`
        // for `minimum`. Drivers do not link wide products. Sums of floats in memory are an extension.
        abilities: Abilities {
            adds_floats: false,
            is_exact: false,
            has_wide_products: false,
            recurses: false,
            has_function_pointers: false,
            passes_dynamic_shared: true,
            atomic_bytes_min: 4,
            ..Abilities::GPU
        },
        scopes: Some(Scopes { group: "workgroup".into(), device: "device".into() }),
        intrinsics: texts(["spv"]),
        options: vec![O::Fastmath, O::Items, O::Extensions],
        files: FileFormats {
            assembly: "spvasm".into(),
            object: "spv".into(),
            binary: "spv".into(),
            ..FileFormats::OBJECTS
        },
        tools: Tools {
            check: vec![(Shown::Object, validator)],
            disassemble: Some(spirv_disassembler()),
            ..Tools::default()
        },
        loads: Some(Loads { object: "spirv".into(), binary: None }),
        may_crash: true,
        ..TargetFacts::new(name, FAMILY.backend.clone())
    })
}

/// SPIR-V is for drivers that take its version and have the floats and extensions that it may use.
fn fit(code: &TargetFacts, device: &TargetFacts) -> Option<u32> {
    let lacks = [
        (code.have_float16, device.have_float16),
        (code.have_bfloat16, device.have_bfloat16),
        (code.have_float64, device.have_float64),
    ];
    let (version, own) = (spirv_minor(code)?, spirv_minor(device)?);
    let has_features = device.features.contains(&code.features);
    (has_features && version <= own && lacks.iter().all(|(uses, has)| has | !uses)).then_some(version)
}

/// LLVM ends the process for an extension that it does not know.
fn check(_: &TargetFacts, options: &DeviceOptions) -> Result<(), OptionError> {
    let list = &options.extensions;
    for item in list.split(',').filter(|_| !list.is_empty()) {
        let name = item.strip_prefix('+').or_else(|| item.strip_prefix('-'));
        match name.map(|it| EXTENSIONS.binary_search(&it)) {
            Some(Ok(_)) => {}
            Some(Err(_)) => return Err(OptionError::UnknownExtension(item.into())),
            None => return Err(OptionError::UnsignedExtension(item.into())),
        }
    }
    Ok(())
}

/// Extensions of SPIR-V that LLVM 22 supports, sorted.
const EXTENSIONS: [&str; 75] = [
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The facts tell the features that a driver lacks.
    #[test]
    fn suffixes_say_what_is_lacking() {
        let facts = lookup("spirv64-v1.4-nofp64").expect("a target");
        assert!(facts.have_float16 && !facts.have_float64);
        assert_eq!(facts.triple, "spirv64v1.4-unknown-unknown");
        assert_eq!(lookup("spirv64-v9.9"), None);
        assert_eq!((spirv_minor(&facts), facts.features.as_str()), (Some(4), ""));
        let clocked = lookup("spirv64-clock").expect("a target");
        assert_eq!((spirv_minor(&clocked), clocked.features.as_str()), (Some(2), SPIRV_CLOCK));
        assert_eq!(lookup("spirv64x"), None);
    }

    /// The search in it is a binary one.
    #[test]
    fn extensions_are_sorted() {
        assert!(EXTENSIONS.is_sorted());
    }
}
