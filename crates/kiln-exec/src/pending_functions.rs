//! Host functions that are compiled while they go on being interpreted: their code is generated in the background, and they are linked
//! when they are asked for and all of it is there.

use crate::env::ExecEnv;
use crate::function::{
    CompiledFunction, compile_graph, compile_hot, function_graph, host_view, kept_if_refused, noted,
};
use crate::make_kernels::{compiling_part, note_compilation};
use crate::pending::{CompilationParts, Inferred, PendingFunction};
use kiln_compile::{
    Background, BackgroundJob, CompileError, LinkSetRequest, PromptLinkSet, keep, prompt_link_set,
};
use kiln_ir::Instance;
use kiln_runtime::{CompiledBody, HostCode};
use kiln_unit::EntryKind;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a function is interpreted while its code is generated: one that reaches many others would be for as long as one thread
/// takes to generate the code of all of them.
const BESIDE_MAX: Duration = Duration::from_millis(20);

/// How far a function is.
enum Step {
    Done(Box<CompiledFunction>),
    Awaits(Box<Inferred>, Vec<Arc<BackgroundJob>>),
}

/// Compiles an instance that runs often without waiting for the code generator, and takes a note of it. While it is pending it
/// is to be asked for again, each time [`Background::done`] has changed.
pub fn compile_hot_beside(env: &ExecEnv<'_>, instance: Instance) -> HostCode {
    let boxed = |it: CompiledFunction| -> Box<dyn CompiledBody> { Box::new(it) };
    let Some(background) = &env.exec.background else {
        return compile_hot(env, instance).map(boxed).map_or(HostCode::Refused, HostCode::Compiled);
    };
    let pending = &env.exec.pending_functions.0;
    let known = pending.lock().remove(&instance);
    let (mut inferred, mut parts, since) = match known {
        Some(known) => {
            if !waits(background, &known.awaited, known.since) {
                pending.lock().insert(instance, known);
                return HostCode::Pending;
            }
            (Some(known.inferred), known.parts, known.since)
        }
        None => (None, CompilationParts::default(), Instant::now()),
    };
    let made = loop {
        let next = || step(env, background, instance, inferred.take());
        match compiling_part(env, &mut parts, (instance, false), next) {
            Ok(Step::Awaits(graph, awaited)) if waits(background, &awaited, since) => inferred = Some(*graph),
            Ok(Step::Awaits(inferred, awaited)) => {
                let inferred = *inferred;
                pending.lock().insert(instance, PendingFunction { inferred, awaited, parts, since });
                return HostCode::Pending;
            }
            Ok(Step::Done(made)) => break Ok(*made),
            Err(why) => break Err(why),
        }
    };
    note_compilation(env, &parts, (instance, false));
    let made = noted(env, instance, parts.all_nanos(), made);
    made.map(boxed).map_or(HostCode::Refused, HostCode::Compiled)
}

/// Whether jobs are done. A function that has been pending for long waits for its jobs, and generates code itself.
fn waits(background: &Background, awaited: &[Arc<BackgroundJob>], since: Instant) -> bool {
    if since.elapsed() >= BESIDE_MAX {
        background.finish(awaited);
    }
    !awaited.is_empty() && awaited.iter().all(|it| it.is_done())
}

/// Goes on with a function as far as can be done without the code generator. Without `inferred` of the newest world it begins.
fn step(
    env: &ExecEnv<'_>,
    background: &Background,
    instance: Instance,
    inferred: Option<Inferred>,
) -> Result<Step, CompileError> {
    // After a definition instances may mean others: the graph is made anew, of results that hold still.
    let known = inferred.filter(|it| it.view.world == host_view(env.rt, env.exec).world);
    let is_first = known.is_none();
    let inferred = match known {
        Some(known) => known,
        None => {
            let view = host_view(env.rt, env.exec);
            let graph = function_graph(env, &view, instance)?;
            Inferred { view, graph }
        }
    };
    let (view, graph) = (&inferred.view, &inferred.graph);
    let mut awaited = Vec::new();
    let made = compile_graph(env, view, graph, instance, || {
        let entry = EntryKind::Function;
        let request = LinkSetRequest { env: env.stages(view), graph, entry, may_be_late: true };
        match prompt_link_set(&request, background, is_first)? {
            PromptLinkSet::Made(link_set) => Ok(Some(link_set)),
            PromptLinkSet::Awaits(jobs) => {
                awaited = jobs;
                Ok(None)
            }
        }
    });
    match kept_if_refused(env, (view, graph), made)? {
        Some(made) => Ok(Step::Done(Box::new(made))),
        None => {
            if is_first {
                // The process may end before the units are made, and the next one begins here.
                graph.nodes.iter().for_each(|it| keep(&env.stages(view), &it.typed));
            }
            Ok(Step::Awaits(Box::new(inferred), awaited))
        }
    }
}

/// Goes on with the functions that are pending, which nothing calls any more, for at most so long: later processes find their code.
pub fn finish_pending(env: &ExecEnv<'_>, limit: Duration) {
    let is_stored = env.exec.compiler.results.has_store();
    let Some(background) = env.exec.background.as_ref().filter(|_| is_stored) else { return };
    let start = Instant::now();
    loop {
        let done = background.done();
        let mut pending: Vec<Instance> = env.exec.pending_functions.0.lock().keys().copied().collect();
        pending.sort_unstable();
        let goes_on = |it: &Instance| matches!(compile_hot_beside(env, *it), HostCode::Pending);
        if pending.iter().filter(|it| goes_on(it)).count() == 0 {
            return;
        }
        let left = limit.checked_sub(start.elapsed());
        if !left.is_some_and(|it| background.wait(done, it)) {
            return;
        }
    }
}
