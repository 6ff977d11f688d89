//! The records of a root and its overlays, as lookups read them.

use crate::key::{ContentHash, Key, KeyId};
use crate::level::{Level, RecordLocation};
use crate::record::{Codec, Header, RecordKind, check};
use crate::stats::Miss;
use crate::table::{Index, id_of};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The records of a root and its overlays.
pub(crate) struct Contents {
    /// The root, if there is one, then the overlays.
    pub(crate) levels: Vec<Level>,
    pub(crate) codec: Codec,
    /// The shortest interval between looks for other processes' writes.
    pub(crate) refresh_every: Duration,
}

/// A usable record.
pub(crate) struct StoreHit {
    /// The number of the level that has it.
    pub(crate) level: usize,
    pub(crate) header: Header,
    pub(crate) payload: Vec<u8>,
}

impl Contents {
    /// The record of `key` as it is on disk, or the reason of the miss.
    pub(crate) fn find(&self, key: &KeyId) -> Result<StoreHit, Miss> {
        let id = id_of(&key.0);
        let mut reason = Miss::Absent;
        for (nth, level) in self.levels.iter().enumerate() {
            for place in level.find(&id, Index::Key) {
                match self.entry_at(&place, key) {
                    Ok((header, payload)) => return Ok(StoreHit { level: nth, header, payload }),
                    Err(why) => reason = why,
                }
            }
        }
        Err(reason)
    }

    fn entry_at(&self, place: &RecordLocation, key: &KeyId) -> Result<(Header, Vec<u8>), Miss> {
        let (header, record) = place.segment.read(place.offset, place.stored_len)?;
        if header.key != *key {
            return Err(Miss::Corrupt);
        }
        let payload = match header.kind {
            RecordKind::Entry => self.codec.body(&header, record)?.payload,
            RecordKind::Alias => {
                check(&header, &record)?;
                self.by_content(&header.content)?
            }
            RecordKind::List => return Err(Miss::Corrupt),
        };
        Ok((header, payload))
    }

    /// The payload of `content`. An alias without it has lost it to eviction.
    pub(crate) fn by_content(&self, content: &ContentHash) -> Result<Vec<u8>, Miss> {
        let id = id_of(&content.0);
        let mut reason = Miss::Evicted;
        for place in self.levels.iter().flat_map(|it| it.find(&id, Index::Content)) {
            let read = place.segment.read(place.offset, place.stored_len).and_then(|(header, record)| {
                let usable = header.kind == RecordKind::Entry && header.content == *content;
                if usable { self.codec.body(&header, record) } else { Err(Miss::Corrupt) }
            });
            match read {
                Ok(body) => return Ok(body.payload),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    /// The content hash of the payload under `key`, without reading the payload.
    pub(crate) fn content_of(&self, key: &KeyId) -> Option<ContentHash> {
        let id = id_of(&key.0);
        self.levels.iter().flat_map(|it| it.find(&id, Index::Key)).find_map(|place| {
            let (header, record) = place.segment.read(place.offset, place.stored_len).ok()?;
            (header.key == *key && check(&header, &record).is_ok()).then_some(header.content)
        })
    }

    /// The list of a nested key.
    pub(crate) fn list(&self, key: KeyId) -> Option<Key> {
        let id = id_of(&key.0);
        self.levels.iter().flat_map(|it| it.find(&id, Index::List)).find_map(|place| {
            let (header, record) = place.segment.read(place.offset, place.stored_len).ok()?;
            let body = self.codec.body(&header, record).ok()?;
            Key::decode(&body.list).ok().filter(|it| it.id() == key)
        })
    }

    /// Returns what `find` finds, if need be among other processes' latest writes too: those that this or another thread has
    /// looked for since it began to find, or now.
    pub(crate) fn with_refresh<T, E>(&self, find: impl Fn() -> Result<T, E>) -> Result<T, E> {
        let looks = || self.levels.iter().map(|it| it.looks.load(Ordering::Acquire)).sum::<u64>();
        let before = looks();
        find().or_else(|why| {
            self.levels.iter().for_each(|it| it.refresh(self.refresh_every));
            if looks() == before { Err(why) } else { find() }
        })
    }
}
