//! Bundles: some entries of a store in one file, to carry elsewhere. A bundle is one segment, complete in itself: every
//! payload and every nested list its keys name is in it.

use crate::inspect::{Listed, OperationError, list};
use crate::key::{Key, KeyId, KeyValue};
use crate::record::{Draft, RecordKind, Seal, check, now_seconds};
use crate::segment::{ReadAt, SEGMENT_HEADER_BYTES, header_bytes, read_header, scan};
use crate::stats::Miss;
use crate::store::{Inner, Store};
use crate::table::{Index, id_of};
use crate::touch::random;
use crate::writer::Writer;
use rustc_hash::FxHashSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

/// The counts of an export or an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BundleReport {
    /// Entries written, to the bundle or to the store.
    pub entries: u64,
    /// Entries of a bundle that the store had already.
    pub present: u64,
    /// Entries that could not be read and were left out.
    pub damaged: u64,
}

/// Writes the entries that `choose` accepts to a bundle at `path`, which appears whole.
pub fn export(
    store: &Store,
    path: &Path,
    choose: &dyn Fn(&Listed) -> bool,
) -> Result<BundleReport, OperationError> {
    let failed = |error| OperationError::Io { path: path.to_owned(), error };
    let mut draft = path.as_os_str().to_owned();
    draft.push(".part");
    let draft = Path::new(&draft);
    let file = File::create(draft).map_err(failed)?;
    let salt = random();
    let mut bundle = Bundle {
        inner: &store.inner,
        seal: Seal::from_salt(salt),
        out: BufWriter::new(file),
        contents: FxHashSet::default(),
        lists: FxHashSet::default(),
        report: BundleReport::default(),
    };
    let written = (|| {
        bundle.out.write_all(&header_bytes(0, &salt, now_seconds()))?;
        for listed in list(store).iter().filter(|it| choose(it)) {
            bundle.add(listed)?;
        }
        bundle.out.flush()?;
        fs::rename(draft, path)
    })();
    let report = bundle.report;
    match written {
        Ok(()) => Ok(report),
        Err(error) => {
            let _ = fs::remove_file(draft);
            Err(failed(error))
        }
    }
}

/// Stores the entries of the bundle at `path` that the store does not have. An import trusts the bundle: it
/// is code to be run.
pub fn import(store: &Store, path: &Path) -> Result<BundleReport, OperationError> {
    let failed = |error| OperationError::Io { path: path.to_owned(), error };
    let unusable = |reason| OperationError::Unusable { path: path.to_owned(), reason };
    let inner = &store.inner;
    inner.home().ok_or(OperationError::ReadOnly)?;
    let file = File::open(path).map_err(failed)?;
    let len = file.metadata().map_err(failed)?.len();
    let mut header = [0; SEGMENT_HEADER_BYTES as usize];
    let count = file.read_at_most(&mut header, 0).map_err(failed)?;
    let (_, seal) = read_header(&header[..count]).map_err(unusable)?;
    let mut records = Vec::new();
    let scanned = scan(&file, &seal, SEGMENT_HEADER_BYTES, len, &mut |at, it| records.push((at, it)));
    let scanned = scanned.map_err(failed)?;
    let mut report = BundleReport::default();
    report.damaged += u64::from(scanned.damaged_bytes > 0 || scanned.end < len);
    let mut writer = Writer::new(inner.clone());
    for (offset, header) in records {
        let index = if header.kind == RecordKind::List { Index::List } else { Index::Key };
        let id = id_of(&header.key.0);
        if inner.contents.levels.iter().any(|it| it.find(&id, index).iter().any(|it| !it.segment.is_gone())) {
            report.present += u64::from(index == Index::Key);
            continue;
        }
        let mut record = vec![0; header.record_len() as usize];
        let count = file.read_at_most(&mut record, offset).map_err(failed)?;
        record.truncate(count);
        if check(&header, &record).is_err() {
            report.damaged += 1;
        } else if writer.stage_copy(&header, &record, now_seconds()) {
            report.entries += u64::from(index == Index::Key);
        }
    }
    let written = writer.commit();
    writer.finish();
    if written { Ok(report) } else { Err(unusable(Miss::Io)) }
}

struct Bundle<'a> {
    inner: &'a Inner,
    seal: Seal,
    out: BufWriter<File>,
    contents: FxHashSet<[u8; 32]>,
    lists: FxHashSet<KeyId>,
    report: BundleReport,
}

impl Bundle<'_> {
    fn add(&mut self, listed: &Listed) -> std::io::Result<()> {
        let entry = if self.contents.contains(&listed.content.0) {
            None
        } else {
            match self.inner.find(&listed.key.id()) {
                Ok(entry) => Some(entry),
                Err(_) => {
                    self.report.damaged += 1;
                    return Ok(());
                }
            }
        };
        self.add_lists(&listed.key)?;
        let (kind, payload) = match &entry {
            Some(entry) => (RecordKind::Entry, entry.payload.as_slice()),
            None => (RecordKind::Alias, &[][..]),
        };
        let (key, content, cost) = (&listed.key, listed.content, listed.cost);
        self.write(&Draft { kind, key, payload, content, cost, time: now_seconds() })?;
        self.contents.insert(content.0);
        self.report.entries += 1;
        Ok(())
    }

    fn add_lists(&mut self, key: &Key) -> std::io::Result<()> {
        for part in key.parts() {
            let KeyValue::Nested(id) = part.value else { continue };
            if !self.lists.insert(id) {
                continue;
            }
            let Some(nested) = self.inner.contents.list(id) else { continue };
            self.add_lists(&nested)?;
            let content = crate::key::ContentHash::of(&[]);
            let (cost, time) = (Duration::ZERO, now_seconds());
            self.write(&Draft { kind: RecordKind::List, key: &nested, payload: &[], content, cost, time })?;
        }
        Ok(())
    }

    fn write(&mut self, draft: &Draft<'_>) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        if self.inner.contents.codec.write(draft, &self.seal, &mut bytes).is_some() {
            self.out.write_all(&bytes)?;
        }
        Ok(())
    }
}
