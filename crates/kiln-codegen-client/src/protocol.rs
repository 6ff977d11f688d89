//! Requests to the code generator, wherever it is: opened in this process, or in one of its own.

use crate::library::{Codegen, CodegenError};
use crate::process::Workers;
use kiln_unit::{
    AnalysedLoop, CodegenReply, CodegenRequest, DeviceLinkReply, DeviceLinkRequest, DivergenceReply,
    DivergenceRequest, Emitted, ListingReply, ListingRequest, Malformed,
};

/// A code generator: takes the bytes of requests and gives those of replies.
pub trait RoundTrip {
    /// Returns the reply to a request. `is_known` receives the bytes of [`Emitted`].
    ///
    /// # Errors
    /// When there is none.
    fn round_trip(
        &self,
        request: &[u8],
        is_known: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, CodegenError>;

    /// Requests one unit. `is_known` receives the emitted unit; if it returns true, nothing is compiled.
    ///
    /// # Errors
    /// When the library has another version.
    fn request(
        &self,
        request: &CodegenRequest,
        is_known: &mut dyn FnMut(Emitted) -> bool,
    ) -> Result<CodegenReply, CodegenError> {
        let mut malformed = None;
        let reply = self.round_trip(&request.to_bytes(), &mut |bytes| match Emitted::from_bytes(bytes) {
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

    /// Requests a device link.
    ///
    /// # Errors
    /// When the library is not one of this version.
    fn link_device(&self, request: &DeviceLinkRequest) -> Result<DeviceLinkReply, CodegenError> {
        let reply = self.round_trip(&request.to_bytes(), &mut |_| true)?;
        DeviceLinkReply::from_bytes(&reply).map_err(|it| protocol_error(&it))
    }

    /// Requests the divergence analysis of a module that was kept as bitcode.
    ///
    /// # Errors
    /// When the library is not one of this version, or cannot read the module.
    fn divergence(&self, request: &DivergenceRequest) -> Result<Vec<AnalysedLoop>, CodegenError> {
        let reply = self.round_trip(&request.to_bytes(), &mut |_| true)?;
        let reply = DivergenceReply::from_bytes(&reply).map_err(|it| protocol_error(&it))?;
        reply.result.map_err(|it| CodegenError::Protocol(it.message))
    }

    /// The text of a module that was kept as bitcode.
    ///
    /// # Errors
    /// When the library is not one of this version, or cannot read the module.
    fn listing(&self, bitcode: Vec<u8>) -> Result<String, CodegenError> {
        let reply = self.round_trip(&ListingRequest { bitcode }.to_bytes(), &mut |_| true)?;
        let reply = ListingReply::from_bytes(&reply).map_err(|it| protocol_error(&it))?;
        reply.result.map_err(|it| CodegenError::Protocol(it.message))
    }
}

impl RoundTrip for Codegen {
    fn round_trip(
        &self,
        request: &[u8],
        is_known: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, CodegenError> {
        self.call(request, is_known)
    }
}

impl RoundTrip for Workers {
    fn round_trip(
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
