//! Requests to a server: files under `/ac/` and `/cas/`, by `GET` and `PUT`, each within a time and a length.

use kiln_bytes::hex;
use std::fmt;
use std::time::Duration;
use ureq::Agent;

/// Why a request failed. The server is not asked again.
#[derive(Debug)]
pub enum RemoteError {
    /// No connection, no answer in time, an answer that is not HTTP, or one that ends early or does not end.
    Transport(String),
    /// An answer other than success and "not found".
    Status(u16),
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RemoteError::Transport(why) => write!(f, "{why}"),
            RemoteError::Status(507) => write!(f, "the server is full (status 507)"),
            RemoteError::Status(status) => write!(f, "the server answered with status {status}"),
        }
    }
}

impl std::error::Error for RemoteError {}

/// The time limits of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// For a connection.
    pub connect: Duration,
    /// For a request, from the connection to the last byte.
    pub request: Duration,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(2), request: Duration::from_secs(20) }
    }
}

/// A server.
pub(crate) struct HttpStore {
    agent: Agent,
    base: String,
}

impl HttpStore {
    pub(crate) fn new(base: &str, limits: RequestLimits) -> HttpStore {
        let config = Agent::config_builder()
            .timeout_connect(Some(limits.connect))
            .timeout_global(Some(limits.request))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent("kiln")
            .build();
        HttpStore { agent: config.into(), base: base.to_owned() }
    }

    fn url(&self, folder: &str, hash: &[u8; 32]) -> String {
        format!("{}/{folder}/{}", self.base, hex(hash))
    }

    /// Returns a file of at most `bytes_max` bytes; `None` if it is not there.
    pub(crate) fn get(
        &self,
        folder: &str,
        hash: &[u8; 32],
        bytes_max: usize,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        let answer = self.agent.get(self.url(folder, hash)).call().map_err(transport)?;
        match answer.status().as_u16() {
            200 => {
                let mut body = answer.into_body();
                let read = body.with_config().limit(bytes_max as u64).read_to_vec();
                read.map(Some).map_err(transport)
            }
            404 => Ok(None),
            status => Err(RemoteError::Status(status)),
        }
    }

    /// Stores a file.
    pub(crate) fn put(&self, folder: &str, hash: &[u8; 32], bytes: &[u8]) -> Result<(), RemoteError> {
        let answer = self.agent.put(self.url(folder, hash)).send(bytes).map_err(transport)?;
        match answer.status().as_u16() {
            200..=299 => Ok(()),
            status => Err(RemoteError::Status(status)),
        }
    }
}

fn transport(error: ureq::Error) -> RemoteError {
    RemoteError::Transport(error.to_string())
}
