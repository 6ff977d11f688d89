//! The frames on the socket: a kind, a length, bytes.

use std::io::{self, Read, Write};

/// The maximum length of a frame; longer ones are invalid.
const BYTES_MAX: u32 = 1 << 30;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// To the worker: a request as the library takes it.
    Request,
    /// From the worker: an emitted unit, with the question whether it is known.
    Question,
    /// To the worker: one byte, 1 for yes.
    Answer,
    /// From the worker: the library's reply.
    Reply,
    /// From the worker: why the library cannot be opened.
    Unopened,
}

impl FrameKind {
    const ALL: [Self; 5] = [Self::Request, Self::Question, Self::Answer, Self::Reply, Self::Unopened];
}

/// A frame that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// `None`: an unknown kind.
    pub(super) kind: Option<FrameKind>,
    pub(super) bytes: Vec<u8>,
}

impl Frame {
    /// Writes one.
    pub(super) fn write(to: &mut impl Write, kind: FrameKind, bytes: &[u8]) -> io::Result<()> {
        let len = u32::try_from(bytes.len()).ok().filter(|it| *it <= BYTES_MAX);
        let len = len.ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
        let number = FrameKind::ALL.iter().position(|it| *it == kind).unwrap_or(0) as u8;
        let [a, b, c, d] = len.to_le_bytes();
        to.write_all(&[number, a, b, c, d])?;
        to.write_all(bytes)?;
        to.flush()
    }

    /// Reads one; `None` at the end.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut head = [0; 5];
        match from.read_exact(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let [number, len @ ..] = head;
        let len = u32::from_le_bytes(len);
        if len > BYTES_MAX {
            return Ok(Some(Self { kind: None, bytes: Vec::new() }));
        }
        // As much is allocated as arrives, whatever the length promises.
        let mut bytes = Vec::new();
        from.take(len.into()).read_to_end(&mut bytes)?;
        if bytes.len() < len as usize {
            return Ok(None);
        }
        Ok(Some(Self { kind: FrameKind::ALL.get(usize::from(number)).copied(), bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written frames are read back; a truncated frame is an end, other bytes are rejected, and neither allocates
    /// much.
    #[test]
    fn frames_are_read_as_they_are_written() {
        let mut bytes = Vec::new();
        Frame::write(&mut bytes, FrameKind::Question, b"known?").unwrap();
        let read = Frame::read(&mut &*bytes).unwrap();
        assert_eq!(read, Some(Frame { kind: Some(FrameKind::Question), bytes: b"known?".to_vec() }));
        for len in 0..bytes.len() {
            assert_eq!(Frame::read(&mut &bytes[..len]).unwrap(), None, "{len}");
        }
        assert_eq!(Frame::read(&mut &[9, 0, 0, 0, 0][..]).unwrap().unwrap().kind, None);
        assert_eq!(Frame::read(&mut &[0, 255, 255, 255, 255][..]).unwrap().unwrap().kind, None);
    }
}
