//! A GPU whose loader takes LLVM's language: `lanes64`. LLVM has no back end for it, so its machine is a triple and a data
//! layout, and the artifact is the text of the module. Items ask the device by calls of functions that its loader has.

use kiln_codegen::{
    DeviceItems, EmitError, EmitErrorKind, FileKind, ItemQuery, Job, Machine, Module, Target, TargetLimit,
    Val,
};
use kiln_targets::{
    Abilities, AddressSpaces, Backend, FileFormats, Finish, Items, Limits, Scopes, Shown, TargetFacts,
    TargetOption, Tool, ToolUse, Tools,
};

/// The name of the target, and of its back end.
const NAME: &str = "lanes64";
/// The widths and alignments of types, as LLVM writes them; memory of a group has pointers of 32 bits.
const LAYOUT: &str = "e-p3:32:32-i64:64-n32:64-S128";
/// The names of functions that the loader has begin so.
const PREFIX: &str = "lanes.";
/// Items of a group.
const GROUP_ITEMS: u32 = 512;

/// The device.
pub struct Lanes;

/// Its assembler: LLVM's, which verifies what it reads.
fn assembler() -> ToolUse {
    let tool = Tool {
        name: "llvm-as".into(),
        about: "lanes64 text to the form that is loaded (--emit bin)".into(),
        variable: "LANES_AS".into(),
        files: vec!["llvm-as-22".into(), "llvm-as".into()],
        from: "the Debian package llvm-22".into(),
    };
    ToolUse { tool, options: Vec::new(), makes_file: true }
}

impl Target for Lanes {
    fn backend(&self) -> &'static str {
        NAME
    }

    fn offers(&self) -> Vec<TargetFacts> {
        vec![TargetFacts {
            triple: "lanes64-unknown-unknown".into(),
            have_fma: true,
            can_throw: true,
            preferred_group_items: 64,
            have_float32: true,
            have_float64: true,
            items: Items::Device,
            spaces: AddressSpaces { generic: 0, global: 1, shared: 3, constant: 4, private: 0 },
            abilities: Abilities { recurses: false, has_function_pointers: false, ..Abilities::GPU },
            scopes: Some(Scopes { group: "group".into(), device: "device".into() }),
            limits: Limits {
                static_shared_bytes: Some(16 << 10),
                group_items: Some(GROUP_ITEMS),
                registers: None,
            },
            options: vec![TargetOption::Items, TargetOption::ItemsMax],
            files: FileFormats {
                assembly: "ll".into(),
                object: "ll".into(),
                binary: "lanes".into(),
                object_is_text: true,
                loads_binary: false,
            },
            tools: Tools {
                finish: Finish::Assemble { assembler: assembler(), relocatable: Vec::new() },
                check: vec![(Shown::Object, assembler())],
                disassemble: None,
            },
            ..TargetFacts::new(NAME, Backend::new(NAME))
        }]
    }

    fn items(&self) -> &'static dyn DeviceItems {
        &Lanes
    }

    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError> {
        Machine::described(&job.facts.triple, LAYOUT)
    }

    fn is_provided(&self, symbol: &str) -> bool {
        symbol.starts_with(PREFIX)
    }

    fn prepare(&self, job: &Job<'_>, _: &Machine, module: &Module) -> Result<(), EmitError> {
        let entry = module.defined(job.entry).ok_or(EmitErrorKind::NoEntry)?;
        if job.is_kernel {
            module.set_attribute_text(entry, "lanes-kernel", "yes");
        }
        if let Some(items) = job.options.items.or(job.options.items_max) {
            module.set_numbers(entry, "lanes.items", &items);
        }
        Ok(())
    }

    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        machine.run_passes(module, &format!("default<O{}>", job.options.opt_level.min(3)))
    }

    fn emit(&self, _: &Job<'_>, _: &Machine, module: &Module, _: FileKind) -> Result<Vec<u8>, EmitError> {
        Ok(module.text().into_bytes())
    }
}

impl DeviceItems for Lanes {
    fn ask(&self, module: &Module, what: ItemQuery, dim: usize) -> Result<Val, TargetLimit> {
        let name = match what {
            ItemQuery::LocalId => "local.id",
            ItemQuery::LocalSize => "local.size",
            ItemQuery::GroupId => "group.id",
            ItemQuery::NumGroups => "num.groups",
        };
        let (name, attributes) = (format!("{PREFIX}{name}"), ["memory", "nounwind", "willreturn"]);
        let function = module.declared(&name, module.int(64), &[module.int(32)], &attributes);
        let value = module.call(function, &[module.const_u32(dim as u32)]);
        Ok(module.within(value, what.range(GROUP_ITEMS.into())))
    }

    fn barrier(&self, module: &Module) -> Result<(), TargetLimit> {
        let name = format!("{PREFIX}barrier");
        let function = module.declared(&name, module.void(), &[], &["convergent", "nounwind"]);
        module.call(function, &[]);
        Ok(())
    }

    fn warp_barrier(&self, _: &Module, _: &TargetFacts, _: Option<Val>) -> Result<Val, TargetLimit> {
        Err(TargetLimit::Other("a question about lanes: items of a group are in no order".into()))
    }
}
