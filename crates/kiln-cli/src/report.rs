//! `kiln report`: how far kernels of other repositories get, each in a process of its own.

use crate::cli::ReportArgs;
use crate::json::Json;
use crate::terminal::{complain, say};
use kiln::report::{Reached, ReportRow, RowOutcome, read_rows, survey};
use std::io::Read;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Starts the line with which a row's process ends: whatever the row printed before stands apart.
const MARK: &str = "kiln-report-row";

/// How often a running row is looked at.
const POLL: Duration = Duration::from_millis(20);

/// Runs the command.
pub(crate) fn report(args: &ReportArgs) -> ExitCode {
    let text = std::fs::read_to_string(&args.rows).map_err(|it| it.to_string());
    let rows = match text.and_then(|it| read_rows(&it)) {
        Ok(rows) => rows,
        Err(error) => {
            complain(&format!("kiln: {}: {error}", args.rows.display()));
            return ExitCode::from(2);
        }
    };
    if let Some(number) = args.row {
        let Some(row) = number.checked_sub(1).and_then(|it| rows.get(it)) else { return ExitCode::from(2) };
        let outcome = survey(&args.corpus, row);
        let reason = outcome.reason.replace(['\n', '\t'], " ");
        say(&format!("\n{MARK}\t{}\t{reason}\n", outcome.reached.name()));
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
    let outcomes =
        Mutex::new(vec![RowOutcome { reached: Reached::Nothing, reason: "did not run".into() }; count]);
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

fn run_row(args: &ReportArgs, number: usize) -> RowOutcome {
    let failed = |reason: String| RowOutcome { reached: Reached::Nothing, reason };
    let Ok(program) = std::env::current_exe() else { return failed("kiln does not know where it is".into()) };
    let mut command = Command::new(program);
    command.arg("report").arg("--corpus").arg(&args.corpus).arg("--rows").arg(&args.rows);
    command.arg("--row").arg(number.to_string()).env("KILN_CORPUS", &args.corpus);
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
    let failed = |reason: String| RowOutcome { reached: Reached::Nothing, reason };
    let Some(status) = status else { return failed(format!("not done after {} s", limit.as_secs())) };
    let told = out.lines().rev().find_map(|it| it.strip_prefix(MARK)).and_then(|it| {
        let (reached, reason) = it.trim_start_matches('\t').split_once('\t')?;
        let reached = Reached::ALL.into_iter().find(|it| it.name() == reached)?;
        Some(RowOutcome { reached, reason: reason.to_owned() })
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
    }
    say(&format!("{} rows:", rows.len()));
    for stage in &Reached::ALL[1..] {
        say(&format!(" {} {}", count_from(outcomes, *stage), stage.name()));
    }
    say("\n");
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
        ])
    });
    let mut fields = vec![("total", (rows.len() as u64).into())];
    let count = |stage: &Reached| (count_from(outcomes, *stage) as u64).into();
    fields.extend(Reached::ALL[1..].iter().map(|it| (it.name(), count(it))));
    fields.push(("rows", Json::List(each.collect())));
    Json::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_counts_for_those_before_it() {
        let outcome = |reached| RowOutcome { reached, reason: String::new() };
        let all = [outcome(Reached::Compiled), outcome(Reached::Loaded), outcome(Reached::Nothing)];
        assert_eq!(count_from(&all, Reached::Parsed), 2);
        assert_eq!(count_from(&all, Reached::Inferred), 1);
    }
}
