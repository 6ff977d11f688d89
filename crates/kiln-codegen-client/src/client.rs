//! The code generator of a session: opened when it is first needed, in this process or in one of its own.

use crate::library::{Codegen, CodegenError, find, identity};
use crate::process::{Isolation, LIMIT_USUAL, Workers, beside};
use crate::protocol::RoundTrip;
use kiln_targets::TargetFacts;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The options of a session's code generator.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The library to open; `None`: the one beside the executable.
    pub library: Option<PathBuf>,
    /// The targets whose code is generated in a separate process.
    pub isolation: Isolation,
    /// The program that is run as such a process: `program codegen serve LIBRARY`. `None`: this one if it is `kiln`, else the
    /// `kiln` beside it or in the folder above; without either, all code is generated in this process.
    pub worker: Option<PathBuf>,
    /// The time limit of such a process for one request.
    pub limit: Duration,
    /// Messages about panics of the code generator in this process have the call stack.
    pub traces_panics: bool,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            library: None,
            isolation: Isolation::default(),
            worker: None,
            limit: LIMIT_USUAL,
            traces_panics: false,
        }
    }
}

/// The code generator of a session. Any number of threads may use it.
///
/// ```
/// use kiln_codegen_client::{ClientOptions, CodegenClient, CodegenError};
/// let options = ClientOptions { library: Some("/none".into()), ..ClientOptions::default() };
/// let client = CodegenClient::new(options, Box::new(|_, _| ()));
/// assert!(client.identity().is_none());
/// assert!(matches!(client.in_process(), Err(CodegenError::NotFound(_))));
/// ```
pub struct CodegenClient {
    options: ClientOptions,
    opened: Mutex<Option<Arc<Codegen>>>,
    /// `None` inside: there is no program that could serve.
    workers: OnceLock<Option<Workers>>,
    on_open: OnOpen,
}

/// Called once the library has been opened in this process, with the moment when that began and how long it took.
pub type OnOpen = Box<dyn Fn(std::time::Instant, Duration) + Send + Sync>;

/// The code generator for one target.
pub enum CodegenHandle<'a> {
    /// The library, in this process.
    InProcess(Arc<Codegen>),
    /// A process of its own.
    Worker(&'a Workers),
}

impl RoundTrip for CodegenHandle<'_> {
    fn round_trip(
        &self,
        request: &[u8],
        is_known: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, CodegenError> {
        match self {
            Self::InProcess(codegen) => codegen.round_trip(request, is_known),
            Self::Worker(workers) => workers.round_trip(request, is_known),
        }
    }
}

impl CodegenClient {
    /// A client that has opened nothing and started no process yet.
    pub fn new(options: ClientOptions, on_open: OnOpen) -> Self {
        Self { options, opened: Mutex::new(None), workers: OnceLock::new(), on_open }
    }

    /// Returns the library in this process, opened on the first call.
    ///
    /// # Errors
    /// When it is missing, or has another version.
    pub fn in_process(&self) -> Result<Arc<Codegen>, CodegenError> {
        let mut slot = self.opened.lock();
        if let Some(open) = slot.as_ref() {
            return Ok(open.clone());
        }
        let started = std::time::Instant::now();
        let opened = Arc::new(Codegen::open(self.options.library.as_deref(), self.options.traces_panics)?);
        (self.on_open)(started, started.elapsed());
        Ok(slot.insert(opened).clone())
    }

    /// Returns the identity of the code generator, without opening it. `None` if there is none.
    pub fn identity(&self) -> Option<String> {
        identity(self.options.library.as_deref())
    }

    /// Returns the code generator for units of a target.
    ///
    /// # Errors
    /// When there is none.
    pub fn for_target(&self, facts: &TargetFacts) -> Result<CodegenHandle<'_>, CodegenError> {
        self.handle_for(self.options.isolation.covers(facts))
    }

    /// Returns the code generator that links units for a device. Libraries named by the user are read in a separate
    /// process, unless isolation is off.
    ///
    /// # Errors
    /// When there is none.
    pub fn for_device_link(
        &self,
        facts: &TargetFacts,
        has_libraries: bool,
    ) -> Result<CodegenHandle<'_>, CodegenError> {
        let isolation = self.options.isolation;
        self.handle_for(isolation.covers(facts) || has_libraries && isolation != Isolation::Never)
    }

    /// Starts the code generator for a target in advance.
    pub fn prepare_for(&self, facts: &TargetFacts) {
        if self.options.isolation.covers(facts)
            && let Ok(Some(workers)) = self.workers()
        {
            workers.start();
        }
    }

    /// Returns the targets of a user-supplied library beyond those of `kiln_targets`. The library beside the
    /// executable has none.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn offered_targets(&self) -> Result<Vec<TargetFacts>, CodegenError> {
        if self.options.library.is_none() {
            return Ok(Vec::new());
        }
        self.in_process()?.targets()
    }

    fn handle_for(&self, in_worker: bool) -> Result<CodegenHandle<'_>, CodegenError> {
        let workers = if in_worker { self.workers()? } else { None };
        match workers {
            Some(workers) => Ok(CodegenHandle::Worker(workers)),
            None => self.in_process().map(CodegenHandle::InProcess),
        }
    }

    fn workers(&self) -> Result<Option<&Workers>, CodegenError> {
        if let Some(known) = self.workers.get() {
            return Ok(known.as_ref());
        }
        let library = find(self.options.library.as_deref())?;
        let ClientOptions { worker, limit, .. } = &self.options;
        let workers = || Some(Workers::new(worker.clone().or_else(beside)?, library, *limit));
        Ok(self.workers.get_or_init(workers).as_ref())
    }
}
