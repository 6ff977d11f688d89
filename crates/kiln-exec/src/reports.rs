//! Reports of items while a launch runs: the interpreter runs each report's thunk as it comes, on the thread that
//! launched.

use crate::kernel::Kernel;
use crate::thunk;
use kiln_launch::Report;
use kiln_runtime::{Run, Runtime, Thrown};

/// The reports of one launch.
pub(crate) struct Reports<'a> {
    rt: &'a Runtime,
    kernel: &'a Kernel,
    /// The first exception of a thunk; the other reports are printed all the same.
    thrown: Option<Box<Thrown>>,
}

impl<'a> Reports<'a> {
    /// None yet.
    pub(crate) fn new(rt: &'a Runtime, kernel: &'a Kernel) -> Self {
        Self { rt, kernel, thrown: None }
    }

    /// Does what the report asks for.
    pub(crate) fn take(&mut self, report: &Report) {
        let site = self.kernel.program.site(report.site);
        let found = site.and_then(|(site, function)| Some((site, thunk::data(self.rt, function, site)?)));
        let done = match found {
            Some((site, data)) => thunk::run(self.rt, data, site, &report.operands),
            None => Err(self.rt.error("kernel reported from an unknown site: a bug in kiln")),
        };
        if let Err(thrown) = done {
            self.thrown.get_or_insert(thrown);
        }
    }

    /// The first exception of a thunk, if the launch itself had none.
    pub(crate) fn finish(self) -> Run<()> {
        self.thrown.map_or(Ok(()), Err)
    }
}
