//! `kiln pkg`: the packages that programs would load, and where each is.

use crate::cli::{PkgArgs, PkgCommand};
use crate::environment;
use crate::json::Json;
use crate::terminal::say;
use kiln::Error;
use kiln::packages::{
    DiskFiles, Environment, LocatedPackage, PackageError, PackageReader, ParsedFiles, PkgId, Search,
    read_project,
};
use std::process::ExitCode;

/// The answer to where a package is.
struct Found {
    name: String,
    id: Option<PkgId>,
    place: Result<Option<LocatedPackage>, String>,
}

pub(crate) fn run(args: &PkgArgs) -> Result<ExitCode, Error> {
    let (path, around, parsed) =
        (environment::load_path(), environment::surroundings(), ParsedFiles::default());
    let reader = PackageReader { files: &DiskFiles, parsed: &parsed };
    let search = Search::new(reader, &path, &around);
    let failed = |it: PackageError| Error::program(format!("error[project-file]: {it}"));
    match &args.command {
        PkgCommand::Status { json } => {
            let active = search.active_project(&path);
            let project =
                active.as_deref().map_or(Ok(None), |it| read_project(&reader, it)).map_err(failed)?;
            let names: Vec<String> = project.iter().flat_map(|it| it.deps.keys().cloned()).collect();
            let found: Vec<Found> = names.into_iter().map(|it| find(&search, None, it)).collect();
            let all_there = found.iter().all(|it| matches!(it.place, Ok(Some(_))));
            if *json {
                say(&status_line(active.as_deref(), &search, &found));
            } else {
                say(&status_text(active.as_deref(), &search, &found));
            }
            Ok(ExitCode::from(u8::from(!all_there)))
        }
        PkgCommand::Why { json, name, within } => {
            let parent = match within {
                Some(within) => search.identify_top_level(within).map_err(failed)?.ok_or_else(|| {
                    Error::usage(format!(
                        "error[missing-package]: no environment has `{within}`, whose code was named"
                    ))
                })?,
                None => PkgId::top_level("Main"),
            };
            let found = find(&search, Some(&parent), name.clone());
            let is_there = matches!(found.place, Ok(Some(_)));
            if *json {
                say(&Json::Object(fields(&found, &search)).to_line());
            } else {
                say(&why_text(&found, &search));
            }
            Ok(ExitCode::from(u8::from(!is_there)))
        }
    }
}

fn find(search: &Search<'_>, parent: Option<&PkgId>, name: String) -> Found {
    let main = PkgId::top_level("Main");
    match search.identify(parent.unwrap_or(&main), &name) {
        Ok(Some(id)) => {
            let place = search.locate(&id).map_err(|it| it.to_string());
            Found { name, id: Some(id), place }
        }
        Ok(None) => Found { name, id: None, place: Ok(None) },
        Err(error) => Found { name, id: None, place: Err(error.to_string()) },
    }
}

/// The place in words.
fn place(found: &Found) -> String {
    match &found.place {
        Ok(Some(LocatedPackage { file: Some(file), .. })) => file.clone(),
        Ok(Some(_)) => "kiln's own module stands in".into(),
        Ok(None) if found.id.is_some() => "missing: no environment says where it is".into(),
        Ok(None) => "missing: no environment has it".into(),
        Err(error) => format!("missing: {error}"),
    }
}

fn version(found: &Found) -> String {
    let version = found.place.as_ref().ok().and_then(|it| it.as_ref()?.version.clone());
    version.map_or_else(String::new, |it| format!(" {it}"))
}

fn status_text(active: Option<&str>, search: &Search<'_>, found: &[Found]) -> String {
    let mut text = format!("active project: {}\nsearched, in order:\n", active.unwrap_or("none"));
    for it in search.descriptions() {
        text.push_str(&format!("  {it}\n"));
    }
    for it in search.version_remarks() {
        text.push_str(&format!("note: {it}\n"));
    }
    if !found.is_empty() {
        text.push_str("dependencies of the project:\n");
    }
    for it in found {
        text.push_str(&format!("  {}{}: {}\n", it.name, version(it), place(it)));
    }
    text.trim_end().to_owned()
}

fn status_line(active: Option<&str>, search: &Search<'_>, found: &[Found]) -> String {
    let environments = search.descriptions().into_iter().map(Json::from);
    let deps = found.iter().map(|it| Json::Object(fields(it, search)));
    let mut line =
        vec![("searched", Json::List(environments.collect())), ("dependencies", Json::List(deps.collect()))];
    line.extend(active.map(|it| ("project", Json::from(it))));
    Json::Object(line).to_line()
}

/// The name of the environment that has a package.
fn environment_of(found: &Found, search: &Search<'_>) -> Option<String> {
    let number = found.place.as_ref().ok()?.as_ref()?.environment?;
    search.descriptions().into_iter().nth(number)
}

/// What is known of a package: fields that are not are left out.
fn fields(found: &Found, search: &Search<'_>) -> Vec<(&'static str, Json)> {
    let located = found.place.as_ref().ok().and_then(Option::as_ref);
    let stands_in = located.is_some_and(|it| it.file.is_none());
    let mut all = vec![("name", found.name.clone().into()), ("stands_in", stands_in.into())];
    let texts = [
        ("uuid", found.id.as_ref().and_then(|it| it.uuid).map(|it| it.to_string())),
        ("version", located.and_then(|it| it.version.clone())),
        ("file", located.and_then(|it| it.file.clone())),
        ("environment", environment_of(found, search)),
        ("missing", located.is_none().then(|| place(found))),
    ];
    all.extend(texts.into_iter().filter_map(|(name, it)| Some((name, Json::from(it?)))));
    all
}

fn why_text(found: &Found, search: &Search<'_>) -> String {
    let mut text = match &found.id {
        Some(id) => format!("{id}{}\n  {}", version(found), place(found)),
        None => format!("{}\n  {}", found.name, place(found)),
    };
    match environment_of(found, search) {
        Some(environment) => text.push_str(&format!("\n  found by {environment}")),
        None => {
            for it in search.descriptions() {
                text.push_str(&format!("\n  searched {it}"));
            }
        }
    }
    if let Some(checkout) = hidden(found, search) {
        text.push_str(&format!("\n  {checkout} is not loaded"));
    }
    text
}

/// The file that would be loaded if kiln had no module for the package.
fn hidden(found: &Found, search: &Search<'_>) -> Option<String> {
    let stands_in = found.place.as_ref().ok()?.as_ref()?.file.is_none();
    if !stands_in {
        return None;
    }
    search.environments.iter().find_map(|it| match it {
        Environment::Folder(folder) => {
            let own = [&found.name, &format!("{}.jl", found.name)]
                .map(|it| format!("{folder}/{it}/src/{}.jl", found.name));
            own.into_iter().find(|it| std::path::Path::new(it).is_file())
        }
        Environment::Project(_) | Environment::Tests(_) | Environment::Library | Environment::Given => None,
    })
}
