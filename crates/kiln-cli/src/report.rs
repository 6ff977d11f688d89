//! `kiln report`: how far kernels of other repositories get, each in a process of its own.

use crate::cli::ReportArgs;
use crate::json::Json;
use crate::terminal::{complain, say};
use kiln::report::{Accepted, Reached, ReportRow, RowOutcome, TargetOutcome, read_rows, survey};
use std::io::Read;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Starts the last line of a row's process, so that earlier output of the row stands apart.
const MARK: &str = "kiln-report-row";

/// The interval between polls of a running row.
const POLL: Duration = Duration::from_millis(20);

/// Runs the command.
pub(crate) fn report(args: &ReportArgs) -> ExitCode {
    let text = std::fs::read_to_string(&args.rows).map_err(|it| kiln::Error::usage(it.to_string()));
    let rows = match text.and_then(|it| read_rows(&it)) {
        Ok(rows) => rows,
        Err(error) => {
            complain(&format!("kiln: {}: {error}", args.rows.display()));
            return ExitCode::from(2);
        }
    };
    if let Some(number) = args.row {
        let Some(row) = number.checked_sub(1).and_then(|it| rows.get(it)) else { return ExitCode::from(2) };
        let options = match crate::environment::options() {
            Ok(options) => options.store(None),
            Err(error) => {
                complain(&error.message);
                return ExitCode::from(2);
            }
        };
        let outcome = survey(&args.corpus, row, &args.target, options);
        let plain = |text: &str| text.replace(['\n', '\t'], " ");
        let mut line = format!("\n{MARK}\t{}\t{}", outcome.reached.name(), plain(&outcome.reason));
        for it in &outcome.targets {
            line.push_str(&format!("\t{}\t{}\t{}", it.target, it.accepted.name(), plain(&it.reason)));
        }
        say(&(line + "\n"));
        return ExitCode::SUCCESS;
    }
    let outcomes = run_all(args, rows.len());
    if args.json {
        say(&to_json(&rows, &outcomes).to_line());
    } else {
        print_table(&rows, &outcomes);
    }
    ExitCode::SUCCESS
}

/// Runs every row, as many at once as there are processors.
fn run_all(args: &ReportArgs, count: usize) -> Vec<RowOutcome> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(vec![nothing("did not run"); count]);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    let outcome = run_row(args, at + 1);
                    if let Ok(mut all) = outcomes.lock() {
                        all[at] = outcome;
                    }
                }
            });
        }
    });
    outcomes.into_inner().unwrap_or_default()
}

fn nothing(reason: &str) -> RowOutcome {
    RowOutcome { reached: Reached::Nothing, reason: reason.to_owned(), targets: Vec::new() }
}

fn run_row(args: &ReportArgs, number: usize) -> RowOutcome {
    let failed = |reason: String| nothing(&reason);
    let Ok(program) = std::env::current_exe() else { return failed("kiln does not know where it is".into()) };
    let mut command = Command::new(program);
    command.arg("report").arg("--corpus").arg(&args.corpus).arg("--rows").arg(&args.rows);
    command.arg("--row").arg(number.to_string()).env("KILN_CORPUS", &args.corpus);
    if !args.target.is_empty() {
        command.arg("--target").arg(args.target.join(","));
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    match child {
        Ok(child) => finish(child, Duration::from_secs(args.timeout)),
        Err(error) => failed(error.to_string()),
    }
}

fn finish(mut child: Child, limit: Duration) -> RowOutcome {
    let (out, err) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < end => std::thread::sleep(POLL),
            Ok(None) | Err(_) => break None,
        }
    };
    if status.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    let failed = |reason: String| nothing(&reason);
    let Some(status) = status else { return failed(format!("not done after {} s", limit.as_secs())) };
    let told = out.lines().rev().find_map(|it| it.strip_prefix(MARK)).and_then(|it| {
        let mut fields = it.trim_start_matches('\t').split('\t');
        let (reached, reason) = (fields.next()?, fields.next()?.to_owned());
        let reached = Reached::ALL.into_iter().find(|it| it.name() == reached)?;
        let rest: Vec<&str> = fields.collect();
        let targets = rest.chunks_exact(3).filter_map(|it| {
            let accepted = Accepted::ALL.into_iter().find(|known| known.name() == it[1])?;
            Some(TargetOutcome { target: it[0].into(), accepted, reason: it[2].into() })
        });
        Some(RowOutcome { reached, reason, targets: targets.collect() })
    });
    told.unwrap_or_else(|| {
        let said = err.lines().find(|it| !it.trim().is_empty()).unwrap_or_default();
        failed(format!("kiln crashed ({status}): {said}"))
    })
}

/// Reads a pipe to its end on a thread, so that neither fills up.
fn collect(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn count_from(outcomes: &[RowOutcome], stage: Reached) -> usize {
    outcomes.iter().filter(|it| it.reached >= stage).count()
}

fn print_table(rows: &[ReportRow], outcomes: &[RowOutcome]) {
    for (at, (row, outcome)) in rows.iter().zip(outcomes).enumerate() {
        say(&format!("{:>3}  {:<8}  {}\n", at + 1, outcome.reached.name(), row.label()));
        if !outcome.reason.is_empty() {
            say(&format!("               {}\n", outcome.reason));
        }
        for it in outcome.targets.iter().filter(|it| it.accepted != Accepted::Yes) {
            say(&format!("               {}: {}: {}\n", it.target, it.accepted.name(), it.reason));
        }
    }
    say(&format!("{} rows:", rows.len()));
    for stage in &Reached::ALL[1..] {
        say(&format!(" {} {}", count_from(outcomes, *stage), stage.name()));
    }
    say("\n");
    for (target, counts) in by_target(outcomes) {
        let shown: Vec<String> =
            Accepted::ALL.iter().zip(counts).map(|(it, count)| format!("{count} {}", it.name())).collect();
        say(&format!("{target:<12} {}\n", shown.join(", ")));
    }
}

/// Counts the outcomes of kernels for each target.
fn by_target(outcomes: &[RowOutcome]) -> Vec<(&str, [u64; 4])> {
    let mut all: Vec<(&str, [u64; 4])> = Vec::new();
    for it in outcomes.iter().flat_map(|it| &it.targets) {
        let at = all.iter().position(|known| known.0 == it.target).unwrap_or_else(|| {
            all.push((&it.target, [0; 4]));
            all.len() - 1
        });
        let kind = Accepted::ALL.iter().position(|known| *known == it.accepted).unwrap_or_default();
        all[at].1[kind] += 1;
    }
    all
}

fn to_json(rows: &[ReportRow], outcomes: &[RowOutcome]) -> Json {
    let each = rows.iter().zip(outcomes).map(|(row, outcome)| {
        Json::Object(vec![
            ("repo", row.repo.as_str().into()),
            ("path", row.path.as_str().into()),
            ("kernel", row.kernel.as_str().into()),
            ("line", u64::from(row.line).into()),
            ("reached", outcome.reached.name().into()),
            ("reason", outcome.reason.as_str().into()),
            ("targets", Json::List(outcome.targets.iter().map(target_json).collect())),
        ])
    });
    let mut fields = vec![("total", (rows.len() as u64).into())];
    let count = |stage: &Reached| (count_from(outcomes, *stage) as u64).into();
    fields.extend(Reached::ALL[1..].iter().map(|it| (it.name(), count(it))));
    fields.push(("rows", Json::List(each.collect())));
    Json::Object(fields)
}

fn target_json(it: &TargetOutcome) -> Json {
    Json::Object(vec![
        ("target", it.target.as_str().into()),
        ("accepted", it.accepted.name().into()),
        ("reason", it.reason.as_str().into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_counts_for_those_before_it() {
        let outcome = |reached| RowOutcome { reached, ..nothing("") };
        let all = [outcome(Reached::Compiled), outcome(Reached::Loaded), outcome(Reached::Nothing)];
        assert_eq!(count_from(&all, Reached::Parsed), 2);
        assert_eq!(count_from(&all, Reached::Inferred), 1);
    }
}
