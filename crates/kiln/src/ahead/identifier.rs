//! Names of C for things of Julia.

use crate::Error;

/// Words that C or C++ keep for themselves.
const KEYWORDS: &str = " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const \
    const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export \
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq \
    private protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using \
    virtual void volatile wchar_t while xor xor_eq main NULL ";

/// Functions and variables of ISO C's library beside `math.h`, and of POSIX that its headers declare: a library that defined one
/// would stand in for C's own in all of the program.
const LIBRARY: &str = " abort abs access accept aligned_alloc asctime atexit atof atoi atol atoll bind bsearch calloc chdir chmod \
    clearerr clock close connect creat ctime daylight difftime div dlclose dlerror dlopen dlsym dup dup2 environ errno execv execve \
    execvp exit fclose fcntl feof ferror fflush fgetc fgetpos fgets fileno fopen fork fprintf fputc fputs fread free freopen fscanf \
    fseek fsetpos fstat fsync ftell ftruncate fwrite gamma getc getchar getcwd getenv getpid gets gettimeofday gmtime index ioctl \
    isalnum isalpha isatty isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit j0 j1 jn kill labs ldiv \
    link listen llabs lldiv localeconv localtime longjmp lseek malloc mblen mbstowcs mbtowc memccpy memchr memcmp memmove mkdir mktime \
    mmap mprotect munmap nanosleep open optarg opterr optind optopt pause perror pipe poll printf putc putchar putenv puts qsort \
    quick_exit raise rand random read readlink realloc recv remove rename rewind rindex rmdir scanf select send setbuf setenv setjmp \
    setlocale setvbuf shutdown sigaction signal signgam sleep snprintf socket sprintf srand srandom sscanf stat stderr stdin stdout \
    strcat strchr strcmp strcoll strcpy strcspn strdup strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr \
    strtod strtof strtok strtol strtold strtoll strtoul strtoull strxfrm symlink system tcgetattr tcsetattr time timezone tmpfile \
    tmpnam tolower toupper truncate tzname tzset umask ungetc unlink usleep vfprintf vprintf vsnprintf vsprintf wait waitpid wcstombs \
    wctomb write y0 y1 yn ";

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
    let why = if !is_identifier(&symbol) {
        "is not a C identifier"
    } else if is_keyword(&symbol) {
        "is a keyword or a type of C or C++"
    } else if is_of_library(&symbol) {
        "is a name of C's library"
    } else if symbol.to_ascii_lowercase().starts_with("kiln_") {
        "is a name that libkiln_rt keeps for itself"
    } else {
        return Ok(NamedSignature { symbol, signature });
    };
    Err(Error::usage(format!("error: `{symbol}` {why}: give another name, as in `my_{symbol}={signature}`")))
}

fn is_of_library(name: &str) -> bool {
    LIBRARY.contains(&format!(" {name} ")) || kiln_link::runtime_symbol(name).is_some()
}
/// Whether C or C++ has the word, or may: names that end in `_t` are types.
fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&format!(" {name} ")) || name.ends_with("_t")
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
        for (taken, why) in
            [("sin", "library"), ("malloc", "library"), ("uint8_t", "type"), ("kiln_rt_call", "keeps")]
        {
            assert!(symbol(&format!("{taken}=f(Float64)")).is_err_and(|it| it.contains(why)), "{taken}");
        }
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
