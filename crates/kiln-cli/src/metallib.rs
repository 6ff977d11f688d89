//! `kiln metallib`: the functions of a Metal library, and their modules.

use crate::cli::{MetallibArgs, MetallibCommand};
use crate::json::Json;
use crate::terminal::say;
use kiln::Error;
use kiln_metallib::{FunctionKind, MetalFunction, MetalLibrary, Platform, read, unwrap};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Runs `kiln metallib`.
pub(crate) fn run(args: &MetallibArgs) -> Result<ExitCode, Error> {
    match &args.command {
        MetallibCommand::Ls { file } => {
            let report = report(&open(file)?);
            say(&if args.json { report.to_line() } else { report.to_text() });
        }
        MetallibCommand::Extract { file, function, out } => {
            let library = open(file)?;
            let function = choose(file, &library, function.as_deref())?;
            let bitcode = unwrap(&function.module).map_err(|it| failed(file, &it))?;
            write(out, bitcode)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn failed(file: &Path, cause: &dyn std::fmt::Display) -> Error {
    Error::usage(format!("error: {}: {cause}", file.display()))
}

fn open(file: &Path) -> Result<MetalLibrary, Error> {
    let bytes = std::fs::read(file).map_err(|it| failed(file, &it))?;
    read(&bytes).map_err(|it| failed(file, &it))
}

/// Returns the function of a name, or the only one.
fn choose<'a>(
    file: &Path,
    library: &'a MetalLibrary,
    name: Option<&str>,
) -> Result<&'a MetalFunction, Error> {
    let names = library.functions.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ");
    match (name, &library.functions[..]) {
        (None, [only]) => Ok(only),
        (None, _) => Err(failed(file, &format!("name a function of the library: {names}"))),
        (Some(name), all) => {
            let found = all.iter().find(|it| it.name == name);
            found.ok_or_else(|| failed(file, &format!("there is no function `{name}`; there are: {names}")))
        }
    }
}

fn write(out: &Path, bytes: &[u8]) -> Result<(), Error> {
    if out.as_os_str() == "-" {
        let _ = std::io::stdout().write_all(bytes); // its reader may be gone
        return Ok(());
    }
    std::fs::write(out, bytes).map_err(|it| failed(out, &it))
}

fn report(library: &MetalLibrary) -> Json {
    let mut fields = vec![("format", format!("1.2.{}", library.format.patch()).into())];
    if let Some(it) = &library.platform {
        let version = format!("{} {}.{}.{}", platform(it.platform), it.major, it.minor, it.patch);
        fields.push(("platform", version.into()));
    }
    if let Some(uuid) = &library.uuid {
        let digits: String = uuid.iter().map(|it| format!("{it:02x}")).collect();
        fields.push(("uuid", digits.into()));
    }
    if let Some(name) = &library.name {
        fields.push(("name", name.as_str().into()));
    }
    if let Some(sources) = &library.sources {
        fields.push(("archives", (sources.archives.len() as u64).into()));
    }
    fields.push(("functions", Json::List(library.functions.iter().map(function).collect())));
    Json::Object(fields)
}

fn function(it: &MetalFunction) -> Json {
    let mut fields = vec![
        ("function", it.name.as_str().into()),
        ("kind", kind(it.kind).into()),
        ("air", format!("{}.{}", it.air.major, it.air.minor).into()),
        ("language", format!("{}.{}", it.language.major, it.language.minor).into()),
        ("module_bytes", (it.module.len() as u64).into()),
    ];
    if let Some(debug) = &it.debug {
        fields.push(("source", format!("{}:{}", debug.path, debug.line).into()));
    }
    if !it.constants.is_empty() {
        let names: Vec<Json> = it.constants.iter().map(|it| it.name.as_str().into()).collect();
        fields.push(("constants", Json::List(names)));
    }
    Json::Object(fields)
}

fn kind(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Vertex => "vertex",
        FunctionKind::Fragment => "fragment",
        FunctionKind::Kernel => "kernel",
        FunctionKind::Unqualified => "unqualified",
        FunctionKind::Visible => "visible",
        FunctionKind::Extern => "extern",
        FunctionKind::Intersection => "intersection",
        FunctionKind::Mesh => "mesh",
        FunctionKind::Object => "object",
        FunctionKind::None => "none",
    }
}

fn platform(platform: Platform) -> &'static str {
    match platform {
        Platform::MacOs => "macOS",
        Platform::Ios => "iOS",
        Platform::TvOs => "tvOS",
        Platform::WatchOs => "watchOS",
        Platform::BridgeOs => "bridgeOS",
        Platform::MacCatalyst => "Mac Catalyst",
        Platform::IosSimulator => "iOS simulator",
        Platform::TvOsSimulator => "tvOS simulator",
        Platform::WatchOsSimulator => "watchOS simulator",
        Platform::DriverKit => "DriverKit",
        Platform::XrOs => "xrOS",
        Platform::XrOsSimulator => "xrOS simulator",
    }
}
