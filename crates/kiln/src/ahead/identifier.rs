//! Names of C for things of Julia.

use crate::Error;

/// Words that C or C++ keep for themselves.
const KEYWORDS: &str = " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const \
    const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export \
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq \
    private protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using \
    virtual void volatile wchar_t while xor xor_eq main NULL ";

/// A signature with the name that its function has in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSignature {
    /// The name.
    pub symbol: String,
    /// The signature.
    pub signature: String,
}

/// Reads `f(T1, T2)` or `NAME=f(T1, T2)`. Without a name, it is that of the function: letters, digits and `_`, and no `!`
/// at the end.
///
/// # Errors
/// When C cannot have the name.
///
/// ```
/// use kiln::ahead::named_signature;
///
/// assert_eq!(named_signature("scale!(Float32)")?.symbol, "scale");
/// assert_eq!(named_signature("scale_f64=scale!(Float64)")?.symbol, "scale_f64");
/// assert!(named_signature("int(Float64)").is_err());
/// # Ok::<(), kiln::Error>(())
/// ```
pub fn named_signature(given: &str) -> Result<NamedSignature, Error> {
    let (symbol, signature) = match given.split_once('=') {
        Some((name, rest)) if is_identifier(name.trim()) && !rest.starts_with('=') => {
            (name.trim().to_owned(), rest.trim().to_owned())
        }
        Some(_) | None => {
            let function = given.split('(').next().unwrap_or(given).trim();
            let own = function.rsplit('.').next().unwrap_or(function);
            (identifier(own.trim_end_matches('!')), given.trim().to_owned())
        }
    };
    let is_taken = is_keyword(&symbol) || kiln_link::runtime_symbol(&symbol).is_some();
    if !is_identifier(&symbol) || is_taken {
        let why = if is_taken { "is taken in C" } else { "is no name of C" };
        return Err(Error::usage(format!(
            "error: `{symbol}` {why}: give another name with `NAME={signature}`"
        )));
    }
    Ok(NamedSignature { symbol, signature })
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&format!(" {name} "))
}

fn is_identifier(name: &str) -> bool {
    kiln_unit::check_entry_name(name).is_ok()
}

/// The letters, digits and underscores of a name; its other characters become underscores.
pub(super) fn identifier(name: &str) -> String {
    name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect()
}

/// Names of C for these, which differ from one another and from `taken`. Names that are none of C are numbered.
pub(super) fn distinct<'a>(names: impl Iterator<Item = &'a str>, taken: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (at, name) in names.enumerate() {
        let mut made = identifier(name);
        if !is_identifier(name) {
            made = format!("arg{}", at + 1);
        }
        while is_keyword(&made) || taken.contains(&made.as_str()) || all.contains(&made) {
            made.push('_');
        }
        all.push(made);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_c_are_made() {
        let symbol = |it: &str| named_signature(it).map(|it| it.symbol).map_err(|it| it.message);
        assert_eq!(symbol("Main.Sub.f!!(Int)"), Ok("f".into()));
        assert_eq!(symbol("g_1 = f(Int)"), Ok("g_1".into()));
        assert!(symbol("+(Int, Int)").is_ok_and(|it| it == "_"));
        assert!(symbol("==(Int, Int)").is_ok_and(|it| it == "__"));
        assert!(symbol("sin(Float64)").is_err_and(|it| it.contains("taken")));
        assert!(symbol("1f(Int)").is_err());
    }

    #[test]
    fn names_of_arguments_differ() {
        let names = ["x", "int", "#unused#", "x", "failure", "β"];
        assert_eq!(
            distinct(names.into_iter(), &["failure"]),
            ["x", "int_", "arg3", "x_", "failure_", "arg6"]
        );
    }
}
