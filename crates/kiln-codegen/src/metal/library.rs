//! The module as drivers take it: in the dialect of LLVM 14, with a description of the kernel's parameters.

use super::{entry, entry_of, inputs, versions};
use crate::air::typed_module;
use crate::error::{AirUnsupported, EmitError, EmitErrorKind, TargetLimit};
use crate::llvm::{AirDraft, FileKind, Function, Machine, Module};
use crate::target::Job;
use kiln_air::{BufferArgument, KernelArgument, KernelDescription, describe_kernel, rules};
use kiln_targets::AddressSpaces;

/// The name of the compiler in modules.
const PRODUCER: &str = "kiln";
/// The buffers of a kernel, at most.
const BUFFERS_MAX: u32 = 31;
/// The bytes to which the host aligns memory of a group.
const GROUP_ALIGN: u32 = 16;

/// Returns the parameters of an entry, as drivers fill them.
fn parameters(
    job: &Job<'_>,
    module: AirDraft<'_>,
    entry: Function,
) -> Result<Vec<KernelArgument>, EmitError> {
    let AddressSpaces { global, shared, .. } = job.facts.spaces;
    let (mut all, mut buffers, mut groups) = (Vec::new(), 0, 0);
    for index in 0..module.param_types(entry).len() {
        let param = module.param(entry, index);
        let Some(space) = module.space_of(param) else {
            let input = inputs::of_param(module, entry, index);
            all.push(KernelArgument::Item(input.ok_or(EmitErrorKind::NoEntry)?));
            continue;
        };
        let counter = if space == shared { &mut groups } else { &mut buffers };
        let location = *counter;
        *counter += 1;
        if location >= BUFFERS_MAX {
            let message = format!(
                "more than {BUFFERS_MAX} arguments: each is a buffer, and {} has no more",
                job.facts.name
            );
            return Err(TargetLimit::Other(message).into());
        }
        let value = entry::value_at(module, entry, index);
        let (size, align) =
            value.unwrap_or(if space == shared { (GROUP_ALIGN, GROUP_ALIGN) } else { (1, 1) });
        let type_name = if value.is_some() { "value" } else { "uchar" };
        all.push(KernelArgument::Buffer(BufferArgument {
            location,
            is_written: space == shared || space == global && value.is_none(),
            size,
            align,
            type_name: type_name.into(),
            name: format!("a{index}"),
        }));
    }
    Ok(all)
}

/// The conversions between types of pointers mean nothing where they have none.
const SHOWN: &str = "function(instsimplify)";

/// Emits a module, or its text: that of the module as this LLVM reads it, whose pointers have no types.
pub(crate) fn emit(
    job: &Job<'_>,
    machine: &Machine,
    plain: &Module,
    kind: FileKind,
) -> Result<Vec<u8>, EmitError> {
    let module = AirDraft::new(plain);
    if !job.is_kernel {
        let message = "a function that is no kernel: Metal libraries of kiln have kernels only";
        return Err(EmitErrorKind::Target(message.into()).into());
    }
    let (entry, versions) = (entry_of(job, module)?, versions(job)?);
    let arguments = parameters(job, module, entry)?;
    module.strip_lines();
    let mut air = typed_module(plain)?;
    air.source_name = job.entry.to_owned();
    air.metadata.named.clear();
    let items = job.options.items_max.map(|it| it.iter().product());
    let description = KernelDescription {
        air: versions.air.map(u32::from),
        language: versions.language.map(u32::from),
        is_fast: job.options.fastmath,
        producer: PRODUCER.into(),
        items_max: items,
        arguments,
    };
    let index = air.functions.iter().position(|it| it.name == job.entry).ok_or(EmitErrorKind::NoEntry)?;
    let refused = |it: String| EmitError::from(EmitErrorKind::Target(it));
    describe_kernel(&mut air, index as u32, &description).map_err(|it| refused(it.to_string()))?;
    if let Some(breach) = rules::breaches(&air).first() {
        return Err(refused(format!("Apple's compiler is known not to take this module: {breach}")));
    }
    let bytes = kiln_air::write(&air).map_err(AirUnsupported::IllFormed)?;
    match kind {
        FileKind::Object => Ok(bytes),
        FileKind::Assembly => {
            let read = Module::read(&bytes)?;
            machine.run_passes(&read, SHOWN)?;
            Ok(read.text().into_bytes())
        }
    }
}
