//! A compiler for a small language that leaves invalidation to kiln: see `README.md`, which shows its output.

mod check;
mod compiler;
mod formula;
mod machine;
#[cfg(test)]
mod tests;

use compiler::{Compiler, Machine};
use formula::{Kind, Number};
use kiln_caching::{Config, ResultStore};
use std::io::Write as _;
use std::path::PathBuf;

const PROGRAM: &str = "
(let gravity 10)
(fn (power x (Int n)) (if (== n 0) 1 (* x (power x (- n 1)))))
(fn (half x) (/ x 2))
(fn (kinetic m v) (* (half m) (power v 2)))
(fn (potential m h) (* m (* gravity h)))
(fn (energy m v h) (+ (kinetic m v) (potential m h)))
";

fn main() -> Result<(), String> {
    let shown = story()?;
    std::io::stdout().write_all(shown.as_bytes()).map_err(|it| it.to_string())
}

/// A folder for a store, which goes when this does. A compiler that is used has one of its users'.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("foreign-ir-{name}-{}", std::process::id())))
    }

    /// The store in it, as another process would open it.
    pub(crate) fn store(&self) -> Result<ResultStore, String> {
        ResultStore::open(Config::new(&self.0), &("formula", 1)).map_err(|it| it.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Tells the story, with the cost of each step.
fn story() -> Result<String, String> {
    const KINDS: [Kind; 3] = [Kind::Float; 3];
    let mut told = String::new();
    let folder = Folder::new("story");
    let first = Compiler::new(Some(folder.store()?));
    let mut tell = |it: &Compiler, what: &str, on_gpu: bool| {
        let machine = Machine(if on_gpu { "gpu" } else { "cpu" });
        let energy = it.run(&it.view(on_gpu), &machine, "energy", &[2.0, 3.0, 4.0].map(Number::Float))?;
        let energy = energy.to_string();
        let cost = it.counts();
        told += &format!(
            "{what:<34} energy = {energy:<6} checked {}, made {}, linked {}\n",
            cost.checked, cost.made, cost.linked
        );
        Ok::<(), String>(())
    };
    first.define(PROGRAM)?;
    tell(&first, "the first time", false)?;
    tell(&first, "again", false)?;
    first.define("(fn (double x) (* x 2))")?;
    tell(&first, "after an unused function", false)?;
    first.define("(fn (half x) (* x 0.5))")?;
    tell(&first, "after another `half`", false)?;
    first.define("(let gravity 20)")?;
    tell(&first, "after another `gravity`", false)?;
    first.define("(on-gpu (half x) (* x 0.25))")?;
    tell(&first, "after a `half` for the device", false)?;
    tell(&first, "on the device", true)?;
    first.save(&first.view(false), "energy", &KINDS)?;
    let second = Compiler::new(Some(folder.store()?));
    second.define(PROGRAM)?;
    second.define("(fn (half x) (* x 0.5)) (let gravity 30)")?;
    tell(&second, "next session, another `gravity`", false)?;
    Ok(told + "\n" + &second.c(&second.view(false), "energy", &KINDS)?)
}
