//! Environments and the loading of packages, for `Base`.

use super::arguments::Arguments;
use super::system::strings;
use crate::eval::{library_package, package_of_file, root_of, search};
use crate::heap::{arrays, bits, numbers, text, tuples};
use crate::services::PackageSource;
use crate::{Run, Value, throw};
use kiln_packages::{Environment, PkgId, Table, TomlData, TomlValue, Uuid};
use kiln_types::module;

/// The maximum nesting depth of tables and lists that become values.
const DEPTH_MAX: usize = 200;

pub(super) fn packages(args: &Arguments<'_>) -> Run {
    let rt = args.rt;
    match rt.types.name(args.symbol(0)?) {
        "identify" => identify(args),
        "locate" => locate(args),
        "extensions" => extensions(args),
        "preferences" => preferences(args),
        "toml" => toml(args),
        "load" => load(args),
        "library" => library(args),
        "used" => {
            let used = rt.eval.take_used();
            let used: Vec<Value> = used.into_iter().map(|it| Value::module(rt.types.core(), it)).collect();
            Ok(arrays::any_vector(args.heap(), &used))
        }
        "uuid" => Ok(text::string(args.heap(), &uuid_of(args)?)),
        "parse_uuid" => Ok(match Uuid::parse(&args.text(1)?) {
            Some(found) => bits::from_wide(args.heap(), rt.types.core().uint128, found.0),
            None => args.heap().nothing(),
        }),
        "print_uuid" => {
            let number = bits::wide(args.heap(), args.value(1)?).map_or(0, |it| it.0);
            Ok(text::string(args.heap(), &Uuid(number).to_string()))
        }
        "active" => {
            let found = search(rt, |search, path| Ok(search.active_project(path)))?;
            Ok(args.string_or_nothing(found.as_deref().map(str::as_bytes)))
        }
        "expand" => {
            let entry = args.text(1)?;
            let found = search(rt, |search, path| Ok(search.path_of(path, &entry)))?;
            Ok(args.string_or_nothing(found.as_deref().map(str::as_bytes)))
        }
        "environments" => environments(args),
        "searched" => {
            let said =
                search(rt, |search, _| Ok([search.descriptions(), search.version_remarks()].concat()))?;
            Ok(strings(args, &said))
        }
        other => Err(args.error(&format!("packages: unknown query `{other}`"))),
    }
}

fn preferences(args: &Arguments<'_>) -> Run {
    let uuid = uuid(args, 1)?.unwrap_or(Uuid(0));
    let table = search(args.rt, |search, _| search.preferences(uuid))?;
    table_value(args, &table, 0)
}

fn toml(args: &Arguments<'_>) -> Run {
    let parsed = kiln_packages::parse(&args.text(2)?, &args.text(1)?);
    let table = parsed.map_err(|it| throw::argument_error(args.rt, &it.to_string()))?;
    table_value(args, &table, 0)
}

/// Loads a package of the library, and has it and those that it loads entered.
fn library(args: &Arguments<'_>) -> Run {
    let rt = args.rt;
    let found = library_package(rt, rt.types.symbol(&args.text(1)?))?;
    found.iter().for_each(|it| rt.eval.note_used(*it));
    Ok(args.heap().nothing())
}

fn environments(args: &Arguments<'_>) -> Run {
    let all = search(args.rt, |search, _| Ok(search.environments.clone()))?;
    let paths = all.into_iter().filter_map(|it| match it {
        Environment::Project(path) | Environment::Folder(path) => Some(path),
        Environment::Tests(_) | Environment::Library | Environment::Given => None,
    });
    Ok(strings(args, &paths.collect::<Vec<_>>()))
}

/// The UUID of an argument; an empty text is none.
fn uuid(args: &Arguments<'_>, at: usize) -> Run<Option<Uuid>> {
    let text = args.text(at)?;
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || throw::argument_error(args.rt, &format!("`{text}` is no UUID"));
    Uuid::parse(&text).ok_or_else(wrong).map(Some)
}

/// The identity in two arguments.
fn id(args: &Arguments<'_>, at: usize) -> Run<PkgId> {
    Ok(PkgId { uuid: uuid(args, at)?, name: args.text(at + 1)? })
}

fn text_of(uuid: Option<Uuid>) -> String {
    uuid.map_or_else(String::new, |it| it.to_string())
}

fn identify(args: &Arguments<'_>) -> Run {
    args.expect(4, 4)?;
    let (parent, name) = (id(args, 1)?, args.text(3)?);
    let heap = args.heap();
    Ok(match search(args.rt, |search, _| search.identify(&parent, &name))? {
        Some(id) => tuples::new(heap, &[text::string(heap, &id.name), text::string(heap, &text_of(id.uuid))]),
        None => heap.nothing(),
    })
}

fn locate(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let id = id(args, 1)?;
    let heap = args.heap();
    Ok(match search(args.rt, |search, _| search.locate(&id))? {
        Some(found) => {
            let file = text::string(heap, &found.file.unwrap_or_default());
            tuples::new(heap, &[file, args.string_or_nothing(found.version.as_deref().map(str::as_bytes))])
        }
        None => heap.nothing(),
    })
}

fn extensions(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let id = id(args, 1)?;
    let found = search(args.rt, |search, _| search.extensions(&id))?;
    let lists = found.into_iter().map(|it| {
        let ids = std::iter::once(it.id).chain(it.triggers);
        let texts: Vec<String> = ids.flat_map(|it| [it.name, text_of(it.uuid)]).collect();
        strings(args, &texts)
    });
    let lists: Vec<Value> = lists.collect();
    Ok(arrays::any_vector(args.heap(), &lists))
}

/// Evaluates the file of a package.
fn load(args: &Arguments<'_>) -> Run {
    args.expect(4, 4)?;
    let (id, path) = (id(args, 1)?, args.text(3)?);
    let Ok(bytes) = args.rt.io.read_file(&path) else {
        return Err(throw::argument_error(
            args.rt,
            &format!("Package {} is at {path}, which cannot be read", id.name),
        ));
    };
    let source = PackageSource { path, text: String::from_utf8_lossy(&bytes).into_owned() };
    let module = package_of_file(args.rt, &id.name, id.uuid, &source)?;
    Ok(Value::module(args.rt.types.core(), module))
}

/// The UUID of the package that a module is in.
fn uuid_of(args: &Arguments<'_>) -> Run<String> {
    let (rt, types) = (args.rt, &args.rt.types);
    let root = root_of(types, args.module(1)?);
    if rt.eval.is_of_library(types, root) {
        let library = rt.io.surroundings().library;
        return Ok(text_of(library.uuids.get(types.name(module::name(types, root))).copied().flatten()));
    }
    Ok(text_of(rt.eval.uuid(root)))
}

/// A table: its keys and its values.
fn table_value(args: &Arguments<'_>, table: &Table, depth: usize) -> Run {
    let keys: Vec<String> = table.entries.keys().cloned().collect();
    let mut values = Vec::new();
    for value in table.entries.values() {
        values.push(toml_value(args, value, depth + 1)?);
    }
    let values = arrays::any_vector(args.heap(), &values);
    Ok(tuples::new(args.heap(), &[strings(args, &keys), values]))
}

/// A value; a time is a symbol.
fn toml_value(args: &Arguments<'_>, value: &TomlValue, depth: usize) -> Run {
    let heap = args.heap();
    if depth > DEPTH_MAX {
        return Err(args.error("a TOML file has too many tables in one another"));
    }
    Ok(match &value.value {
        TomlData::Text(it) => text::string(heap, it),
        TomlData::Integer(it) => heap.int(*it),
        TomlData::Float(it) => numbers::float64(heap, *it),
        TomlData::Boolean(it) => heap.bool(*it),
        TomlData::Time(it) => heap.symbol(it),
        TomlData::List(all) => {
            let mut values = Vec::new();
            for it in all {
                values.push(toml_value(args, it, depth + 1)?);
            }
            arrays::any_vector(heap, &values)
        }
        TomlData::Table(it) => table_value(args, it, depth)?,
    })
}
