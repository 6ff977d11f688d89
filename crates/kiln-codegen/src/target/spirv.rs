//! SPIR-V as OpenCL drivers take it.

use super::{Job, Target};
use crate::llvm::{
    Architecture, Convention, FileKind, Machine, MachineSpec, Module, emit_spirv, make_spirv_machine,
};
use crate::passes::Device;
use kiln_targets::{Backend, TargetFacts};

/// OpenCL drivers.
pub(super) struct Spirv;

/// Extensions that LLVM 22 knows, sorted.
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

/// Whether `+NAME,-NAME` are extensions that LLVM knows: it ends the process for others.
fn check_extensions(list: &str) -> Result<(), String> {
    for item in list.split(',').filter(|_| !list.is_empty()) {
        let name = item.strip_prefix('+').or_else(|| item.strip_prefix('-'));
        match name.map(|it| EXTENSIONS.binary_search(&it)) {
            Some(Ok(_)) => {}
            Some(Err(_)) => return Err(format!("LLVM knows no extension `{item}` of SPIR-V")),
            None => return Err(format!("`{item}` is no extension of SPIR-V with a `+` or a `-`")),
        }
    }
    Ok(())
}

/// Functions of OpenCL's, by their mangled names, and of SPIR-V's own, which the back end makes instructions of.
fn is_builtin(symbol: &str) -> bool {
    symbol.starts_with("_Z") || symbol.starts_with("__spirv_") || symbol == "printf"
}

impl Target for Spirv {
    fn takes(&self, facts: &TargetFacts) -> bool {
        facts.backend == Backend::Spirv
    }

    fn machine(&self, job: &Job<'_>) -> Result<Machine, String> {
        let TargetFacts { triple, cpu, features, .. } = job.facts;
        let options = job.options;
        check_extensions(&options.extensions)?;
        let architecture = Architecture::Spirv;
        let spec = MachineSpec { architecture, triple, cpu, features, opt_level: options.opt_level };
        make_spirv_machine(&spec, &options.extensions)
    }

    fn is_provided(&self, symbol: &str) -> bool {
        is_builtin(symbol)
    }

    fn prepare(&self, job: &Job<'_>, _: &Machine, module: &Module) -> Result<(), String> {
        let entry = module.defined(job.entry).ok_or("the entry is not there")?;
        module.strip_lines(); // drivers refuse the language
        module.set_all_conventions(Convention::SpirFunction);
        if job.is_kernel {
            module.set_convention(entry, Convention::SpirKernel);
            module.inline_what_stops(entry);
            if let Some(items) = job.options.items {
                module.set_numbers(entry, "reqd_work_group_size", &items);
            }
        }
        if job.options.fastmath {
            module.relax_floats();
        }
        module.add_numbers("opencl.spirv.version", &[1, 5]);
        Ok(())
    }

    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), String> {
        let device = Device { space_inference: true, ..Device::default() };
        machine.run_passes(module, &crate::passes::device(job.options.opt_level, &device))?;
        module.return_where_it_stops();
        module.thaw();
        module.split_phis();
        if module.extract_by_memory() {
            machine.run_passes(module, "function(sroa)")?;
        }
        module.split_wide_allocations(machine);
        machine.run_passes(module, "globaldce,strip-dead-prototypes") // nothing that finds new places to stop at
    }

    fn emit(
        &self,
        _: &Job<'_>,
        machine: &Machine,
        module: &Module,
        kind: FileKind,
    ) -> Result<Vec<u8>, String> {
        emit_spirv(machine, module, kind)
    }
}
