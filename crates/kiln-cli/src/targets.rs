//! `kiln targets`: the targets with their options, and the installed devices and tools.

use crate::cli::TargetsArgs;
use crate::json::Json;
use crate::terminal::say;
use kiln::Error;
use kiln::targets::{FAMILIES, FoundDevice, TargetOption, find_library, find_tool};
use std::process::ExitCode;

/// Options that every target takes.
const COMMON: &str = "--emit --name --opt-level --debug-level --always-inline --dims --groupsize";

fn options(own: &[TargetOption]) -> Json {
    let own: Vec<&str> = own.iter().map(|it| it.flag()).collect();
    [vec![COMMON], own].concat().join(" ").into()
}

fn found_device(found: &FoundDevice) -> Json {
    let mut fields = vec![("device", found.name.as_str().into()), ("driver", found.interface.into())];
    match &found.target {
        Ok(target) => fields.push(("target", target.as_str().into())),
        Err(why) => fields.push(("unusable", why.to_string().as_str().into())),
    }
    Json::Object(fields)
}

/// Runs `kiln targets`.
pub(crate) fn run(args: &TargetsArgs) -> Result<ExitCode, Error> {
    let offered = crate::environment::codegen().map(|it| kiln::targets::offered(&it)).transpose();
    let offered = offered.map_err(|it| Error::usage(format!("error: KILN_CODEGEN: {it}")))?;
    let offered = offered.unwrap_or_default();
    let families = FAMILIES.iter().map(|it| {
        let names: Vec<Json> = it.names.iter().map(|it| (*it).into()).collect();
        Json::Object(vec![
            ("names", it.pattern.into()),
            ("description", it.about.into()),
            ("known", Json::List(names)),
            ("options", options(&it.options())),
        ])
    });
    let of_others = offered.iter().map(|it| {
        Json::Object(vec![
            ("names", it.name.as_str().into()),
            ("description", format!("of the code generator in KILN_CODEGEN ({})", it.triple).into()),
            ("known", Json::List(vec![it.name.as_str().into()])),
            ("options", options(&it.options)),
        ])
    });
    let mut tools = kiln::targets::tools();
    for tool in offered.iter().flat_map(|it| it.tools.all()) {
        if !tools.iter().any(|it| it.name == tool.name) {
            tools.push(tool.clone());
        }
    }
    let paths = crate::environment::tools();
    let tools = tools.iter().map(|it| {
        let found = find_tool(&paths, it)
            .map_or_else(|| format!("not found; it is in {}", it.from), |it| it.display().to_string());
        Json::Object(vec![
            ("tool", (*it.name).into()),
            ("for", (*it.about).into()),
            ("path", found.into()),
            ("variable", (*it.variable).into()),
        ])
    });
    let libraries = kiln::targets::libraries();
    let libraries = libraries.iter().chain(offered.iter().filter_map(|it| it.library.as_ref())).map(|it| {
        let found =
            find_library(&paths, it).map_or_else(|| "not found".to_owned(), |it| it.display().to_string());
        Json::Object(vec![("library", (*it.name).into()), ("path", found.into())])
    });
    let all = Json::Object(vec![
        ("targets", Json::List(families.chain(of_others).collect())),
        ("devices", Json::List(kiln::targets::devices().iter().map(found_device).collect())),
        ("tools", Json::List(tools.collect())),
        ("libraries", Json::List(libraries.collect())),
    ]);
    say(&if args.json { all.to_line() } else { all.to_text() });
    Ok(ExitCode::SUCCESS)
}
