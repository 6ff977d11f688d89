//! Damaged programs: files of this repository with tokens taken out, doubled, exchanged and spliced in from elsewhere.
//!
//! The sequence is the same each time; how far a test gets in it depends on the seconds it is given:
//! `KILN_FUZZ_SECONDS`, 10 if unset.

use kiln_testing::random::{Rng, setting};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Tokens that change what is around them.
const WORDS: &str = "begin end if else elseif for in while function where struct mutable let try catch finally quote do \
    return break continue import using const global local macro module abstract primitive type isa ( ) [ ] { } , ; : :: \
    . .. ... = += .= == < <: >: - + * / ^ ' ! & | && || ? -> => |> $ @ @inline @inbounds @generated @nospecialize \" \
    \"\"\" ` 0 1 -1 1.5 0x7f typemax(Int) nothing missing Int Any Union{} Type Tuple Vararg Val x xs i T \\n ;;";

/// Text of the program that is tried, and no longer: more would be slow and no more varied.
const LINES_MAX: u64 = 40;

/// From 0 to `below`, exclusive; 0 if that is 0.
fn roll(dice: &mut Rng, below: usize) -> usize {
    dice.below(below.max(1))
}

/// Calls `check` with one damaged program after the other. One that makes it panic is printed.
pub(crate) fn for_each_damaged(folders: &[&str], mut check: impl FnMut(&str)) {
    let files = read(folders);
    assert!(files.len() > 10, "the repository's programs are there");
    let words: Vec<&str> = WORDS.split_whitespace().map(|it| if it == "\\n" { "\n" } else { it }).collect();
    let seconds = setting("KILN_FUZZ_SECONDS", 10);
    let first = setting("KILN_FUZZ_FIRST", 0);
    let (start, limit) = (Instant::now(), Duration::from_secs(seconds));
    let mut slowest = (Duration::ZERO, 0);
    for number in first.. {
        let text = damaged(number, &files, &words);
        let begun = Instant::now();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&text))) {
            eprintln!("program {number} is:\n{text}\n");
            resume_unwind(panic);
        }
        slowest = slowest.max((begun.elapsed(), number));
        if start.elapsed() > limit {
            eprintln!("{} programs; number {} took longest: {:?}", number - first + 1, slowest.1, slowest.0);
            assert!(slowest.0 < Duration::from_secs(60), "program {} takes too long", slowest.1);
            return;
        }
    }
}

/// The lines of every Julia file in these folders of the repository, in an order that does not change.
fn read(folders: &[&str]) -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        paths.extend(
            entries.map(|it| it.unwrap().path()).filter(|it| it.extension().is_some_and(|it| it == "jl")),
        );
    }
    paths.sort();
    let text = |path: &std::path::PathBuf| std::fs::read_to_string(path).unwrap();
    paths.iter().map(|it| text(it).lines().map(str::to_owned).collect()).collect()
}

/// Some lines of a file, as tokens.
fn piece(dice: &mut Rng, files: &[Vec<String>], lines_max: u64) -> Vec<String> {
    let lines = &files[roll(dice, files.len())];
    let first = roll(dice, lines.len());
    let count = 1 + roll(dice, lines_max as usize);
    let text = lines[first..(first + count).min(lines.len())].join("\n");
    let parse = kiln_syntax::parse(&text, kiln_syntax::FileId(1));
    parse.pieces().map(|it| text[it.start as usize..it.end as usize].to_owned()).collect()
}

fn damaged(number: u64, files: &[Vec<String>], words: &[&str]) -> String {
    let dice = &mut Rng::from_state(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut tokens = piece(dice, files, LINES_MAX);
    for _ in 0..=roll(dice, 6) {
        let at = roll(dice, tokens.len());
        let end = (at + 1 + roll(dice, 8)).min(tokens.len());
        match roll(dice, 7) {
            0 => drop(tokens.drain(at..end)),
            1 => {
                let again = tokens[at..end].to_vec();
                tokens.splice(end..end, again);
            }
            2 if !tokens.is_empty() => {
                let other = roll(dice, tokens.len());
                tokens.swap(at, other);
            }
            3 => drop(tokens.splice(at..end, piece(dice, files, 3))),
            4 => drop(tokens.splice(at..at, piece(dice, files, 3))),
            5 if !tokens.is_empty() => tokens[at] = words[roll(dice, words.len())].to_owned(),
            _ => tokens.insert(at, words[roll(dice, words.len())].to_owned()),
        }
    }
    tokens.concat()
}
