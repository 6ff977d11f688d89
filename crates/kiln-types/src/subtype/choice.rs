//! The selected member of each union: a path through a tree of choices that is discovered during a run.

/// The choices of one side. A run consumes them from the start; `advance` goes to the next path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    taken: Vec<(u16, u16)>,
    depth: usize,
}

impl Choices {
    /// The choice among `count` at this point of the path: the first unless `advance` has moved on.
    pub(crate) fn pick(&mut self, count: usize) -> usize {
        if self.depth == self.taken.len() {
            self.taken.push((0, count.min(usize::from(u16::MAX)) as u16));
        }
        self.depth += 1;
        usize::from(self.taken[self.depth - 1].0)
    }

    /// Back to the start of the path.
    pub(crate) fn rewind(&mut self) {
        self.depth = 0;
    }

    /// Whether this run has come past a choice.
    pub(crate) fn any_taken(&self) -> bool {
        self.depth > 0
    }

    /// Returns the position of the run on the path.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Lets the run go on as if it had come `depth` far.
    pub(crate) fn rewind_to(&mut self, depth: usize) {
        self.depth = depth;
    }

    /// The choices made from `depth` on have no further alternatives after all.
    pub(crate) fn settle(&mut self, depth: usize) {
        for (pick, count) in self.taken.iter_mut().take(self.depth).skip(depth) {
            *count = *pick + 1;
        }
    }

    /// Whether a choice that this run has made from `depth` on has alternatives left.
    pub(crate) fn has_more(&self, depth: usize) -> bool {
        self.taken.iter().take(self.depth).skip(depth).any(|(pick, count)| pick + 1 < *count)
    }

    /// The next path, if there is one: the deepest choice this run made that has alternatives left takes the
    /// next.
    pub(crate) fn advance(&mut self) -> bool {
        self.advance_from(0)
    }

    /// As `advance`, but keeps the choices before `depth`. The path restarts at the beginning.
    pub(crate) fn advance_from(&mut self, depth: usize) -> bool {
        self.taken.truncate(self.depth);
        self.depth = 0;
        while self.taken.len() > depth
            && let Some((pick, count)) = self.taken.last_mut()
        {
            *pick += 1;
            if pick < count {
                return true;
            }
            self.taken.pop();
        }
        false
    }
}
