//! A server of files by hash, whatever its protocol.

use crate::address::RemoteAddress;
use crate::http::{HttpStore, RemoteError, RequestLimits};
use crate::redis::RedisStore;

/// The place of a file on a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// Under a key that says nothing about the contents.
    Action,
    /// Under the SHA-256 hash of the contents.
    Content,
}

impl Area {
    fn folder(self) -> &'static str {
        match self {
            Area::Action => "ac",
            Area::Content => "cas",
        }
    }
}

/// A server.
pub(crate) enum FileServer {
    Http(HttpStore),
    Redis(RedisStore),
}

impl FileServer {
    pub(crate) fn new(address: &RemoteAddress, limits: RequestLimits) -> FileServer {
        match address.base.strip_prefix("redis://") {
            Some(place) => FileServer::Redis(RedisStore::new(place, limits)),
            None => FileServer::Http(HttpStore::new(&address.base, limits)),
        }
    }

    /// Returns a file of at most `bytes_max` bytes; `None` if it is not there.
    pub(crate) fn get(
        &self,
        area: Area,
        hash: &[u8; 32],
        bytes_max: usize,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        match self {
            FileServer::Http(it) => it.get(area.folder(), hash, bytes_max),
            FileServer::Redis(it) => it.get(area.folder(), hash, bytes_max),
        }
    }

    /// Stores a file.
    pub(crate) fn put(&self, area: Area, hash: &[u8; 32], bytes: &[u8]) -> Result<(), RemoteError> {
        match self {
            FileServer::Http(it) => it.put(area.folder(), hash, bytes),
            FileServer::Redis(it) => it.put(area.folder(), hash, bytes),
        }
    }
}
