//! Streams and events of programs: numbers, for which each device has streams of its own once they are used there.

use super::chosen::OpenDevice;
use super::coherence::Fence;
use crate::kernel_host::Driver;
use kiln_launch::{DeviceError, Stream};
use kiln_runtime::{Run, Runtime};
use kiln_types::Symbol;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// The streams and events of a session. Stream 0 is the default, and is always there.
#[derive(Debug)]
pub(crate) struct Streams {
    current: AtomicU32,
    /// By number, from 1.
    events: Mutex<Vec<Recorded>>,
    /// The origin of times.
    epoch: Instant,
}

/// When a stream had come so far. Devices are not asked for times: it is waited for when it is recorded, so that what is
/// between two events has run between them.
#[derive(Clone, Debug)]
struct Recorded {
    at: Instant,
    /// The last launch before it, of which the program may not have been told.
    last: Option<Arc<Fence>>,
}

impl Default for Streams {
    fn default() -> Self {
        Self { current: AtomicU32::new(0), events: Mutex::default(), epoch: Instant::now() }
    }
}

impl Streams {
    /// Where launches go.
    pub(crate) fn current(&self) -> u32 {
        self.current.load(Ordering::Relaxed)
    }

    /// Makes a stream the one that launches go to; the one before.
    pub(crate) fn set_current(&self, stream: u32) -> u32 {
        self.current.swap(stream, Ordering::Relaxed)
    }

    /// A device's stream for one of the program's.
    pub(crate) fn on(&self, open: &OpenDevice, stream: u32) -> Result<Stream, DeviceError> {
        if stream == 0 {
            return Ok(Stream::DEFAULT);
        }
        let mut made = open.streams.lock();
        if let Some(found) = made.get(&stream) {
            return Ok(*found);
        }
        let new = open.device.new_stream()?;
        made.insert(stream, new);
        Ok(new)
    }

    fn event(&self, number: i64) -> Option<Recorded> {
        self.events.lock().get(usize::try_from(number).ok()?.checked_sub(1)?).cloned()
    }

    /// Takes a note of an event: one that there is, or a new one.
    fn note(&self, number: i64, recorded: Recorded) -> i64 {
        let mut events = self.events.lock();
        let at = usize::try_from(number).ok().and_then(|it| it.checked_sub(1));
        if let Some(place) = at.and_then(|it| events.get_mut(it)) {
            *place = recorded;
            return number;
        }
        events.push(recorded);
        events.len() as i64
    }
}

impl Driver {
    /// Something of streams and events: see `kernel_stream` among the host functions.
    ///
    /// # Errors
    /// Fails with the exception of a launch that is waited for, or if there is no such stream or event.
    pub(crate) fn do_with_stream(&self, rt: &Runtime, what: Symbol, first: i64, second: i64) -> Run<i64> {
        let streams = &self.streams;
        let stream =
            || u32::try_from(first).map_err(|_| rt.argument_error(&format!("there is no stream {first}")));
        let event = || {
            let found = streams.event(first);
            found.ok_or_else(|| rt.argument_error("an event that has not been recorded"))
        };
        match rt.types.name(what) {
            "use" => Ok(streams.set_current(stream()?).into()),
            "synchronize" => {
                let stream = stream()?;
                self.drain_where(rt, &|it| it.stream == stream).map(|()| 0)
            }
            "query" => Ok(self.is_idle(stream()?).into()),
            "record" => {
                let last = self.last_in(stream()?);
                last.iter().for_each(|it| it.wait());
                Ok(streams.note(second, Recorded { at: Instant::now(), last }))
            }
            "wait" => event()?.last.map_or(Ok(()), |it| self.drain_through(rt, &it)).map(|()| 0),
            "time" => event().map(|it| {
                // Never 0, which is what an event has that was not recorded.
                it.at.saturating_duration_since(streams.epoch).as_nanos() as i64 + 1
            }),
            other => Err(rt.argument_error(&format!("there is no `{other}` of streams"))),
        }
    }
}
