//! The side file: one row a kernel, tab-separated, with the types it is compiled for.

use crate::Error;

/// Columns of the side file, as its first line names them.
const COLUMNS: &str = "repo\tpath\tkernel\tline\tcommit\tdialect\tspace\targuments\tcaptures\troot";

/// A kernel and its argument types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRow {
    /// `owner/name`.
    pub repo: String,
    /// The file, in the repository.
    pub path: String,
    /// The kernel's name; `<on_device>` for code that a test wraps in a kernel.
    pub kernel: String,
    /// Where its definition starts.
    pub line: u32,
    /// The commit the row was drawn at.
    pub commit: String,
    /// `KA` or `CUDA`.
    pub dialect: String,
    /// For KernelAbstractions: the number of dimensions of the launch, or its static group size as a tuple.
    pub space: String,
    /// Argument types as the device sees them, as Julia code.
    pub arguments: String,
    /// The variables that the kernel captures from the function around it: `name = value; ...`, a static parameter as `where T = value`.
    pub captures: String,
    /// The file of the repository to load first, if the kernel needs more than its own.
    pub root: String,
}

impl ReportRow {
    /// The folder of the checkout: the repository's name without its owner.
    pub fn folder(&self) -> &str {
        self.repo.rsplit('/').next().unwrap_or(&self.repo)
    }

    /// Returns the row's name in tables.
    pub fn label(&self) -> String {
        format!("{}/{}:{} {}", self.folder(), self.path, self.line, self.kernel)
    }
}

/// Reads the side file. Lines that start with `#` are comments; a column that is `-` is empty.
///
/// # Errors
/// The line that is not a row.
pub fn read_rows(text: &str) -> Result<Vec<ReportRow>, Error> {
    let mut lines = text.lines().enumerate().filter(|it| !it.1.is_empty() && !it.1.starts_with('#'));
    if lines.next().map(|it| it.1) != Some(COLUMNS) {
        return Err(Error::usage(format!("the first line must name the columns: {COLUMNS}")));
    }
    lines
        .map(|(at, line)| {
            row(line).ok_or_else(|| Error::usage(format!("line {}: not a row: {line}", at + 1)))
        })
        .collect()
}

fn row(line: &str) -> Option<ReportRow> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [repo, path, kernel, at, commit, dialect, space, arguments, captures, root] = fields[..] else {
        return None;
    };
    let text = |it: &str| if it == "-" { String::new() } else { it.to_owned() };
    Some(ReportRow {
        repo: text(repo),
        path: text(path),
        kernel: text(kernel),
        line: at.parse().ok()?,
        commit: text(commit),
        dialect: text(dialect),
        space: text(space),
        arguments: text(arguments),
        captures: text(captures),
        root: text(root),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_all_columns_and_a_dash_is_nothing() {
        let text = format!("# comment\n{COLUMNS}\nA/B.jl\tsrc/k.jl\tk!\t7\tabc\tKA\t2\tFloat32\t-\t-\n");
        let rows = read_rows(&text).unwrap();
        assert_eq!(rows[0].label(), "B.jl/src/k.jl:7 k!");
        assert_eq!(rows[0].captures, "");
        assert!(read_rows(&format!("{COLUMNS}\nA/B.jl\tsrc")).is_err(), "a short row is no row");
        assert!(read_rows("A/B.jl").is_err(), "columns must be named");
    }
}
