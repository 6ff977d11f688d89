//! Programs in a second process, which finds the results of the first in the store: it prints the same, warns of the same and
//! ends the same.

use super::project;
use kiln_testing::{Verdict, repository};
use std::path::{Path, PathBuf};

/// Programs that look at results of the compiler, or that the compiler warns about.
const ALWAYS: &[&str] = &[
    "code_instances",
    "code_values",
    "invalidations",
    "process_streams",
    "shown_types_and_functions",
    "union_members_without_methods",
];

/// Of the others one of so many is run, unless `KILN_WARM_ALL` is set.
const SLICE: usize = 12;

/// The programs that are run twice.
pub(crate) fn chosen(files: Vec<PathBuf>) -> impl Iterator<Item = PathBuf> {
    let all = std::env::var_os("KILN_WARM_ALL").is_some();
    let is_chosen = move |(at, file): &(usize, PathBuf)| {
        all || at % SLICE == 0 || ALWAYS.contains(&kiln_testing::stem(file).as_str())
    };
    files.into_iter().enumerate().filter(is_chosen).map(|it| it.1)
}

/// A program does the same in two processes that share a store, which is empty before.
pub(crate) fn same_when_warm(file: &Path) -> Verdict {
    let name = file.strip_prefix(repository()).unwrap();
    let store = Path::new(env!("CARGO_TARGET_TMPDIR")).join("warm").join(kiln_testing::stem(file));
    let _ = std::fs::remove_dir_all(&store);
    let run = || {
        let mut command = project::uncached();
        command.env("KILN_CACHE", "rw").env("KILN_CACHE_DIR", &store).arg("run").arg(name).output().unwrap()
    };
    let (first, second) = (run(), run());
    let _ = std::fs::remove_dir_all(&store);
    if first.status != second.status {
        return Err(format!("{} ends with {}, then with {}", file.display(), first.status, second.status));
    }
    for (what, first, second) in
        [("prints", &first.stdout, &second.stdout), ("reports", &first.stderr, &second.stderr)]
    {
        let (first, second) = (String::from_utf8_lossy(first), String::from_utf8_lossy(second));
        if without_times(&first) != without_times(&second) {
            let file = file.display();
            return Err(format!("{file} {what} first\n{first}\nand with the results of that\n{second}"));
        }
    }
    super::ended_well(file, &first)
}

/// A text without its times, which are others in each run, and the space beside them.
fn without_times(text: &str) -> String {
    let is_time = |word: &str| {
        let number = word.trim_end_matches(char::is_alphabetic);
        number.starts_with(|it: char| it.is_ascii_digit()) && (number.contains('.') || number.contains('m'))
    };
    let line = |line: &str| {
        let words = line.split_whitespace().filter(|it| !is_time(it));
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
