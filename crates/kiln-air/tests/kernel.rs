//! The metadata of kernels: the nodes that Apple's compiler writes, and refusals of parameters that are not as described.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "says what it skipped")]

#[path = "tools/mod.rs"]
mod tools;

use kiln_air::{
    AirFunction, AirLinkage, AirOperation, BodyBuilder, BufferArgument, ItemInput, KernelArgument,
    KernelDescription, KernelFault, Module, Type, TypeId, describe_kernel, read, rules, write,
};

/// Returns a module with one function, which does nothing, of these parameters.
fn module(params: impl FnOnce(&mut Module) -> Vec<TypeId>) -> Module {
    let mut module = Module::new("vadd", "air64_v28-apple-macosx26.0.0", "");
    let result = module.types.intern(Type::Void);
    let params = params(&mut module);
    let signature = module.types.intern(Type::Function { result, params, is_variadic: false });
    let address = module.types.pointer(signature, 0);
    let mut body = BodyBuilder::new(1);
    body.push(0, None, AirOperation::Return { value: None });
    let (blocks, linkage) = (body.finish().unwrap(), AirLinkage::External);
    module.functions.push(AirFunction { name: "vadd".into(), address, linkage, attributes: None, blocks });
    module
}

/// Three buffers of floats and a position.
fn vadd(module: &mut Module) -> Vec<TypeId> {
    let (float, int) = (module.types.intern(Type::Float), module.types.intern(Type::Int(32)));
    let buffer = module.types.pointer(float, 1);
    vec![buffer, buffer, buffer, int]
}

fn buffer(location: u32, is_written: bool, name: &str) -> KernelArgument {
    let (type_name, name) = ("float".into(), name.into());
    KernelArgument::Buffer(BufferArgument { location, is_written, size: 4, align: 4, type_name, name })
}

fn description(air: u32, arguments: Vec<KernelArgument>) -> KernelDescription {
    let language = if air == 8 { [4, 0] } else { [3, 0] };
    let producer = "a compiler".into();
    KernelDescription { air: [2, air], language, is_fast: true, producer, items_max: None, arguments }
}

fn arguments() -> Vec<KernelArgument> {
    let position = KernelArgument::Item(ItemInput::ThreadPositionInGrid);
    vec![buffer(0, false, "a"), buffer(1, false, "b"), buffer(2, true, "c"), position]
}

/// Metadata in LLVM's language, with each node written where it is named.
fn expanded(text: &str, list: &str) -> String {
    let line =
        |start: &str| text.lines().find_map(|it| it.strip_prefix(start)).unwrap_or_default().to_owned();
    let mut value = line(&format!("!{list} = "));
    for _ in 0..200 {
        let is_number = |at: &usize| value[at + 1..].starts_with(|it: char| it.is_ascii_digit());
        let Some(at) = value.match_indices('!').map(|it| it.0).find(is_number) else { return value };
        let number: String = value[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        let node = line(&format!("!{number} = "));
        value.replace_range(at..=at + number.len(), &node);
    }
    panic!("lists without end: {value}");
}

/// The module of `vadd` in a library that Apple's compiler wrote, in LLVM's language.
fn of_apple(file: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("KILN_METALLIB_FIXTURES") else {
        println!("skipped: Apple's modules (KILN_METALLIB_FIXTURES is unset)");
        return None;
    };
    let bytes = std::fs::read(std::path::Path::new(&folder).join(file)).ok()?;
    let library = kiln_metallib::read(&bytes).unwrap();
    tools::verified(kiln_metallib::unwrap(&library.functions[0].module).unwrap())
}

#[test]
fn nodes_are_those_of_apple() {
    for (file, air) in [("constants.26.metallib", 8), ("constants.13.metallib", 5)] {
        let mut module = module(vadd);
        describe_kernel(&mut module, 0, &description(air, arguments())).unwrap();
        let bitcode = write(&module).unwrap();
        assert_eq!(read(&bitcode), Ok(module.clone()));
        assert_eq!(rules::breaches(&module), []);
        let Some(text) = tools::verified(&bitcode) else { return };
        let nodes = expanded(&text, "air.kernel");
        let position = "!{i32 3, !\"air.thread_position_in_grid\", !\"air.arg_type_name\", !\"uint\"}";
        assert!(nodes.ends_with(&format!("{position}}}}}}}")), "{nodes}");
        let Some(apple) = of_apple(file) else { continue };
        // Names of positions are for people.
        let expected = expanded(&apple, "air.kernel").replace(", !\"air.arg_name\", !\"i\"", "");
        assert_eq!(nodes, expected, "{file}");
        for list in ["air.version", "air.language_version", "air.compile_options"] {
            assert_eq!(expanded(&text, list), expanded(&apple, list), "{file}: {list}");
        }
        // The first flag of Apple's is the version of its SDK.
        let flags = expanded(&apple, "llvm.module.flags");
        let (_, flags) = flags.split_once("}, ").unwrap();
        assert_eq!(expanded(&text, "llvm.module.flags"), format!("!{{{flags}"), "{file}");
    }
}

#[test]
fn parameters_are_as_described() {
    let fault = |params: fn(&mut Module) -> Vec<TypeId>, arguments: Vec<KernelArgument>| {
        let mut module = module(params);
        describe_kernel(&mut module, 0, &description(8, arguments)).err()
    };
    let item = KernelArgument::Item;
    assert_eq!(fault(vadd, arguments()), None);
    assert_eq!(fault(vadd, arguments()[1..].to_vec()), Some(KernelFault::Count));
    let mut others = arguments();
    others.swap(2, 3);
    assert_eq!(fault(vadd, others), Some(KernelFault::Argument(2)));
    let far = [vec![buffer(31, false, "a")], arguments()[1..].to_vec()].concat();
    assert_eq!(fault(vadd, far), Some(KernelFault::Argument(0)));
    let three = |module: &mut Module| {
        let element = module.types.intern(Type::Int(16));
        vec![module.types.intern(Type::Vector { count: 3, element })]
    };
    assert_eq!(fault(three, vec![item(ItemInput::ThreadsPerGrid)]), None);
    assert_eq!(fault(three, vec![item(ItemInput::ThreadsPerSimdgroup)]), Some(KernelFault::Argument(0)));
    let long = |module: &mut Module| vec![module.types.intern(Type::Int(64))];
    assert_eq!(fault(long, vec![item(ItemInput::GridSize)]), Some(KernelFault::Argument(0)));
    let constant = |module: &mut Module| {
        let float = module.types.intern(Type::Float);
        vec![module.types.pointer(float, 2)]
    };
    assert_eq!(fault(constant, vec![buffer(0, false, "a")]), None);
    assert_eq!(fault(constant, vec![buffer(0, true, "a")]), Some(KernelFault::Argument(0)));
    let thread = |module: &mut Module| {
        let float = module.types.intern(Type::Float);
        vec![module.types.pointer(float, 0)]
    };
    assert_eq!(fault(thread, vec![buffer(0, false, "a")]), Some(KernelFault::Argument(0)));
    let mut module = module(vadd);
    describe_kernel(&mut module, 0, &description(8, arguments())).unwrap();
    let again = describe_kernel(&mut module, 0, &description(8, arguments()));
    assert_eq!(again, Err(KernelFault::Described));
    assert_eq!(
        describe_kernel(&mut Module::default(), 0, &description(8, vec![])),
        Err(KernelFault::NotAKernel)
    );
}

/// A library is made of a described module, as a driver would load it.
#[test]
fn a_library_of_a_kernel() {
    use kiln_metallib::{FunctionKind, MetalFunction, MetalLibrary, MetalVersions};
    for macos in [14, 15, 26] {
        let versions = MetalVersions::of_macos(macos).unwrap();
        let mut module = module(vadd);
        module.triple = versions.triple();
        let numbers = |major: u16, minor: u16| [u32::from(major), u32::from(minor)];
        let description = KernelDescription {
            air: numbers(versions.air.major, versions.air.minor),
            language: numbers(versions.language.major, versions.language.minor),
            items_max: Some(256),
            ..description(8, arguments())
        };
        describe_kernel(&mut module, 0, &description).unwrap();
        let wrapped = kiln_metallib::wrap(&write(&module).unwrap()).unwrap();
        let mut library = MetalLibrary::for_macos(&versions);
        library.functions.push(MetalFunction::new("vadd", FunctionKind::Kernel, &versions, wrapped));
        library.uuid = Some(library.content_uuid());
        let bytes = kiln_metallib::write(&library).unwrap();
        let again = kiln_metallib::read(&bytes).unwrap();
        assert_eq!(again, library);
        let raw = kiln_metallib::unwrap(&again.functions[0].module).unwrap();
        assert_eq!(read(raw), Ok(module));
        // LLVM 14 reads the wrapper, too.
        let Some(text) = tools::verified(&again.functions[0].module) else { return };
        assert!(
            expanded(&text, "air.kernel").ends_with(", !{!\"air.max_work_group_size\", i32 256}}}"),
            "{text}"
        );
    }
}
