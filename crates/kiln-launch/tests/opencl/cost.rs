//! The cost of a launch on this machine: `cargo test -p kiln-launch --release --test opencl -- --ignored --nocapture`.

use super::*;
use std::time::{Duration, Instant};

/// Prints the least time of each, for a kernel of 64 items: put in a stream, and waited for too, without and with a record.
#[test]
#[ignore = "measures"]
fn a_launch_costs_microseconds() {
    let Some((found, module)) = found() else { return };
    let device = found.open(OpenClOptions::default()).unwrap();
    let x = upload(&device, &[0.0; 64]);
    let plain = device.load(&saxpy(module)).unwrap();
    let with_record = device.load(&artifact(module, "roots", &[STATE, ARRAY])).unwrap();
    for (what, kernel, args) in
        [("plain", plain, saxpy_args(x, 0.0, x, 64)), ("with a record", with_record, array(x, 64))]
    {
        let (mut enqueued, mut over) = (Duration::MAX, Duration::MAX);
        for _ in 0..2000 {
            let start = Instant::now();
            let event = kernel.launch(Stream::DEFAULT, &line(1, 64), &args).unwrap();
            enqueued = enqueued.min(start.elapsed());
            assert_eq!(event.wait().unwrap().failure, None);
            over = over.min(start.elapsed());
        }
        eprintln!("{what}: enqueued in {enqueued:?}, over in {over:?}");
    }
}
