//! A server of files under `/ac/` and `/cas/` that can fail in many ways.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A way to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// As it should.
    Right,
    /// The connection is accepted and then closed.
    Closes,
    /// The connection is accepted and stays silent.
    Silent,
    /// Bytes that are not HTTP.
    Garbage,
    /// This status for every request.
    Status(u16),
    /// This status for every `PUT`; lookups work.
    RefusesPut(u16),
    /// Less than the announced length, then the end.
    Truncated,
    /// A body that does not end.
    Endless,
    /// A body that does not end, in chunks.
    EndlessChunks,
    /// A byte a tenth of a second.
    Drips,
    /// An announced length of a billion billions.
    HugeLength,
    /// A header of megabytes.
    HugeHeader,
    /// Success without a body.
    Empty,
    /// One bit of the body is another.
    FlippedBit,
    /// Bytes after the right body.
    Longer,
    /// The file of another key.
    Swapped,
    /// Files under `/cas/` are lost.
    LosesContents,
}

#[derive(Default)]
struct State {
    files: BTreeMap<String, Vec<u8>>,
    requests: Vec<String>,
}

/// A server on a port of its own. It ends with the test's process.
pub(crate) struct Server {
    port: u16,
    state: Arc<Mutex<State>>,
    behaviour: Arc<Mutex<Behaviour>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<Mutex<State>>::default();
        let behaviour = Arc::new(Mutex::new(Behaviour::Right));
        let (for_threads, behaves) = (state.clone(), behaviour.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, behaves) = (for_threads.clone(), behaves.clone());
                std::thread::spawn(move || {
                    let mut stream = stream;
                    while serve(&mut stream, &state, &behaves).is_some() {}
                });
            }
        });
        Self { port, state, behaviour }
    }

    pub(crate) fn address(&self, mode: &str) -> String {
        format!("http://127.0.0.1:{}?mode={mode}", self.port)
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
        self.state.lock().unwrap().requests.clear();
    }

    /// The number of requests since the behaviour was set that begin so: `GET /ac/`.
    pub(crate) fn requests(&self, start: &str) -> usize {
        self.state.lock().unwrap().requests.iter().filter(|it| it.starts_with(start)).count()
    }

    /// The number of files whose path begins so.
    pub(crate) fn files(&self, start: &str) -> usize {
        self.state.lock().unwrap().files.keys().filter(|it| it.starts_with(start)).count()
    }

    /// The files whose path begins so.
    pub(crate) fn paths(&self, start: &str) -> Vec<String> {
        self.state.lock().unwrap().files.keys().filter(|it| it.starts_with(start)).cloned().collect()
    }

    /// Calls `change` with each file.
    pub(crate) fn change(&self, change: impl Fn(&str, &mut Vec<u8>)) {
        self.state.lock().unwrap().files.iter_mut().for_each(|(path, bytes)| change(path, bytes));
    }

    /// Removes the files for which `is_lost`.
    pub(crate) fn lose(&self, is_lost: impl Fn(&str) -> bool) {
        self.state.lock().unwrap().files.retain(|path, _| !is_lost(path));
    }

    /// Waits until there are so many files under `/ac/`: what was made is sent after the command has ended.
    pub(crate) fn wait_for(&self, entries: u64) {
        let started = Instant::now();
        while self.files("/ac/") < entries as usize {
            let found = self.files("/ac/");
            assert!(started.elapsed() < Duration::from_secs(60), "{found} of {entries} entries were sent");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Answers a request; `None` if the connection is at its end.
#[expect(clippy::wildcard_enum_match_arm, reason = "most behaviours answer with the file")]
fn serve(stream: &mut TcpStream, state: &Mutex<State>, behaviour: &Mutex<Behaviour>) -> Option<()> {
    let (method, path, body) = request(stream)?;
    let behaviour = *behaviour.lock().unwrap();
    let found = {
        let mut state = state.lock().unwrap();
        state.requests.push(format!("{method} {path}"));
        let refuses = matches!(behaviour, Behaviour::RefusesPut(_) | Behaviour::Status(_));
        if method == "PUT" && !refuses {
            state.files.insert(path.clone(), body);
        }
        match behaviour {
            Behaviour::Swapped => state.files.range(path.clone()..).nth(1).map(|it| it.1.clone()),
            Behaviour::LosesContents if path.starts_with("/cas/") => None,
            _ => state.files.get(&path).cloned(),
        }
    };
    match behaviour {
        Behaviour::Closes => None,
        Behaviour::Silent => {
            // Until the other side gives up.
            let _ = stream.read(&mut [0; 64]);
            None
        }
        Behaviour::Garbage => stream.write_all(&[0xf7; 300]).ok().and(None),
        Behaviour::Status(status) => answer(stream, status, b"an error"),
        Behaviour::RefusesPut(status) if method == "PUT" => answer(stream, status, b""),
        Behaviour::Truncated => truncated(stream, &found.unwrap_or(vec![7; 100])),
        Behaviour::Endless => endless(stream, b"HTTP/1.1 200 OK\r\n\r\n", &[7; 4096]),
        Behaviour::EndlessChunks => {
            let chunk = [b"1000\r\n".as_slice(), &[7; 4096], b"\r\n"].concat();
            endless(stream, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", &chunk)
        }
        Behaviour::Drips => drips(stream),
        Behaviour::HugeLength => {
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000000\r\n\r\n";
            endless(stream, head, &[7; 4096])
        }
        Behaviour::HugeHeader => endless(stream, b"HTTP/1.1 200 OK\r\nX: ", &[b'x'; 4096]),
        _ if method == "PUT" => answer(stream, 200, b""),
        Behaviour::Empty => answer(stream, 200, b""),
        _ => {
            let Some(mut found) = found else { return answer(stream, 404, b"") };
            if behaviour == Behaviour::FlippedBit {
                let middle = found.len() / 2;
                found[middle] ^= 4;
            }
            if behaviour == Behaviour::Longer {
                found.extend([7; 9]);
            }
            answer(stream, 200, &found)
        }
    }
}

/// Reads a request: method, path and body.
fn request(stream: &mut TcpStream) -> Option<(String, String, Vec<u8>)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let text = String::from_utf8(head).ok()?;
    let mut words = text.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let length = text
        .to_ascii_lowercase()
        .split_once("content-length: ")
        .map_or(0, |(_, rest)| rest[..rest.find('\r').unwrap()].parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((method, path, body))
}

fn answer(stream: &mut TcpStream, status: u16, body: &[u8]) -> Option<()> {
    let location = if status == 302 { "Location: /ac/elsewhere\r\n" } else { "" };
    let head = format!("HTTP/1.1 {status} Answer\r\n{location}Content-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body).ok()
}

fn truncated(stream: &mut TcpStream, body: &[u8]) -> Option<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&body[..body.len() / 2]).ok()?;
    None
}

fn endless(stream: &mut TcpStream, head: &[u8], more: &[u8]) -> Option<()> {
    stream.write_all(head).ok()?;
    loop {
        stream.write_all(more).ok()?;
    }
}

fn drips(stream: &mut TcpStream) -> Option<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n").ok()?;
    loop {
        stream.write_all(&[7]).ok()?;
        std::thread::sleep(Duration::from_millis(100));
    }
}
