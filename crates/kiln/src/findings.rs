//! Findings of the checks of kernels, for the caller of a session.

use crate::error::Diagnostic;
use crate::session::Session;
use std::fmt;

/// One cause that the checks of a session have found: see [`SessionOptions::checks`](crate::SessionOptions::checks).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckFinding {
    /// The name of the kernel.
    pub kernel: String,
    /// The problem, with the places of both parties.
    pub diagnostic: Diagnostic,
    /// The items of both parties. The first is the one whose access or barrier showed it.
    pub items: Vec<ItemOfGroup>,
    /// The array or the memory, if it has a name.
    pub array: Option<String>,
    /// How often it was found.
    pub count: u64,
    text: String,
}

/// An item and its group, in each dimension from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemOfGroup {
    /// The item in its group.
    pub item: [i64; 3],
    /// The group.
    pub group: [i64; 3],
}

/// The text for people, with the lines of the source.
impl fmt::Display for CheckFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl CheckFinding {
    /// Returns the findings of the checks of a session so far, each cause once, in the order in which they were found.
    ///
    /// ```
    /// use kiln::{CheckFinding, Checks, Session, SessionOptions};
    ///
    /// let session = Session::new(SessionOptions::new().checks(Checks::ALL))?;
    /// session.eval(
    ///     "using CUDA
    ///      last!(x) = (x[1] = threadIdx().x; return)
    ///      @cuda threads=2 last!(CUDA.zeros(1))",
    /// )?;
    /// let found = CheckFinding::of_session(&session);
    /// assert_eq!((&*found[0].diagnostic.code, found[0].items[1].item), ("race", [1, 1, 1]));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn of_session(session: &Session) -> Vec<CheckFinding> {
        let front = &session.front;
        let reports = session.driver.exec().checking.as_ref().map(|it| it.reports()).unwrap_or_default();
        let all = reports.into_iter().map(|it| {
            let mut shown = it.diagnostic;
            if it.count > 1 {
                shown.message = format!("{} ({} times)", shown.message, it.count);
            }
            let text = front.render(std::slice::from_ref(&shown));
            let diagnostic = Diagnostic::new(&shown, &front.files.lock());
            let items = it.parties.iter().map(|[item, group]| ItemOfGroup { item: *item, group: *group });
            CheckFinding {
                kernel: it.kernel,
                diagnostic,
                items: items.collect(),
                array: it.array,
                count: it.count,
                text,
            }
        });
        all.collect()
    }
}
