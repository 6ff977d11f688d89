//! The other side: a process that passes its requests to the library.

use super::frame::{Frame, FrameKind};
use crate::library::{Codegen, CodegenError};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

/// The stack of the thread that runs LLVM, in bytes: LLVM recurses over its input.
const STACK_BYTES: usize = 512 << 20;

/// The reason for which the process of the code generator ends before its client.
#[derive(Debug)]
pub enum ServeError {
    /// The library cannot be opened.
    Library(String),
    /// The client cannot be read from or written to.
    Stream(io::Error),
    /// The code generator panicked.
    Panicked,
}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Library(why) => f.write_str(why),
            Self::Stream(error) => error.fmt(f),
            Self::Panicked => f.write_str("it panicked"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Serves the requests that come in on standard input, which is a socket, until it is closed. The client may end at any
/// time, also while LLVM is at work: then this process ends at once. Messages about panics have the call stack if
/// `traces_panics`.
///
/// # Errors
/// When the library cannot be opened, or standard input is no socket.
pub fn serve(library: &Path, traces_panics: bool) -> Result<(), ServeError> {
    let stream = io::stdin().as_fd().try_clone_to_owned()?;
    let mut reading = UnixStream::from(stream);
    let mut writing = reading.try_clone()?;
    let library = library.to_path_buf();
    let (sender, frames) = channel();
    // The library is opened there, while the first request is on its way.
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let codegen = match Codegen::open(Some(&library), traces_panics) {
            Ok(codegen) => codegen,
            Err(error) => {
                let why = match error {
                    CodegenError::Open(_, why) => why,
                    other => other.to_string(),
                };
                let _ = Frame::write(&mut writing, FrameKind::Unopened, why.as_bytes());
                return Err(ServeError::Library(why));
            }
        };
        Ok(work(&codegen, &frames, writing)?)
    })?;
    while let Ok(Some(frame)) = Frame::read(&mut reading) {
        if sender.send(frame).is_err() {
            return worker.join().unwrap_or(Err(ServeError::Panicked));
        }
    }
    Ok(()) // the process ends with this thread
}

fn work(codegen: &Codegen, frames: &Receiver<Frame>, mut to: UnixStream) -> io::Result<()> {
    let no_request = || io::Error::from(io::ErrorKind::InvalidData);
    while let Ok(frame) = frames.recv() {
        if frame.kind != Some(FrameKind::Request) {
            return Err(no_request());
        }
        let reply = codegen.call(&frame.bytes, &mut |emitted| {
            let asked = Frame::write(&mut to, FrameKind::Question, emitted);
            let answer = asked.ok().and_then(|()| frames.recv().ok());
            answer.is_none_or(|it| it.bytes == [1]) // the client is gone: nothing needs to be made
        });
        let reply = reply.map_err(io::Error::other)?;
        Frame::write(&mut to, FrameKind::Reply, &reply)?;
    }
    Ok(())
}
