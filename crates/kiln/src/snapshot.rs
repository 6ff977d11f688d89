//! The session with Base loaded that the build put into the program.

use crate::frontend::{FrontState, SessionFrontend};
use crate::library::{Library, SnapshotFiles};
use crate::preload;
use kiln_runtime::image::{ImageBytes, ImageError, Snapshot, Trust};
use kiln_runtime::{HostIo, Runtime};
use kiln_syntax::Files;
use std::sync::Arc;

/// Empty if Base did not load when the program was built.
static IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/base.kimg"));

/// Whether the program has a snapshot, and it is of the library in use.
pub(crate) fn is_usable(library: &Library) -> bool {
    !IMAGE.is_empty() && !library.is_replaced()
}

/// The packages and the files of the snapshot.
fn read_files(image: &Snapshot) -> Result<(Vec<String>, Files), ImageError> {
    preload::read_files(image.attached(), &Arc::new(SnapshotFiles::new()))
}

/// The snapshot.
pub(crate) fn of_program() -> Result<Snapshot, ImageError> {
    Snapshot::open(ImageBytes::Program(IMAGE), Trust::Program)
}

/// The session of a snapshot, of the program's or of one made from that.
pub(crate) fn thaw(
    image: &Snapshot,
    front: &Arc<FrontState>,
    io: Box<dyn HostIo>,
) -> Result<Runtime, ImageError> {
    let (_, files) = read_files(image)?;
    *front.files.lock() = files;
    Runtime::thaw(image, Box::new(SessionFrontend { state: front.clone() }), io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionOptions;
    use crate::internals::{BaseSource, TestOptions as _};
    use crate::kept_packages::Foundation;
    use kiln_runtime::image;

    /// A session that loads Base from its text, and the packages of the snapshot after it, has the very bytes of the
    /// snapshot: the snapshot leaves nothing out, and nothing in it depends on when and where it was made.
    #[test]
    fn the_snapshot_is_what_loading_gives() {
        assert!(is_usable(&Library::default()), "Base did not load in the build");
        let options = SessionOptions::new().base(BaseSource::Text);
        let (session, _) = crate::session::founded(&options, Foundation::Base).unwrap();
        let image = Snapshot::open(ImageBytes::Program(IMAGE), Trust::Nothing).unwrap();
        let (packages, _) = read_files(&image).unwrap();
        for name in &packages {
            assert!(preload::load_package(session.runtime(), name).is_ok(), "{name} loads");
        }
        let attached = preload::write_files(&session.front.files.lock(), &packages, |it| {
            Library::default().size(it).is_some()
        });
        let again = image::freeze(session.runtime(), &attached).unwrap();
        assert_eq!(again.len(), IMAGE.len());
        assert!(
            again == IMAGE,
            "first difference at byte {:?}",
            again.iter().zip(IMAGE).position(|(a, b)| a != b)
        );
    }

    /// The snapshot passes the checks that an image from outside the program must pass.
    #[test]
    fn the_snapshot_passes_every_check() {
        let image = Snapshot::open(ImageBytes::Program(IMAGE), Trust::Nothing).unwrap();
        let front = Arc::new(FrontState::default());
        let started = std::time::Instant::now();
        let (options, library) = (SessionOptions::new(), Library::default());
        let io = Box::new(crate::host_io::StdIo::new(&options, library, started));
        let thawed = Runtime::thaw(&image, Box::new(SessionFrontend { state: front }), io);
        assert_eq!(thawed.err(), None);
    }
}
