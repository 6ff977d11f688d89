//! MISSION C14: host programs whose hot loops come to code that has not run: late in the loop, after definitions, in newer worlds, from
//! two callers. A session that compiles gives what one gives that interprets.
//!
//! `KILN_MOVING_WORLDS` sets how many programs there are, of which `KILN_SEED` is the first.

use kiln::internals::{SessionInternals as _, TestOptions as _};
use kiln::{Session, SessionOptions};
use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::text;
use kiln_testing::random::{Rng, setting};
use std::fmt::Write as _;

const FUNCTIONS: usize = 9;
const ENTRIES: usize = 5;

/// The definition of function `n`, which calls functions below it.
fn definition(rng: &mut Rng, n: usize) -> String {
    let (c, t) = (rng.below(50), rng.below(20));
    let mut callee = || format!("g{}", rng.below(n.max(1)));
    let (f, h) = (callee(), callee());
    let body = match if n == 0 { 0 } else { rng.below(9) } {
        0 => format!("x + {c}"),
        1 => format!("(s = x; for j in 1:{}; s = (s + {f}(j % 9)) % 997; end; s)", t + 2),
        2 => format!("x > {t} ? {f}(x - 1) + {c} : {h}(x)"),
        3 => format!("(w = (x, x + 1, 2x, 3x, {f}(x)); w[1 + abs(x) % 5] + {h}(x % 7))"),
        4 => format!("length(string({f}(x), \"a\", x)) + {c}"),
        5 => format!("round(Int, ({f}(x) % 1000) * 0.5 + {c})"),
        6 => format!("try; x > {t} ? error(\"e\") : {f}(x); catch; {c} + {h}(1); end"),
        7 => format!("(v = [x, {f}(x), {c}]; x > {t} && push!(v, {h}(x)); sum(v) % 997)"),
        _ => format!("(r = Ref(x); x > {t} && (r[] += {f}(x)); r[] = (r[] + {h}(r[] % 5)) % 997; r[])"),
    };
    format!("@noinline g{n}(x) = {body}")
}

/// A function with a hot loop, each of whose branches is taken once.
fn entry(rng: &mut Rng, n: usize) -> String {
    let mut text = format!("function e{n}(n)\n    s = 0\n    for i in 1:n\n        s = (s + i % 7) % 997\n");
    for at in 0..rng.below(4) + 2 {
        let g = rng.below(FUNCTIONS);
        let work = match rng.below(5) {
            0 => {
                let defined = rng.below(FUNCTIONS);
                format!("@eval {}", definition(rng, defined))
            }
            1 => format!("s += Base.invokelatest(g{g}, s % 20)"),
            2 if n > 0 => format!("s += e{}(60)", rng.below(n)),
            _ => format!("s += g{g}(s % 20)"),
        };
        let _ = writeln!(text, "        i == n - {at} && ({work})");
    }
    text + "    end\n    return s\nend\n"
}

fn program(rng: &mut Rng) -> String {
    let mut text = String::from("const out = Int[]\n");
    for n in 0..FUNCTIONS {
        let _ = writeln!(text, "{}", definition(rng, n));
    }
    for n in 0..ENTRIES {
        text += &entry(rng, n);
    }
    for _ in 0..9 {
        let _ = match rng.below(4) {
            0 => {
                let defined = rng.below(FUNCTIONS);
                writeln!(text, "{}", definition(rng, defined))
            }
            1 => writeln!(text, "push!(out, g{}({}))", rng.below(FUNCTIONS), rng.below(30)),
            _ => writeln!(text, "push!(out, e{}({}))", rng.below(ENTRIES), 2000 + rng.below(9)),
        };
    }
    text
}

/// The numbers that a program leaves, and how many units were late.
fn left(text: &str, interprets: bool) -> (String, u64) {
    let options = SessionOptions::new().isolated(true).waits_for_code(true).interpret_host(interprets);
    let session = Session::new(options).unwrap();
    session.run_text("late", text).unwrap_or_else(|it| panic!("{it}\n{text}"));
    let rt = session.runtime();
    let shown = toplevel::eval_string(rt, session.main(), "join(out, ' ')").unwrap();
    (text::read(&rt.heap, shown).unwrap(), session.timings().units_late)
}

#[test]
fn late_code_is_that_of_the_callers_world() {
    let (seed, count) = (setting("KILN_SEED", 1), setting("KILN_MOVING_WORLDS", 40));
    let mut late = 0;
    for n in 0..count {
        let text = program(&mut Rng::new(seed + n));
        let (compiled, units_late) = left(&text, false);
        late += units_late;
        assert_eq!(compiled, left(&text, true).0, "program {} of\n{text}", seed + n);
    }
    assert!(late > count, "{late} late units in {count} programs");
}
