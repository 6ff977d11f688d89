//! Streams and events of programs: numbers, for which each device has streams of its own once they are used there.

use super::coherence::Fence;
use super::opened::OpenDevice;
use kiln_launch::{DeviceError, Stream};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// The streams and events of a session. Stream 0 is the default, and is always there.
#[derive(Debug)]
pub struct Streams {
    current: AtomicU32,
    /// By number, from 1.
    events: Mutex<Vec<Recorded>>,
    /// The origin of times.
    pub(super) epoch: Instant,
}

/// When a stream had come so far. Devices are not asked for times: it is waited for when it is recorded, so that what is
/// between two events has run between them.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub(super) at: Instant,
    /// The last launch before it, of which the program may not have been told.
    pub(super) last: Option<Arc<Fence>>,
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

    pub(super) fn event(&self, number: i64) -> Option<Recorded> {
        self.events.lock().get(usize::try_from(number).ok()?.checked_sub(1)?).cloned()
    }

    /// Takes a note of an event: one that there is, or a new one.
    pub(super) fn note(&self, number: i64, recorded: Recorded) -> i64 {
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
