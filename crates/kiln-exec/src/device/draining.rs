//! Draining: the results of launches surface, in the order in which they were made.
//!
//! Draining a launch prints what its items printed and throws what the first of them threw.

use super::coherence::Fence;
use super::pending::PendingLaunch;
use super::streams::Recorded;
use crate::env::{ExecEnv, Launches};
use crate::failure::{kernel_error, of_item};
use crate::kernel::KernelEntry;
use crate::reports::Reports;
use kiln_launch::LaunchOutcome;
use kiln_runtime::{Run, throw};
use kiln_types::Symbol;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Drains a launch and all before it in its stream.
pub(crate) fn drain_through(env: &ExecEnv<'_>, last: &Fence) -> Run<()> {
    drain_where(env, &|it| it.stream == last.stream && it.number <= last.number)
}

/// Drains launches.
///
/// # Errors
/// The first exception.
pub(crate) fn drain_where(env: &ExecEnv<'_>, which: &dyn Fn(&Fence) -> bool) -> Run<()> {
    let Launches { copies, pending, streams, .. } = &env.exec.launches;
    let mut drained = match copies.take_failure() {
        Some(error) => Err(kernel_error(env.rt, &error.to_string())),
        None => Ok(()),
    };
    loop {
        let Some(next) = pending.take(which) else { return drained };
        // What it launches is behind it in its stream.
        let current = streams.set_current(next.fence.stream);
        let done = pending.while_draining(|| drain_one(env, &next));
        streams.set_current(current);
        drained = drained.and(done);
    }
}

/// Drains all launches.
///
/// # Errors
/// Fails with the exception of the first item that failed in the first launch that did.
pub fn drain(env: &ExecEnv<'_>) -> Run<()> {
    drain_where(env, &|_| true)
}

/// Drains the launches that accesses on the host waited for, and those before them.
pub fn drain_waited_for(env: &ExecEnv<'_>) -> Run<()> {
    let copies = &env.exec.launches.copies;
    let mut drained = Ok(());
    for fence in copies.take_waited_for() {
        let done = drain_through(env, &fence);
        drained = drained.and(done);
    }
    let failed = copies.take_failure().map(|it| kernel_error(env.rt, &it.to_string()));
    drained.and(failed.map_or(Ok(()), Err))
}

fn drain_one(env: &ExecEnv<'_>, launch: &PendingLaunch) -> Run<()> {
    let (rt, exec) = (env.rt, env.exec);
    let start = Instant::now();
    let finished = launch.fence.event.wait();
    exec.launches.copies.end(&rt.heap, &launch.coherent, &launch.fence);
    env.counters().launch_ns.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    let LaunchOutcome { failure, reports: reported, reports_lost, took: _ } =
        finished.map_err(|it| kernel_error(rt, &it.to_string()))?;
    let Some(kernel) = exec.jobs.kernel(launch.kernel) else { return Ok(()) };
    let KernelEntry::Device(entry) = &kernel.entry else { return Ok(()) };
    let name = rt.types.name(kernel.name);
    let lost_calls = reports_lost > 0 && entry.has_essential;
    if reports_lost > 0 && !lost_calls {
        let lost = format!("`{name}` printed more than a launch has room for: {reports_lost} lines are lost");
        exec.compiler.warn("output-lost", lost);
    }
    let mut reports = Reports::new(rt, kernel);
    for mut report in reported {
        exec.loadables.name_operands(rt, &kernel.program, report.site, &mut report.operands, &launch.mirrors);
        reports.take(&report);
    }
    if let Some(mut failure) = failure {
        exec.loadables.name_operands(
            rt,
            &kernel.program,
            failure.site,
            &mut failure.operands,
            &launch.mirrors,
        );
        return Err(of_item(rt, kernel, &failure));
    }
    reports.finish()?;
    if lost_calls {
        let what =
            format!("`{name}` asked for more than a launch has room for: {reports_lost} calls are lost");
        return Err(rt.error(&what));
    }
    Ok(())
}

/// Something of streams and events: see `kernel_stream` among the host functions.
///
/// # Errors
/// Fails with the exception of a launch that is waited for, or if there is no such stream or event.
pub fn do_with_stream(env: &ExecEnv<'_>, what: Symbol, first: i64, second: i64) -> Run<i64> {
    let rt = env.rt;
    let Launches { streams, pending, .. } = &env.exec.launches;
    let stream = || {
        u32::try_from(first).map_err(|_| throw::argument_error(rt, &format!("there is no stream {first}")))
    };
    let event = || {
        let found = streams.event(first);
        found.ok_or_else(|| throw::argument_error(rt, "an event that has not been recorded"))
    };
    match rt.types.name(what) {
        "use" => Ok(streams.set_current(stream()?).into()),
        "synchronize" => {
            let stream = stream()?;
            drain_where(env, &|it| it.stream == stream).map(|()| 0)
        }
        "query" => Ok(pending.is_idle(stream()?).into()),
        "record" => {
            let last = pending.last_in(stream()?);
            last.iter().for_each(|it| it.wait());
            Ok(streams.note(second, Recorded { at: Instant::now(), last }))
        }
        "wait" => event()?.last.map_or(Ok(()), |it| drain_through(env, &it)).map(|()| 0),
        "time" => event().map(|it| {
            // Never 0, which is what an event has that was not recorded.
            it.at.saturating_duration_since(streams.epoch).as_nanos() as i64 + 1
        }),
        other => Err(throw::argument_error(rt, &format!("there is no `{other}` of streams"))),
    }
}
