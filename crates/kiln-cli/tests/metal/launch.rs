//! Launches as `tests/metal/support/launches.jl` prints them, and what the description of an artifact says of them.

/// An argument of a launch.
#[derive(Debug)]
pub(crate) enum Argument {
    /// An array with its bytes before and after.
    Array { dims: Vec<u64>, before: Vec<u8>, after: Vec<u8> },
    /// The bytes of another value.
    Value(Vec<u8>),
}

/// A launch.
#[derive(Debug, Default)]
pub(crate) struct Launch {
    /// The kernel and the types of its arguments.
    pub(crate) signature: String,
    /// The groups, and the items of a group.
    pub(crate) grid: [u64; 6],
    /// The bytes of memory of the group that the launch gives.
    pub(crate) shared_bytes: usize,
    /// The arguments.
    pub(crate) arguments: Vec<Argument>,
    /// The type of the exception, or `well`.
    pub(crate) failed: String,
}

fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let digits = if text == "-" { "" } else { text };
    let pairs = (0..digits.len() / 2).map(|it| digits.get(2 * it..2 * it + 2));
    let byte = |it: Option<&str>| it.and_then(|it| u8::from_str_radix(it, 16).ok());
    pairs.map(byte).collect::<Option<_>>().ok_or_else(|| format!("no bytes: {text}"))
}

impl Launch {
    /// Returns the launches in the output of a program.
    pub(crate) fn read(output: &str) -> Result<Vec<Self>, String> {
        let (mut all, mut current) = (Vec::new(), Self::default());
        for line in output.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "launch" => current.signature = rest.to_owned(),
                "grid" => {
                    let numbers: Vec<u64> = rest.split(' ').filter_map(|it| it.parse().ok()).collect();
                    let (grid, shared) = numbers.split_at_checked(6).ok_or("no grid")?;
                    current.grid.copy_from_slice(grid);
                    current.shared_bytes = shared[0] as usize;
                }
                "array" => {
                    let parts: Vec<&str> = rest.split(' ').collect();
                    let [dims, before, after] = parts[..] else { return Err(format!("no array: {rest}")) };
                    let dims = dims.split(',').filter_map(|it| it.parse().ok()).collect();
                    let (before, after) = (bytes(before)?, bytes(after)?);
                    current.arguments.push(Argument::Array { dims, before, after });
                }
                "value" => current.arguments.push(Argument::Value(bytes(rest)?)),
                "end" => {
                    current.failed = rest.to_owned();
                    all.push(std::mem::take(&mut current));
                }
                _ => {}
            }
        }
        Ok(all)
    }
}

/// Returns the kinds of the parameters in the description of an artifact, in order.
pub(crate) fn kinds(description: &str) -> Vec<String> {
    let parameters = description.split("\"parameters\":[").nth(1).unwrap_or_default();
    let parameters = parameters.split(']').next().unwrap_or_default();
    let kinds = parameters.split("\"kind\":\"").skip(1).filter_map(|it| it.split('"').next());
    kinds.map(str::to_owned).collect()
}

/// Returns the exception of a site in the description of an artifact.
pub(crate) fn exception(description: &str, site: u32) -> Option<String> {
    let of_site = description.split(&format!("{{\"site\":{site},")).nth(1)?;
    let name = of_site.split("\"exception\":\"").nth(1)?;
    name.split('"').next().map(str::to_owned)
}
