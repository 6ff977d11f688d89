//! The options of a launch about how its kernel is compiled: a named tuple, read without allocating.
//!
//! An option that is `nothing` is not given; one that there is not is an error.

use crate::config::{Configs, KernelOptions};
use crate::launch_table::ConfigId;
use kiln_compile::Compiler;
use kiln_runtime::heap::{fields, text};
use kiln_runtime::interp::define;
use kiln_runtime::tables::TableId;
use kiln_runtime::{Run, Runtime, Value, throw};
use kiln_types::{Type, datatype};

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KernelOption {
    /// A tuple of tables, or one.
    MethodTables,
    Name,
    Target,
    AlwaysInline,
    OptLevel,
    DebugLevel,
    Strip,
    Fastmath,
    Items,
    ItemsMax,
    GroupsMin,
    RegistersMax,
    Language,
    CodeObject,
    Extensions,
    HeapBytes,
}

/// The name of each option, and the form of its value.
const OPTIONS: [(&str, KernelOption, &str); 16] = [
    ("method_tables", KernelOption::MethodTables, "a tuple of method tables"),
    ("name", KernelOption::Name, "a symbol"),
    ("target", KernelOption::Target, "a symbol"),
    ("always_inline", KernelOption::AlwaysInline, "true or false"),
    ("opt_level", KernelOption::OptLevel, "a number from 0 to 3"),
    ("debug_level", KernelOption::DebugLevel, "a number from 0 to 2"),
    ("strip", KernelOption::Strip, "true or false"),
    ("fastmath", KernelOption::Fastmath, "true or false"),
    ("items", KernelOption::Items, "three positive numbers"),
    ("items_max", KernelOption::ItemsMax, "three positive numbers"),
    ("groups_min", KernelOption::GroupsMin, "a positive number"),
    ("registers_max", KernelOption::RegistersMax, "a positive number"),
    ("language", KernelOption::Language, "a positive number"),
    ("code_object", KernelOption::CodeObject, "a positive number"),
    ("extensions", KernelOption::Extensions, "a string"),
    ("heap_bytes", KernelOption::HeapBytes, "a positive number below 2^32"),
];

/// Which fields of a type of options are what.
#[derive(Clone, Debug)]
struct OptionFields {
    ty: Type,
    fields: Box<[KernelOption]>,
}

/// Tables that a launch usually names at most.
const TABLES_USUAL: usize = 4;

/// The types of options that launches gave, with their fields looked up once.
#[derive(Debug, Default)]
pub struct LaunchOptions {
    known: boxcar::Vec<OptionFields>,
}

impl LaunchOptions {
    /// Returns the configuration that options mean. Allocates nothing if they are like some before.
    ///
    /// # Errors
    /// When they are none.
    pub fn config_of(
        &self,
        rt: &Runtime,
        (compiler, configs): (&Compiler, &Configs),
        options: Value,
    ) -> Run<ConfigId> {
        let fields = self.fields(rt, options.ty())?;
        let mut given = KernelOptions::default();
        let mut tables = None;
        for (at, option) in fields.iter().enumerate() {
            let Some(value) = fields::get(&rt.heap, options, at) else { continue };
            if value.is_nothing(rt.types.core()) {
                continue;
            }
            if *option == KernelOption::MethodTables {
                tables = Some(value);
            } else if set(rt, &mut given, *option, value).is_none() {
                return Err(wrong(rt, *option));
            }
        }
        config_with_tables(rt, (compiler, configs), tables, &given)
    }

    /// Returns the options that the fields of a type are, computed once.
    fn fields(&self, rt: &Runtime, ty: Type) -> Run<&[KernelOption]> {
        if let Some(known) = self.known.iter().find(|it| it.1.ty == ty) {
            return Ok(&known.1.fields);
        }
        let mut fields = Vec::new();
        for name in datatype::field_names(&rt.types, ty) {
            let name = rt.types.name(*name);
            let known = OPTIONS.iter().find(|it| it.0 == name);
            let (_, option, _) = known.ok_or_else(|| {
                let all: Vec<&str> = OPTIONS.iter().map(|it| it.0).collect();
                throw::argument_error(
                    rt,
                    &format!("kernels have no option `{name}`; they have {}", all.join(", ")),
                )
            })?;
            fields.push(*option);
        }
        let at = self.known.push(OptionFields { ty, fields: fields.into() });
        Ok(&self.known[at].fields)
    }
}

/// The configuration of options, and of tables that are given as values.
fn config_with_tables(
    rt: &Runtime,
    (compiler, configs): (&Compiler, &Configs),
    given: Option<Value>,
    options: &KernelOptions,
) -> Run<ConfigId> {
    let configure = |tables: &[TableId]| {
        configs.intern(rt, compiler, tables, options).map_err(|it| throw::argument_error(rt, &it.to_string()))
    };
    let Some(given) = given else { return configure(&[]) };
    let wrong = || wrong(rt, KernelOption::MethodTables);
    if !datatype::is_tuple(&rt.types, given.ty()) {
        return configure(&[define::method_table(rt, given).ok_or_else(wrong)?]);
    }
    let count = fields::count(&rt.heap, given);
    let table =
        |at| fields::get(&rt.heap, given, at).and_then(|it| define::method_table(rt, it)).ok_or_else(wrong);
    if count <= TABLES_USUAL {
        let mut tables = [TableId::GLOBAL; TABLES_USUAL];
        for (at, place) in tables[..count].iter_mut().enumerate() {
            *place = table(at)?;
        }
        return configure(&tables[..count]);
    }
    configure(&(0..count).map(table).collect::<Run<Vec<TableId>>>()?)
}

fn wrong(rt: &Runtime, option: KernelOption) -> Box<kiln_runtime::Thrown> {
    let known = OPTIONS.iter().find(|it| it.1 == option);
    let (name, _, what) = known.unwrap_or_else(|| unreachable!("every option is in the list"));
    throw::argument_error(rt, &format!("the option `{name}` of a kernel must be {what}"))
}

/// Sets what `value` says; `None` if it can not be the value of that option.
fn set(rt: &Runtime, given: &mut KernelOptions, option: KernelOption, value: Value) -> Option<()> {
    let core = rt.types.core();
    let number = || u32::try_from(value.as_int(core)?).ok().filter(|it| *it > 0);
    let level = |max: u8| u8::try_from(value.as_int(core)?).ok().filter(|it| *it <= max);
    let symbol = || value.as_symbol(core);
    match option {
        KernelOption::MethodTables => {}
        KernelOption::Name => given.name = Some(symbol()?),
        KernelOption::Target => given.target = Some(symbol()?),
        KernelOption::AlwaysInline => given.always_inline = value.as_bool(core)?,
        KernelOption::OptLevel => given.device.opt_level = level(3)?,
        KernelOption::DebugLevel => given.debug_level = level(2)?,
        KernelOption::Strip => given.device.lines = !value.as_bool(core)?,
        KernelOption::Fastmath => given.device.fastmath = value.as_bool(core)?,
        KernelOption::Items => given.device.items = Some(sizes(rt, value)?),
        KernelOption::ItemsMax => given.device.items_max = Some(sizes(rt, value)?),
        KernelOption::GroupsMin => given.device.groups_min = Some(number()?),
        KernelOption::RegistersMax => given.device.registers_max = Some(number()?),
        KernelOption::Language => given.device.language = Some(number()?),
        KernelOption::CodeObject => given.device.code_object = Some(number()?),
        KernelOption::Extensions => given.device.extensions = text::read(&rt.heap, value)?,
        KernelOption::HeapBytes => given.heap_bytes = number()?,
    }
    Some(())
}

/// Three positive numbers.
fn sizes(rt: &Runtime, value: Value) -> Option<[u32; 3]> {
    if !datatype::is_tuple(&rt.types, value.ty()) || fields::count(&rt.heap, value) != 3 {
        return None;
    }
    let mut sizes = [0; 3];
    for (at, size) in sizes.iter_mut().enumerate() {
        let value = fields::get(&rt.heap, value, at)?.as_int(rt.types.core())?;
        *size = u32::try_from(value).ok().filter(|it| *it > 0)?;
    }
    Some(sizes)
}
