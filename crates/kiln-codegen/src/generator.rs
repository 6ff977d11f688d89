//! An instance of the code generator, and all state that outlives a request.

use crate::error::{EmitError, EmitErrorKind, refusals};
use crate::llvm::{Libraries, during, listing, panic_trace, trace_panics, version};
use crate::probe::Probes;
use crate::target::{Target, Targets};
use kiln_targets::TargetFacts;
use kiln_unit::{
    CodegenReply, CodegenRequest, DeviceLinkReply, DeviceLinkRequest, DivergenceReply, DivergenceRequest,
    Emitted, ListingReply, ListingRequest, StageTime, TargetsReply, TargetsRequest,
};

/// The services that the host provides: the generator reads no clock and no environment itself.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Host {
    /// Returns nanoseconds from a fixed start; times of stages are differences.
    pub now: extern "C" fn() -> u64,
    /// Whether the error of a panic includes the call stack, as `RUST_BACKTRACE` asks.
    pub traces_panics: bool,
}

/// Stands in for a clock.
extern "C" fn no_time() -> u64 {
    0
}

impl Default for Host {
    fn default() -> Self {
        Self { now: no_time, traces_panics: false }
    }
}

/// An instance of the code generator. Requests may come from several threads at once.
#[derive(Default)]
pub struct Generator {
    host: Host,
    /// The targets that are not built in.
    pub(crate) targets: Targets,
    /// The device libraries, prepared for linking.
    pub(crate) libraries: Libraries,
    /// The answers of back ends.
    pub(crate) probes: Probes,
}

impl Generator {
    /// Returns an instance with the built-in targets.
    pub fn new(host: Host) -> Self {
        Self { host, ..Self::default() }
    }

    /// Adds a target, which takes precedence over earlier ones.
    pub fn register(&mut self, target: &'static dyn Target) {
        self.targets.register(target);
    }

    /// Returns the target for these facts.
    ///
    /// # Errors
    /// Fails if this library has none.
    pub fn lookup(&self, facts: &TargetFacts) -> Result<&'static dyn Target, EmitError> {
        self.targets.lookup(facts)
    }

    /// Answers a request in bytes: for a unit, a device link, a listing, an analysis or the list of targets. The bytes may be
    /// anything. `is_known` is as in [`compile_unless`](Self::compile_unless).
    pub fn request_bytes(&self, request: &[u8], is_known: &mut dyn FnMut(&Emitted) -> bool) -> Vec<u8> {
        if ListingRequest::is_one(request) {
            let result = ListingRequest::from_bytes(request).map_err(EmitError::from);
            let result = result.and_then(|it| self.contained("a listing", || listing(&it.bitcode)));
            return ListingReply { result: result.map_err(EmitError::into_refusal) }.to_bytes();
        }
        if DivergenceRequest::is_one(request) {
            return match DivergenceRequest::from_bytes(request) {
                Ok(request) => self.divergence(&request),
                Err(error) => DivergenceReply { result: Err(EmitError::from(error).into_refusal()) },
            }
            .to_bytes();
        }
        if TargetsRequest::is_one(request) {
            let facts = self.targets.offered().iter().map(TargetFacts::to_bytes).collect();
            return TargetsReply { facts }.to_bytes();
        }
        if DeviceLinkRequest::is_one(request) {
            return match DeviceLinkRequest::from_bytes(request) {
                Ok(request) => self.link_device(&request),
                Err(error) => {
                    let result = Err(vec![EmitError::from(error).into_refusal()]);
                    DeviceLinkReply { result, times: Vec::new() }
                }
            }
            .to_bytes();
        }
        match CodegenRequest::from_bytes(request) {
            Ok(request) => self.compile_unless(&request, is_known),
            Err(error) => {
                let result = Err(vec![EmitError::from(error).into_refusal()]);
                CodegenReply { llvm_version: version(), result, times: Vec::new() }
            }
        }
        .to_bytes()
    }

    /// Answers a request for a unit.
    pub fn compile(&self, request: &CodegenRequest) -> CodegenReply {
        self.compile_unless(request, &mut |_| false)
    }

    /// Answers a request for a unit. If the emitted bitcode `is_known`, the caller has the result and the reply has
    /// none. A panic is a bug of this crate; it becomes a refusal, so that a caller on the other side of a C
    /// interface survives and can report it.
    pub fn compile_unless(
        &self,
        request: &CodegenRequest,
        is_known: &mut dyn FnMut(&Emitted) -> bool,
    ) -> CodegenReply {
        let mut clock = self.clock();
        let stages = || crate::compile::stages(self, request, &mut clock, is_known);
        let result = self.contained(&request.title, stages).map_err(refusals);
        CodegenReply { llvm_version: version(), result, times: clock.times }
    }

    /// Answers a request for a device link. A panic becomes a refusal.
    pub fn link_device(&self, request: &DeviceLinkRequest) -> DeviceLinkReply {
        let mut clock = self.clock();
        let stages = || crate::device_link::stages(self, request, &mut clock);
        let result = self.contained(&request.title, stages).map_err(refusals);
        DeviceLinkReply { result, times: clock.times }
    }

    /// Answers a request for a divergence analysis. A panic becomes a refusal.
    pub fn divergence(&self, request: &DivergenceRequest) -> DivergenceReply {
        let result = self.contained("an analysis", || crate::analysed::analysed(self, request));
        DivergenceReply { result: result.map_err(EmitError::into_refusal) }
    }

    fn clock(&self) -> Clock {
        Clock { now: self.host.now, last: (self.host.now)(), times: Vec::new() }
    }

    /// Runs the work of a job. Panics and fatal LLVM errors become errors, whatever the result.
    fn contained<T, E: From<EmitError>>(
        &self,
        title: &str,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        trace_panics(self.host.traces_panics);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| during(title, work)));
        let kind = match result {
            Ok((result, None)) => return result,
            Ok((_, Some(fatal))) => EmitErrorKind::Fatal(fatal),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
                EmitErrorKind::Panic { message: text.unwrap_or_default(), trace: panic_trace() }
            }
        };
        Err(EmitError::from(kind).into())
    }
}

/// A clock of the stages.
pub(crate) struct Clock {
    now: extern "C" fn() -> u64,
    last: u64,
    times: Vec<StageTime>,
}

impl Clock {
    /// Ends a stage.
    pub(crate) fn stage(&mut self, stage: &str) {
        let now = (self.now)();
        self.times.push(StageTime { stage: stage.into(), nanos: now.saturating_sub(self.last) });
        self.last = now;
    }
}

/// Returns the version `major.minor.patch` of the linked LLVM, which is part of keys.
pub fn llvm_version() -> String {
    version()
}

/// Assembles a module in LLVM's language to bitcode.
///
/// # Errors
/// Fails with the message of the parser or the verifier.
pub fn assemble(text: &str) -> Result<Vec<u8>, EmitError> {
    let (made, fatal) = during("a text", || crate::llvm::assemble(text));
    fatal.map_or(made, |it| Err(EmitErrorKind::Fatal(it).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bug of this crate is an error of the request, with its message.
    #[test]
    fn a_panic_is_an_error() {
        let work = || -> Result<(), EmitError> { panic!("index {} out of bounds", 3) };
        let error = Generator::default().contained("a test", work).expect_err("it panicked");
        let kind = EmitErrorKind::Panic { message: "index 3 out of bounds".into(), trace: None };
        assert_eq!(error, kind.into());
        assert_eq!(error.into_refusal().message, "a bug in codegen: index 3 out of bounds");
    }
}
