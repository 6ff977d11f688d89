//! Requests to a Redis server: `GET` and `SET`, in its protocol, each within a time and a length.
//!
//! Files under `/ac/` and `/cas/` are the values of the keys `kiln:ac:HASH` and `kiln:cas:HASH`. They have no time to live: the
//! server's `maxmemory-policy` evicts them.

use crate::http::{RemoteError, RequestLimits};
use kiln_bytes::hex;
use parking_lot::Mutex;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// Largest line of a reply that is no value, in bytes.
const LINE_BYTES_MAX: usize = 512;
const PORT_USUAL: u16 = 6379;

/// A Redis server.
pub(crate) struct RedisStore {
    host: String,
    database: String,
    limits: RequestLimits,
    /// Connections between two requests.
    idle: Mutex<Vec<TcpStream>>,
}

/// A reply.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    Text(String),
    Refusal(String),
    Value(Vec<u8>),
    Absent,
}

/// A connection in the middle of a request.
struct Exchange {
    stream: TcpStream,
    deadline: Instant,
}

impl RedisStore {
    /// The server of an address without its scheme: `host:port/database`.
    pub(crate) fn new(place: &str, limits: RequestLimits) -> RedisStore {
        let (host, database) = place.split_once('/').unwrap_or((place, ""));
        RedisStore { host: host.to_owned(), database: database.to_owned(), limits, idle: Mutex::default() }
    }

    /// Returns the value of a key, at most `bytes_max` bytes long; `None` if there is none.
    pub(crate) fn get(
        &self,
        folder: &str,
        hash: &[u8; 32],
        bytes_max: usize,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        match self.ask(&[b"GET", key(folder, hash).as_bytes()], bytes_max)? {
            Reply::Value(value) => Ok(Some(value)),
            Reply::Absent => Ok(None),
            Reply::Text(text) | Reply::Refusal(text) => Err(refused(&text)),
        }
    }

    /// Sets the value of a key.
    pub(crate) fn put(&self, folder: &str, hash: &[u8; 32], bytes: &[u8]) -> Result<(), RemoteError> {
        match self.ask(&[b"SET", key(folder, hash).as_bytes(), bytes], LINE_BYTES_MAX)? {
            Reply::Text(text) if text == "OK" => Ok(()),
            Reply::Text(text) | Reply::Refusal(text) => Err(refused(&text)),
            Reply::Value(_) | Reply::Absent => Err(refused("a value where OK belongs")),
        }
    }

    fn ask(&self, words: &[&[u8]], bytes_max: usize) -> Result<Reply, RemoteError> {
        let failed = |error: io::Error| RemoteError::Transport(error.to_string());
        let idle = self.idle.lock().pop();
        let mut exchange = match idle {
            Some(stream) => Exchange { stream, deadline: Instant::now() + self.limits.request },
            None => self.connect()?,
        };
        let reply = exchange.ask(words, bytes_max).map_err(failed)?;
        self.idle.lock().push(exchange.stream);
        Ok(reply)
    }

    fn connect(&self) -> Result<Exchange, RemoteError> {
        let failed = |error: io::Error| RemoteError::Transport(format!("{}: {error}", self.host));
        let has_port = self.host.rsplit_once(':').is_some_and(|it| it.1.parse::<u16>().is_ok());
        let place = if has_port { self.host.clone() } else { format!("{}:{PORT_USUAL}", self.host) };
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in place.to_socket_addrs().map_err(failed)? {
            match TcpStream::connect_timeout(&address, self.limits.connect) {
                Ok(stream) => {
                    stream.set_nodelay(true).map_err(failed)?;
                    let mut exchange = Exchange { stream, deadline: Instant::now() + self.limits.request };
                    if !self.database.is_empty() {
                        let words: [&[u8]; 2] = [b"SELECT", self.database.as_bytes()];
                        match exchange.ask(&words, LINE_BYTES_MAX).map_err(failed)? {
                            Reply::Text(text) if text == "OK" => {}
                            Reply::Text(text) | Reply::Refusal(text) => return Err(refused(&text)),
                            Reply::Value(_) | Reply::Absent => return Err(refused("a value for SELECT")),
                        }
                    }
                    return Ok(exchange);
                }
                Err(error) => last = error,
            }
        }
        Err(failed(last))
    }
}

fn key(folder: &str, hash: &[u8; 32]) -> String {
    format!("kiln:{folder}:{}", hex(hash))
}

fn refused(text: &str) -> RemoteError {
    RemoteError::Transport(format!("the server refuses: {}", text.escape_debug()))
}

impl Exchange {
    fn ask(&mut self, words: &[&[u8]], bytes_max: usize) -> io::Result<Reply> {
        let mut request = format!("*{}\r\n", words.len()).into_bytes();
        for word in words {
            request.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
            request.extend_from_slice(word);
            request.extend_from_slice(b"\r\n");
        }
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write_all(&request)?;
        read_reply(self, bytes_max)
    }

    /// The time until the deadline.
    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Exchange {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // A byte now and then does not put the deadline off.
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(into)
    }
}

/// Reads one reply: text, an error, a number, or a value of at most `bytes_max` bytes.
fn read_reply(from: &mut impl Read, bytes_max: usize) -> io::Result<Reply> {
    let malformed = || io::Error::new(io::ErrorKind::InvalidData, "a reply that is not Redis");
    let line = read_line(from)?;
    let (kind, rest) = line.split_at_checked(1).ok_or_else(malformed)?;
    match kind {
        "+" | ":" => Ok(Reply::Text(rest.to_owned())),
        "-" => Ok(Reply::Refusal(rest.to_owned())),
        "$" if rest == "-1" => Ok(Reply::Absent),
        "$" => {
            let length = rest.parse().ok().filter(|it| *it <= bytes_max).ok_or_else(malformed)?;
            let mut value = Vec::new();
            from.by_ref().take(length as u64 + 2).read_to_end(&mut value)?;
            let is_whole = value.len() == length + 2 && value.ends_with(b"\r\n");
            value.truncate(length);
            if is_whole { Ok(Reply::Value(value)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        }
        _ => Err(malformed()),
    }
}

/// Reads a line, without its end.
fn read_line(from: &mut impl Read) -> io::Result<String> {
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        let mut byte = [0];
        from.read_exact(&mut byte)?;
        line.push(byte[0]);
        if line.len() > LINE_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line without an end"));
        }
    }
    line.truncate(line.len() - 2);
    String::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Reads a reply in any bytes, for fuzzing.
pub(crate) fn read_any(mut bytes: &[u8]) {
    let _ = read_reply(&mut bytes, 1 << 16);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn replies_are_read_or_refused() {
        let read = |bytes: &[u8]| read_reply(&mut &*bytes, 10).ok();
        assert_eq!(read(b"+OK\r\n"), Some(Reply::Text("OK".into())));
        assert_eq!(read(b"-OOM full\r\n"), Some(Reply::Refusal("OOM full".into())));
        assert_eq!(read(b"$-1\r\n"), Some(Reply::Absent));
        assert_eq!(read(b"$3\r\na\r\n\r\n"), Some(Reply::Value(b"a\r\n".to_vec())));
        assert_eq!(read(b"$0\r\n\r\n"), Some(Reply::Value(Vec::new())));
        for wrong in [
            &b"$11\r\nxxxxxxxxxxx\r\n"[..],
            b"$99999999999999999999\r\n",
            b"$-2\r\n",
            b"$3\r\nab",
            b"$3\r\nabcde",
            b"*1\r\n",
            b"\r\n",
            b"",
            b"+\xff\r\n",
            &[b'x'; 2000],
        ] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }

    // MISSION N14: a server that says nothing, drips, or says what is no reply costs the limit and no more.
    #[test]
    fn a_failing_server_is_an_error() {
        let replies: [&'static [u8]; 4] = [b"HTTP/1.1 400 Bad\r\n\r\n", b"", b"$5\r\nab", b"$100000\r\n"];
        for reply in replies {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let place = listener.local_addr().unwrap().to_string();
            std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                stream.write_all(reply).unwrap();
                std::thread::sleep(Duration::from_millis(400));
            });
            let limits =
                RequestLimits { connect: Duration::from_secs(5), request: Duration::from_millis(200) };
            let store = RedisStore::new(&place, limits);
            assert!(store.get("ac", &[1; 32], 1000).is_err(), "{reply:?}");
            assert!(store.idle.lock().is_empty(), "the connection is not used again");
        }
    }
}
