//! `kiln image`: building images, and looking at them.

use crate::cli::{ImageArgs, ImageCommand};
use crate::json::Json;
use crate::terminal::{complain, say};
use crate::{environment, failures};
use indicatif::{ProgressBar, ProgressStyle};
use kiln::Error;
use kiln::image::{
    Holding, ImagePlan, ImageReport, Missing, Progress, build_image, device, device_of, inspect, target,
};
use kiln::targets::Items;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The interval between redraws of the bar.
const TICK: Duration = Duration::from_millis(80);

/// Runs `kiln image ...`.
pub(crate) fn run(args: &ImageArgs) -> Result<ExitCode, Error> {
    let json = args.json;
    let (report, code) = match &args.command {
        ImageCommand::Build { out, cpu, target, cubin, export, file, args } => {
            (build(out.as_deref(), (cpu, target, *cubin), export, (file, args), json)?, ExitCode::SUCCESS)
        }
        ImageCommand::Show { image } => show(image)?,
    };
    say(&if args.json { report.to_line() } else { report.to_text() });
    Ok(code)
}

fn build(
    out: Option<&Path>,
    (cpus, devices, machine_code): (&[String], &[String], bool),
    exports: &[String],
    (file, args): (&str, &[String]),
    json: bool,
) -> Result<Json, Error> {
    let session = environment::options()?;
    let targets = cpus.iter().map(|name| {
        let found = target(name).filter(|it| it.items == Items::Loops);
        found.ok_or_else(|| {
            let known = "native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4";
            Error::usage(format!("error: `{name}` is no processor kiln compiles for; it can be {known}"))
        })
    });
    let devices = devices.iter().map(|name| device(name, &session));
    let out = out.map_or_else(|| PathBuf::from(file).with_extension("kimg"), Path::to_owned);
    let mut plan = ImagePlan::new(file, out);
    plan.targets = targets.collect::<Result<_, _>>()?;
    plan.devices = devices.collect::<Result<_, _>>()?;
    plan.machine_code = machine_code;
    plan.exports = exports.to_vec();
    plan.session = session.args(args);
    let bar = ProgressBar::new_spinner(); // hidden where standard error is no terminal
    bar.enable_steady_tick(TICK);
    let built = build_image(&plan, &mut |it| watch(&bar, it));
    bar.finish_and_clear();
    let built = built?;
    failures::warn(&built.warnings, json);
    tell_lacks(&built, json);
    let targets: Vec<Json> = plan.targets.iter().map(|it| it.cpu.as_str().into()).collect();
    let devices: Vec<Json> = plan.devices.iter().map(|it| it.name.as_str().into()).collect();
    Ok(Json::Object(vec![
        ("image", plan.out.display().to_string().into()),
        ("targets", Json::List(targets)),
        ("devices", Json::List(devices)),
        ("kernels", built.kernels.into()),
        ("device_kernels", built.device_kernels.into()),
        ("artifacts", (built.artifacts as u64).into()),
        ("machine_code", (built.machine_code as u64).into()),
        ("exported", (built.exported as u64).into()),
        ("units", (built.units as u64).into()),
        ("typed", (built.typed as u64).into()),
        ("refusals", (built.refusals as u64).into()),
        ("notes", (built.notes as u64).into()),
        ("bytes", built.bytes.into()),
        ("compiles", built.timings.compiles.into()),
        ("seconds", Json::Number(built.timings.total_ns as f64 * 1e-9)),
    ]))
}

/// Tells the user the kernels that the image lacks, on standard error.
fn tell_lacks(built: &ImageReport, json: bool) {
    for it in &built.unfinished {
        complain(&if json {
            Json::Object(vec![("unfinished", failures::to_json(it))]).to_line()
        } else {
            format!("kiln: note: this did not finish, as nothing was launched:\n{}", it.message)
        });
    }
    for Missing { kernel, target, why } in &built.lacking {
        complain(&if json {
            let fields = [("kernel", kernel), ("target", target), ("message", why)];
            let fields = fields.map(|(name, it)| (name, it.as_str().into()));
            Json::Object(vec![("lacking", Json::Object(fields.into()))]).to_line()
        } else {
            format!("kiln: note: the image lacks {kernel} for {target}:\n{why}")
        });
    }
}

/// Has the bar show how far the build for one target is.
fn watch(bar: &ProgressBar, progress: &Progress<'_>) {
    let (position, all) = progress.position;
    let (target, counts) = (progress.target.cpu.clone(), progress.counts.clone());
    let shown = move |_: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
        let now = counts.now();
        let (kernels, compiles) = (now.kernels_compiled, now.compiles);
        let _ =
            write!(out, "{target} ({} of {all}): {kernels} kernels, {compiles} compilations", position + 1);
    };
    let style = ProgressStyle::with_template("{spinner} {elapsed} building for {counts}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()).with_key("counts", shown));
}

/// Lists the contents of an image, every byte of it checked; fails if something is damaged.
fn show(path: &Path) -> Result<(Json, ExitCode), Error> {
    let image = inspect(path, &environment::options()?)?;
    let (damaged, strange_bytes) = image.image().verify();
    let is_whole = damaged.is_empty() && strange_bytes == 0;
    if !is_whole {
        complain(&format!(
            "kiln: {} is damaged: of {} entries {} cannot be used, and {strange_bytes} bytes belong to none",
            path.display(),
            image.len(),
            damaged.len(),
        ));
    }
    let targets: Vec<Json> = image.targets().iter().map(|it| it.cpu.as_str().into()).collect();
    let entries = image.image().entries().map(|(key, entry)| {
        let mut fields: Vec<(&'static str, Json)> = vec![
            ("key", key.id().to_string().into()),
            ("subject", key.subject().into()),
            ("class", key.class().name().into()),
            ("kind", Holding::of(&key, &entry).name().into()),
            ("bytes", (entry.payload.len() as u64).into()),
        ];
        fields.extend(device_of(&image, &key).map(|it| ("device", it.name.as_str().into())));
        Json::Object(fields)
    });
    let entries: Vec<Json> = entries.collect();
    let devices: Vec<Json> = image.devices().iter().map(|it| it.name.as_str().into()).collect();
    let damaged = damaged.iter().map(|it| it.to_string().into());
    let report = Json::Object(vec![
        ("image", path.display().to_string().into()),
        ("targets", Json::List(targets)),
        ("devices", Json::List(devices)),
        ("selected_target", image.target.cpu.as_str().into()),
        ("damaged", Json::List(damaged.collect())),
        ("entries", Json::List(entries)),
    ]);
    Ok((report, if is_whole { ExitCode::SUCCESS } else { ExitCode::from(1) }))
}
