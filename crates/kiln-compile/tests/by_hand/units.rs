//! Units and device links: what the code generator makes, and what is said where there is none.

use crate::program::Program;
use kiln_codegen_client::ClientOptions;
use kiln_compile::device::finish::finish;
use kiln_compile::device::{EntryAbi, Form, make_for_device};
use kiln_compile::{
    ErrorKind, Place, TargetError, backend_named, call_graph, compile_unit, front_key, link_set,
    shown_target, source, target,
};
use kiln_targets::Backend;
use kiln_unit::{EntryKind, OutputKinds};
use std::cell::Cell;

/// A unit is asked for once with its functions; code of the entry and of its callee are linked.
#[test]
fn units_are_compiled_and_linked() {
    let program = Program::new();
    let core = *program.core();
    program.add_caller("f", "g");
    let mut code = program.code("g", &["x"]);
    let product =
        code.call(&[code.intrinsic("mul_int"), kiln_ir::Lowered::Slot(1), kiln_ir::Lowered::Slot(1)]);
    code.ret(product);
    let mut info = code.finish();
    info.meta.inlining = kiln_ir::Inlining::Never;
    program.add("g", &[core.int64], info);
    let f = program.instance("f", &[core.int64]);
    let view = program.host();
    let env = program.env(&view);
    let graph = call_graph(&env, f, Place::Host).unwrap();
    let unit = source(&graph, &[1], &|_| None);
    let request = unit.request(&program.rt, &view, EntryKind::Body);
    assert!(front_key(&env, &unit, &request).is_none(), "no store is there to look into");
    let asked = Cell::new(0);
    let bound = compile_unit(&env, unit, EntryKind::Body, &|| asked.set(asked.get() + 1)).unwrap();
    assert_eq!((bound.functions.len(), asked.get()), (1, 1));
    assert!(bound.body.object.starts_with(b"\x7fELF"));
    let linked = link_set(&env, &graph, EntryKind::Function).unwrap();
    assert_eq!(linked.units().len(), 2);
    assert!((0..2).all(|it| linked.is_linked(it)));
    assert_eq!(linked.linked_entry_first()[0].functions[0].instance, f);
}

/// PTX of a kernel, in each of its forms; a processor's kernel is called by groups.
#[test]
fn kernels_are_linked_for_devices() {
    let outputs = OutputKinds { linked: true, optimized: true, object: true, assembly: true };
    for (name, abi) in [("sm_90", EntryAbi::Device), ("x86-64", EntryAbi::Groups)] {
        let program = Program::new();
        program.add_kernel("k");
        let k = program.instance("k", &[program.pointer(), program.core().int64]);
        let view = program.device(name);
        let env = program.env(&view);
        let made = make_for_device(&env, k, None, outputs).unwrap();
        assert_eq!(made.code.params.abi, abi);
        assert_eq!(made.code.params.args.len(), 3, "the function itself, a pointer and a number");
        let object = finish(&env, (k, &made.code.module), Form::Object).unwrap();
        if name == "sm_90" {
            let text = String::from_utf8(object).unwrap();
            assert!(text.contains(&format!(".entry {}(", made.code.symbol)), "{text}");
            let llvm = finish(&env, (k, &made.code.module), Form::Llvm).unwrap();
            assert!(String::from_utf8(llvm).unwrap().contains("ptx_kernel void @"));
        } else {
            assert!(object.starts_with(b"\x7fELF"));
        }
    }
}

/// Without a code generator the error is a tool's, says what is missing, and depends on more than the program.
#[test]
fn a_missing_code_generator_is_a_tools_error() {
    let options = ClientOptions { library: Some("/none/lib.so".into()), ..ClientOptions::default() };
    let program = Program::with_codegen(options);
    program.add_constant("f", 1);
    let f = program.instance("f", &[program.core().int64]);
    let view = program.host();
    let env = program.env(&view);
    let graph = call_graph(&env, f, Place::Host).unwrap();
    let error = link_set(&env, &graph, EntryKind::Function).unwrap_err();
    assert_eq!((error.kind, error.kind.is_lasting()), (ErrorKind::Tool, false));
    assert!(program.compiler.render(&error.diagnostics).contains("/none/lib.so"));
    assert!(error.dependencies.is_none());
}

/// Names of targets are told from names that are like some; a back end is shown for the first target that is named.
#[test]
fn targets_have_names() {
    let program = Program::new();
    let compiler = &program.compiler;
    assert_eq!(target(compiler, "sm_90").unwrap().cpu, "sm_90");
    let error = target(compiler, "sm90").unwrap_err();
    assert_eq!(error.to_string(), "there is no target `sm90`; did you mean `sm_90`?");
    let ptx = backend_named(compiler, "ptx").unwrap();
    let named = ["gfx1100".to_owned(), "sm_100".to_owned()];
    assert_eq!(shown_target(compiler, &named, &ptx).unwrap().name, "sm_100");
    assert!(shown_target(compiler, &[], &ptx).is_ok());
    let none = shown_target(compiler, &[], &Backend::new("none")).unwrap_err();
    assert!(matches!(none, TargetError::NoneOf(_)));
    assert!(backend_named(compiler, "none").is_none());
}

/// Equal options are one target of units, with one number; a device's units are only emitted.
#[test]
fn targets_of_units_are_interned() {
    let program = Program::new();
    let targets = &program.compiler.targets;
    let facts = kiln_targets::lookup("sm_90").unwrap();
    let one = targets.of_kernels(&facts, 2, 1);
    assert_eq!(targets.of_kernels(&facts, 3, 1).number(), one.number(), "levels are for the device link");
    assert_ne!(targets.of_kernels(&facts, 2, 2).number(), one.number());
    assert_eq!((one.options.opt_level, targets.host().number()), (0, 0));
}
