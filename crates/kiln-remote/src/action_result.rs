//! The message in which a server's action cache keeps an envelope.
//!
//! Servers with the layout of bazel-remote may check that values under `/ac/` are messages `ActionResult` of the remote execution API,
//! in protobuf's encoding, and add fields of their own. The envelope is in its field `stdout_raw`, number 5; a
//! reader skips other fields.

use kiln_bytes::{Malformed, Read, Reader, Writer};

const STDOUT_RAW: u64 = 5;
const FIXED_64: u64 = 1;
const LENGTH: u64 = 2;
const FIXED_32: u64 = 5;

/// Returns the message whose one field holds `envelope`.
pub(crate) fn wrap(envelope: &[u8]) -> Vec<u8> {
    let mut out = Writer::with_capacity(envelope.len() + 8);
    out.number(STDOUT_RAW << 3 | LENGTH);
    out.bytes(envelope);
    out.finish()
}

/// Returns the bytes in the field of a message.
pub(crate) fn unwrap(message: &[u8]) -> Read<&[u8]> {
    let mut reader = Reader::new(message);
    let mut found = None;
    while !reader.is_empty() {
        let tag = reader.number()?;
        match tag & 7 {
            0 => _ = reader.number()?,
            FIXED_64 => _ = reader.take(8)?,
            FIXED_32 => _ = reader.take(4)?,
            LENGTH => {
                let bytes = reader.bytes()?;
                if tag >> 3 == STDOUT_RAW {
                    found = Some(bytes);
                }
            }
            _ => return Err(Malformed("a field of an unknown kind")),
        }
    }
    found.ok_or(Malformed("a message without an entry"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_is_found_among_other_fields() {
        let envelope = vec![7; 300];
        let message = wrap(&envelope);
        assert_eq!(message[..3], [0x2a, 0xac, 0x02], "field 5, 300 bytes");
        assert_eq!(unwrap(&message), Ok(&*envelope));
        // exit_code = 0 and execution_metadata { worker: "w" }, as a server adds them.
        let around = [&[0x20, 0][..], &message, &[0x4a, 3, 0x0a, 1, b'w']].concat();
        assert_eq!(unwrap(&around), Ok(&*envelope));
        assert!(unwrap(&[]).is_err() && unwrap(&message[..200]).is_err());
        assert!(unwrap(&[0x2b]).is_err(), "a group");
    }
}
