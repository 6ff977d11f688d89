//! Messages about bugs in kiln: one message, with Rust's backtrace only on request.

use crate::terminal::complain;
use std::panic::PanicHookInfo;
use std::sync::{Arc, Mutex};

/// Where the last panic was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panics(Arc<Mutex<Option<String>>>);

impl Panics {
    /// From here on panics are quiet, and it is known where the last one was. With `RUST_BACKTRACE` they are as loud
    /// as Rust makes them.
    pub(crate) fn watch() -> Self {
        let panics = Self::default();
        let place = panics.0.clone();
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if let Ok(mut place) = place.lock() {
                *place = info.location().map(ToString::to_string);
            }
            if crate::environment::traces_panics() {
                loud(info);
            }
        }));
        panics
    }

    /// Reports a bug with its known facts, `message` first.
    pub(crate) fn report(&self, message: &str) {
        let place = self.0.lock().ok().and_then(|it| it.clone());
        let place = place.map_or(String::new(), |it| format!("\n  = at {it}"));
        let version = env!("CARGO_PKG_VERSION");
        complain(&format!(
            "{message}{place}\n  = kiln {version} on {} {}\n  \
             = help: please report it with this message and the program; RUST_BACKTRACE=1 shows where kiln was",
            std::env::consts::ARCH,
            std::env::consts::OS
        ));
    }
}
