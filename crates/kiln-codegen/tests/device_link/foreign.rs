//! A third-party target, written with the public items of this crate.

use crate::harness::*;
use kiln_codegen::{Architecture, EmitError, FileKind, Generator, Job, Machine, MachineSpec, Module, Target};
use kiln_targets::TargetFacts;
use kiln_unit::DeviceLinkRequest;

/// An earlier version of BPF that marks every function.
struct Marked;

impl Target for Marked {
    fn backend(&self) -> &'static str {
        "bpf"
    }

    fn takes(&self, facts: &TargetFacts) -> bool {
        facts.name == "marked"
    }

    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError> {
        let (triple, opt_level) = (job.facts.triple.as_str(), job.options.opt_level);
        let architecture = Architecture::Bpf;
        Machine::new(&MachineSpec { architecture, triple, cpu: "v1", features: "", opt_level })
    }

    fn prepare(&self, _: &Job<'_>, _: &Machine, module: &Module) -> Result<(), EmitError> {
        module.set_attribute_text_of_all("marked", "yes");
        Ok(())
    }

    fn legalize(&self, _: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        machine.run_passes(module, "default<O2>")
    }

    fn emit(
        &self,
        _: &Job<'_>,
        machine: &Machine,
        module: &Module,
        kind: FileKind,
    ) -> Result<Vec<u8>, EmitError> {
        machine.file(module, kind)
    }
}

/// A registered target takes precedence for its own facts; other instances do not have it. MISSION G.
#[test]
fn a_registered_target_is_found() {
    let mut generator = Generator::default();
    generator.register(&Marked);
    let mut asked = request("bpf", vec![part("define i64 @f0(i64 %a) {\n ret i64 %a\n}")]);
    asked.is_kernel = false;
    let linked_module = |asked: &DeviceLinkRequest| generator.link_device(asked).result.expect("linked");
    assert!(!listing(&linked_module(&asked).optimized).contains("marked"));
    let facts = TargetFacts { name: "marked".into(), ..kiln_targets::lookup("bpf").expect("a target") };
    assert!(generator.lookup(&facts).is_ok());
    asked.target = facts.to_bytes();
    assert!(
        !listing(&crate::harness::linked_module(&asked).optimized).contains("marked"),
        "another instance"
    );
    check(&listing(&linked_module(&asked).optimized), "check: \"marked\"=\"yes\"");
    check(&text_of(&linked_module(&asked).assembly), "check: r0 = r1\ncheck: exit");
}
