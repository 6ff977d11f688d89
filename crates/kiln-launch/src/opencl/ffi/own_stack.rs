//! Waiting on the stack that the system gave a thread.
//!
//! Intel's driver for processors runs groups on the thread that waits, too, but only while its frames are on the stack that the system
//! gave it; programs with deep recursion run on others. With two processors such a thread would only watch the other one work.

use std::cell::OnceCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel};

type Job = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The addresses of the stack that the system gave this thread.
    static OWN: Range<usize> = own_stack();
    /// Runs the waits of this thread on a stack of its own; ends with this thread.
    static HELPER: OnceCell<Sender<Job>> = const { OnceCell::new() };
}

/// The stack of a helper, on which the driver may run groups: as large as that of a first thread.
const HELPER_BYTES: usize = 8 << 20;

/// Whether this frame is on the stack that the system gave its thread.
pub(in crate::opencl) fn is_own_stack() -> bool {
    let frame = 0u8;
    OWN.with(|it| it.contains(&(&raw const frame).addr()))
}

/// Runs `wait` on the stack that the system gave this thread, or a helper. It runs here if there can be no helper.
pub(in crate::opencl) fn on_own_stack<T: Send + 'static>(wait: impl FnOnce() -> T + Send + 'static) -> T {
    if is_own_stack() {
        return wait();
    }
    let (done, result) = channel();
    let job: Job = Box::new(move || drop(done.send(catch_unwind(AssertUnwindSafe(wait)))));
    // A thread that ends has no helper any more.
    let refused = match HELPER.try_with(|it| it.get_or_init(start).clone()) {
        Ok(helper) => helper.send(job).err().map(|it| it.0),
        Err(_) => Some(job),
    };
    if let Some(job) = refused {
        job();
    }
    result.recv().expect("the job sends its result").unwrap_or_else(|it| resume_unwind(it))
}

/// Starts a helper; without one, nothing is at the other end.
fn start() -> Sender<Job> {
    let (sender, jobs) = channel::<Job>();
    let run = move || jobs.into_iter().for_each(|it| it());
    drop(std::thread::Builder::new().name("kiln-waits".into()).stack_size(HELPER_BYTES).spawn(run));
    sender
}

/// Returns the addresses of this thread's stack as the system has them; all addresses, if it does not say.
fn own_stack() -> Range<usize> {
    // SAFETY: the attributes are initialized by the first call, read by the second and destroyed by the third.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return 0..usize::MAX;
        }
        let (mut low, mut bytes) = (std::ptr::null_mut(), 0);
        let known = libc::pthread_attr_getstack(&attributes, &mut low, &mut bytes) == 0;
        libc::pthread_attr_destroy(&mut attributes);
        if known { low.addr()..low.addr() + bytes } else { 0..usize::MAX }
    }
}

#[cfg(test)]
mod tests {
    use super::on_own_stack;

    #[test]
    fn waits_run_on_a_stack_of_the_system() {
        let here = std::thread::current().id();
        assert_eq!(on_own_stack(|| std::thread::current().id()), here);
        let other = stacker::grow(1 << 20, || on_own_stack(|| std::thread::current().id()));
        assert_ne!(other, here);
        let again = stacker::grow(1 << 20, || on_own_stack(|| std::thread::current().id()));
        assert_eq!(again, other);
    }
}
