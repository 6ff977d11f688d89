//! A panic that unwinds: a bug in kiln. The layers it passes add a description of their work for the handler.
//!
//! The normal path records nothing: each layer describes its work only when a panic passes.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A panic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bug {
    /// The panic's message.
    pub message: String,
    /// The work in progress, innermost first: `inferring f(Int64)`, `running a.jl:3`.
    pub doing: Vec<String>,
}

impl Bug {
    /// Describes a caught panic.
    pub fn from_panic(payload: Box<dyn Any + Send>) -> Self {
        match payload.downcast::<Self>() {
            Ok(bug) => *bug,
            Err(payload) => {
                let text = payload.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
                Self { message: text.unwrap_or("a panic without a message").to_owned(), doing: Vec::new() }
            }
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[bug]: this is a bug in kiln, not in the program: {}", self.message)?;
        for it in &self.doing {
            write!(f, "\n  = while {it}")?;
        }
        Ok(())
    }
}

/// Runs `work`; adds the description of the work to a panic that passes, and resumes the panic.
pub fn while_doing<T>(doing: impl Fn() -> String, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let mut bug = Bug::from_panic(payload);
        // To say it, things are looked at that the panic may have left in disorder.
        bug.doing.extend(catch_unwind(AssertUnwindSafe(doing)));
        resume_unwind(Box::new(bug))
    })
}

/// Runs `work` and returns a panic as an error.
///
/// # Errors
/// The panic.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Bug> {
    catch_unwind(AssertUnwindSafe(work)).map_err(Bug::from_panic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_catches_a_panic_learns_what_was_being_done() {
        let caught = catch(|| {
            while_doing(
                || "running a.jl:3".into(),
                || {
                    while_doing(|| "inferring f(Int64)".into(), || panic!("{} and {}", 1, 2));
                },
            );
        });
        let bug = caught.unwrap_err();
        assert_eq!(bug.doing, ["inferring f(Int64)", "running a.jl:3"]);
        assert_eq!(
            bug.to_string(),
            "error[bug]: this is a bug in kiln, not in the program: 1 and 2\n  \
             = while inferring f(Int64)\n  = while running a.jl:3"
        );
    }

    #[test]
    fn a_panic_while_saying_so_does_not_hide_the_first() {
        let caught = catch(|| while_doing(|| panic!("the second"), || panic!("the first")));
        assert_eq!(caught, Err::<(), _>(Bug { message: "the first".into(), doing: Vec::new() }));
    }
}
