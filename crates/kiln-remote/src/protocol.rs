//! The messages between a compiler and its relay, in frames: a length (u32) and so many bytes.

use kiln_bytes::{Malformed, Read as Parsed, Reader, Writer};
use kiln_cache::{ContentHash, Entry, KeyId};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Largest frame, in bytes.
const FRAME_BYTES_MAX: usize = crate::envelope::ENVELOPE_BYTES_MAX;

/// The first message: the server, the keys, and the store of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hello {
    pub(crate) base: String,
    pub(crate) signs_with: Option<PathBuf>,
    pub(crate) trusts: Vec<PathBuf>,
    pub(crate) root: PathBuf,
    /// The name of the manifest of the session's entries, if there is one.
    pub(crate) manifest: Option<String>,
    /// Whether the manifest is to be fetched.
    pub(crate) reads: bool,
}

/// A message to the relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RelayRequest {
    Hello(Hello),
    /// A lookup, with a number for the answer.
    Get(u64, KeyId),
    /// Entries of the session's store to be sent, and all that the session has used, for its manifest. The last message.
    Push {
        made: Vec<KeyId>,
        used: Vec<KeyId>,
    },
}

/// The answer to a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RelayAnswer {
    Found(Entry),
    Absent,
    Rejected,
    /// The server failed: it is not asked again.
    Failed(String),
}

fn path(out: &mut Writer, path: &std::path::Path) {
    use std::os::unix::ffi::OsStrExt;
    out.bytes(path.as_os_str().as_bytes());
}

fn read_path(reader: &mut Reader<'_>) -> Parsed<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(reader.bytes()?.to_vec())))
}

impl RelayRequest {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        match self {
            RelayRequest::Hello(it) => {
                out.u8(1);
                out.str(&it.base);
                let signs_with: Vec<_> = it.signs_with.iter().collect();
                out.list(&signs_with, |out, it| path(out, it));
                out.list(&it.trusts, |out, it| path(out, it));
                path(&mut out, &it.root);
                out.bool(it.manifest.is_some());
                out.str(it.manifest.as_deref().unwrap_or_default());
                out.bool(it.reads);
            }
            RelayRequest::Get(number, key) => {
                out.u8(2);
                out.number(*number);
                out.raw(&key.0);
            }
            RelayRequest::Push { made, used } => {
                out.u8(3);
                out.list(made, |out, it| out.raw(&it.0));
                out.list(used, |out, it| out.raw(&it.0));
            }
        }
        out.finish()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Parsed<RelayRequest> {
        let mut reader = Reader::new(bytes);
        let request = match reader.u8()? {
            1 => {
                let base = reader.string()?;
                let signs_with = reader.list(read_path)?.pop();
                let (trusts, root) = (reader.list(read_path)?, read_path(&mut reader)?);
                let (has_manifest, name) = (reader.bool()?, reader.string()?);
                let manifest = has_manifest.then_some(name);
                RelayRequest::Hello(Hello { base, signs_with, trusts, root, manifest, reads: reader.bool()? })
            }
            2 => RelayRequest::Get(reader.number()?, KeyId(reader.array()?)),
            3 => {
                let made = reader.list(|it| it.array().map(KeyId))?;
                RelayRequest::Push { made, used: reader.list(|it| it.array().map(KeyId))? }
            }
            _ => return Err(Malformed("an unknown request")),
        };
        reader.finish()?;
        Ok(request)
    }
}

impl RelayAnswer {
    pub(crate) fn to_bytes(&self, number: u64) -> Vec<u8> {
        let mut out = Writer::new();
        out.number(number);
        match self {
            RelayAnswer::Found(entry) => {
                out.u8(1);
                out.raw(&entry.content.0);
                out.number(entry.cost.as_micros() as u64);
                out.raw(&entry.payload);
            }
            RelayAnswer::Absent => out.u8(2),
            RelayAnswer::Rejected => out.u8(3),
            RelayAnswer::Failed(why) => {
                out.u8(4);
                out.str(why);
            }
        }
        out.finish()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Parsed<(u64, RelayAnswer)> {
        let mut reader = Reader::new(bytes);
        let number = reader.number()?;
        let answer = match reader.u8()? {
            1 => {
                let content = ContentHash(reader.array()?);
                let cost = Duration::from_micros(reader.number()?);
                return Ok((
                    number,
                    RelayAnswer::Found(Entry { payload: reader.rest().to_vec(), content, cost }),
                ));
            }
            2 => RelayAnswer::Absent,
            3 => RelayAnswer::Rejected,
            4 => RelayAnswer::Failed(reader.string()?),
            _ => return Err(Malformed("an unknown answer")),
        };
        reader.finish()?;
        Ok((number, answer))
    }
}

/// Writes a frame.
pub(crate) fn write_frame(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    let mut frame = Vec::with_capacity(bytes.len() + 4);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(bytes);
    to.write_all(&frame)?;
    to.flush()
}

/// Reads a frame; `None` at the end.
pub(crate) fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > FRAME_BYTES_MAX {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    from.take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() == length { Ok(Some(bytes)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_read_back() {
        let hello = Hello {
            base: "http://a".into(),
            signs_with: Some("k".into()),
            trusts: vec!["p".into(), "q".into()],
            root: "/r".into(),
            manifest: Some("m".into()),
            reads: true,
        };
        let plain = Hello { signs_with: None, trusts: Vec::new(), manifest: None, ..hello.clone() };
        let push = RelayRequest::Push { made: vec![KeyId([1; 32])], used: vec![KeyId([2; 32]); 3] };
        let get = RelayRequest::Get(300, KeyId([9; 32]));
        for request in [RelayRequest::Hello(hello), RelayRequest::Hello(plain), push, get] {
            assert_eq!(RelayRequest::from_bytes(&request.to_bytes()), Ok(request));
        }
        let entry = Entry::new(vec![1; 70], Duration::from_micros(5));
        let answers = [
            RelayAnswer::Found(entry),
            RelayAnswer::Absent,
            RelayAnswer::Rejected,
            RelayAnswer::Failed("x".into()),
        ];
        let mut stream = Vec::new();
        for answer in &answers {
            write_frame(&mut stream, &answer.to_bytes(7)).unwrap();
        }
        let mut from = &*stream;
        for answer in answers {
            let frame = read_frame(&mut from).unwrap().unwrap();
            assert_eq!(RelayAnswer::from_bytes(&frame), Ok((7, answer)));
        }
        assert!(read_frame(&mut from).unwrap().is_none());
        assert!(read_frame(&mut &stream[..20]).is_err() && read_frame(&mut &[0xff; 8][..]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = RelayRequest::from_bytes(&bytes);
            let _ = RelayAnswer::from_bytes(&bytes);
        }
    }
}
