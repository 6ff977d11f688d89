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

/// Serves the requests that come in on standard input, which is a socket, until it is closed. The client may end at any
/// time, also while LLVM is at work: then this process ends at once.
///
/// # Errors
/// When the library cannot be opened, or standard input is no socket.
pub fn serve(library: &Path) -> Result<(), String> {
    let stream = io::stdin().as_fd().try_clone_to_owned().map_err(|it| it.to_string())?;
    let mut reading = UnixStream::from(stream);
    let mut writing = reading.try_clone().map_err(|it| it.to_string())?;
    let library = library.to_path_buf();
    let (sender, frames) = channel();
    // The library is opened there, while the first request is on its way.
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let codegen = match Codegen::open(Some(&library)) {
            Ok(codegen) => codegen,
            Err(error) => {
                let why = match error {
                    CodegenError::Open(_, why) => why,
                    other => other.to_string(),
                };
                let _ = Frame::write(&mut writing, FrameKind::Unopened, why.as_bytes());
                return Err(why);
            }
        };
        work(&codegen, &frames, writing).map_err(|it| it.to_string())
    });
    let worker = worker.map_err(|it| it.to_string())?;
    while let Ok(Some(frame)) = Frame::read(&mut reading) {
        if sender.send(frame).is_err() {
            return worker.join().unwrap_or_else(|_| Err("it panicked".into()));
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
