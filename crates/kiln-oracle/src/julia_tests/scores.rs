//! Counts per file, as a table for people and as the recorded scores that may only improve.

use super::outcome::SiteOutcome;
use super::supervisor::FileResult;
use crate::error::Error;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The counts of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileScores {
    /// Sites of each outcome, in the order of [`SiteOutcome::ALL`].
    pub sites: [usize; 8],
    /// Expressions that killed a worker or exceeded their time.
    pub crashes: usize,
    /// Seconds of wall time; not compared.
    pub seconds: u64,
}

impl FileScores {
    /// The counts of a result.
    pub fn from_result(result: &FileResult) -> Self {
        Self {
            sites: SiteOutcome::ALL.map(|it| result.count(it)),
            crashes: result.crashes.len(),
            seconds: result.time.as_secs(),
        }
    }

    /// The number of sites in the text.
    pub fn total(&self) -> usize {
        self.sites.iter().sum()
    }

    /// Adds the counts of another file.
    pub fn add(&mut self, other: &Self) {
        for (sum, count) in self.sites.iter_mut().zip(other.sites) {
            *sum += count;
        }
        self.crashes += other.crashes;
        self.seconds += other.seconds;
    }

    /// The regressions of `self` against a recorded score: fewer passing sites, more wrong values, missing exceptions or crashes.
    pub fn regressions(&self, recorded: &Self) -> Vec<String> {
        let [pass, wrong, missing, ..] = self.sites;
        let [pass_was, wrong_was, missing_was, ..] = recorded.sites;
        let mut found = Vec::new();
        if pass < pass_was {
            found.push(format!("{pass} sites pass, {pass_was} did"));
        }
        let counts = [
            ("wrong values", wrong, wrong_was),
            ("missing exceptions", missing, missing_was),
            ("crashes", self.crashes, recorded.crashes),
        ];
        for (name, now, was) in counts {
            if now > was {
                found.push(format!("{now} {name}, were {was}"));
            }
        }
        found
    }
}

/// Reads recorded scores: lines of a file's name, the counts of [`SiteOutcome::ALL`] and the crashes, separated by tabs. Lines that
/// start with `#` are comments.
///
/// # Errors
/// Names the first line that is not of this form.
pub fn read(text: &str) -> Result<BTreeMap<String, FileScores>, Error> {
    let mut found = BTreeMap::new();
    for line in text.lines().filter(|it| !it.starts_with('#') && !it.is_empty()) {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap_or("");
        let numbers: Option<Vec<usize>> = fields.map(|it| it.parse().ok()).collect();
        let Some([sites @ .., crashes]) = numbers.as_deref() else {
            return Err(Error::Score(line.to_owned()));
        };
        let sites = sites.try_into().map_err(|_| Error::Score(line.to_owned()))?;
        found.insert(name.to_owned(), FileScores { sites, crashes: *crashes, seconds: 0 });
    }
    Ok(found)
}

/// Writes scores as [`read`] reads them.
pub fn write(scores: &BTreeMap<String, FileScores>) -> String {
    let names: Vec<&str> = SiteOutcome::ALL.iter().map(|it| it.name()).collect();
    let mut out = format!("# file\t{}\tcrashes\n", names.join("\t"));
    for (name, counts) in scores {
        let _ = write!(out, "{name}");
        for count in counts.sites.iter().chain([&counts.crashes]) {
            let _ = write!(out, "\t{count}");
        }
        out.push('\n');
    }
    out
}

/// A Markdown table of scores, with a last row of sums.
pub fn table(scores: &BTreeMap<String, FileScores>) -> String {
    let names: Vec<&str> = SiteOutcome::ALL.iter().map(|it| it.name()).collect();
    let mut out =
        format!("| file | sites | {} | crashes | s |\n|---|{}\n", names.join(" | "), "---:|".repeat(11));
    let mut sum = FileScores::default();
    for (name, counts) in scores {
        row(&mut out, name, counts);
        sum.add(counts);
    }
    row(&mut out, "all", &sum);
    out
}

fn row(out: &mut String, name: &str, counts: &FileScores) {
    let sites: Vec<String> = counts.sites.iter().map(usize::to_string).collect();
    let (total, crashes, seconds) = (counts.total(), counts.crashes, counts.seconds);
    let _ = writeln!(out, "| {name} | {total} | {} | {crashes} | {seconds} |", sites.join(" | "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_as_written() {
        let counts = FileScores { sites: [10, 1, 2, 3, 4, 0, 5, 6], crashes: 7, seconds: 0 };
        let scores = BTreeMap::from([("int.jl".to_owned(), counts)]);
        assert!(read(&write(&scores)).is_ok_and(|it| it == scores));
        assert!(read("int.jl\t1\t2").is_err());
    }

    #[test]
    fn a_count_that_got_worse_is_a_regression() {
        let was = FileScores { sites: [10, 1, 2, 3, 4, 0, 5, 6], crashes: 1, seconds: 0 };
        let better = FileScores { sites: [12, 0, 1, 3, 4, 0, 5, 6], crashes: 0, seconds: 9 };
        assert_eq!(better.regressions(&was), Vec::<String>::new());
        let worse = FileScores { sites: [9, 2, 3, 3, 4, 0, 4, 6], crashes: 2, seconds: 0 };
        assert_eq!(worse.regressions(&was).len(), 4);
    }
}
