//! Asking the code generator, wherever it is: opened in this process, or in one of its own.

use crate::codegen_process::{Isolation, Workers};
use crate::kernel_host::Driver;
use crate::loader::{Codegen, CodegenError, find};
use kiln_targets::TargetFacts;
use kiln_unit::{
    CodegenReply, CodegenRequest, CompositionReply, CompositionRequest, Emitted, ListingReply,
    ListingRequest, Malformed,
};
use std::sync::Arc;

/// Takes the bytes of requests and gives those of replies.
pub trait Ask {
    /// The reply to a request. `is_known` is given the bytes of [`Emitted`].
    ///
    /// # Errors
    /// When there is none.
    fn carry(&self, request: &[u8], is_known: &mut dyn FnMut(&[u8]) -> bool)
    -> Result<Vec<u8>, CodegenError>;

    /// Asks for one unit. `is_known` is shown what is emitted for it; if it says so, nothing is made of that.
    ///
    /// # Errors
    /// When the library is not one of this version.
    fn request(
        &self,
        request: &CodegenRequest,
        is_known: &mut dyn FnMut(Emitted) -> bool,
    ) -> Result<CodegenReply, CodegenError> {
        let mut malformed = None;
        let reply = self.carry(&request.to_bytes(), &mut |bytes| match Emitted::from_bytes(bytes) {
            Ok(emitted) => is_known(emitted),
            Err(error) => {
                malformed = Some(error);
                true
            }
        })?;
        match malformed {
            None => CodegenReply::from_bytes(&reply).map_err(|it| protocol_error(&it)),
            Some(error) => Err(protocol_error(&error)),
        }
    }

    /// Asks for units to be composed for a device.
    ///
    /// # Errors
    /// When the library is not one of this version.
    fn compose(&self, request: &CompositionRequest) -> Result<CompositionReply, CodegenError> {
        let reply = self.carry(&request.to_bytes(), &mut |_| true)?;
        CompositionReply::from_bytes(&reply).map_err(|it| protocol_error(&it))
    }

    /// The text of a module that was kept as bitcode.
    ///
    /// # Errors
    /// When the library is not one of this version, or cannot read the module.
    fn listing(&self, bitcode: Vec<u8>) -> Result<String, CodegenError> {
        let reply = self.carry(&ListingRequest { bitcode }.to_bytes(), &mut |_| true)?;
        let reply = ListingReply::from_bytes(&reply).map_err(|it| protocol_error(&it))?;
        reply.result.map_err(CodegenError::Protocol)
    }
}

impl Ask for Codegen {
    fn carry(
        &self,
        request: &[u8],
        is_known: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, CodegenError> {
        self.call(request, is_known)
    }
}

impl Ask for Workers {
    fn carry(
        &self,
        request: &[u8],
        is_known: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, CodegenError> {
        self.call(request, is_known)
    }
}

fn protocol_error(error: &Malformed) -> CodegenError {
    CodegenError::Protocol(error.to_string())
}

/// The maker of code for a target.
pub(crate) enum Backend<'a> {
    /// The library, in this process.
    InProcess(Arc<Codegen>),
    /// A process of its own.
    Worker(&'a Workers),
}

impl Ask for Backend<'_> {
    fn carry(
        &self,
        request: &[u8],
        is_known: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, CodegenError> {
        match self {
            Self::InProcess(codegen) => codegen.carry(request, is_known),
            Self::Worker(workers) => workers.carry(request, is_known),
        }
    }
}

impl Driver {
    /// Whom to ask for code for a target.
    ///
    /// # Errors
    /// When there is no code generator.
    pub(crate) fn asked_for(&self, facts: &TargetFacts) -> Result<Backend<'_>, CodegenError> {
        self.asked_if(self.isolation().covers(facts))
    }

    /// Returns the maker that composes for a target. Files that the user named are not read here, unless everything is.
    ///
    /// # Errors
    /// When there is no code generator.
    pub(crate) fn asked_to_compose(
        &self,
        facts: &TargetFacts,
        has_libraries: bool,
    ) -> Result<Backend<'_>, CodegenError> {
        let isolation = self.isolation();
        self.asked_if(isolation.covers(facts) || has_libraries && isolation != Isolation::Never)
    }

    fn asked_if(&self, is_there: bool) -> Result<Backend<'_>, CodegenError> {
        let workers = if is_there { self.workers()? } else { None };
        match workers {
            Some(workers) => Ok(Backend::Worker(workers)),
            None => self.codegen().map(Backend::InProcess),
        }
    }

    /// Makes ready what code for a target is asked of: what it is asked for comes soon.
    pub(crate) fn prepare_for(&self, facts: &TargetFacts) {
        if self.isolation().covers(facts)
            && let Ok(Some(workers)) = self.workers()
        {
            workers.start();
        }
    }

    fn workers(&self) -> Result<Option<&Workers>, CodegenError> {
        if let Some(known) = self.workers.get() {
            return Ok(known.as_ref());
        }
        let library = find(self.codegen_path())?;
        Ok(self.workers.get_or_init(|| Workers::new(library, self.codegen_limit())).as_ref())
    }
}
