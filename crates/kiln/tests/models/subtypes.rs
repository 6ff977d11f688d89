//! Subtyping and intersection of generated tuple types.

use crate::judge::{Form, Judged, LOG};
use crate::universe::{ARGS_MAX, Hierarchy, LEAVES, Leaf, Signature, is_within};
use kiln_testing::random::Rng;

const TYPES: usize = 6;
/// Calls that an intersection is asked for.
const CALLS: usize = 12;

fn call_text(call: &[Leaf], hierarchy: &Hierarchy) -> String {
    let parts: Vec<String> = call.iter().map(|it| hierarchy.leaf(*it).text).collect();
    format!("Tuple{{{}}}", parts.join(", "))
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Judged {
    let mut rng = Rng::new(seed);
    let hierarchy = Hierarchy::new(&mut rng);
    let types: Vec<Signature> = (0..TYPES)
        .map(|_| {
            let args = 1 + rng.below(ARGS_MAX);
            hierarchy.signature(&mut rng, args)
        })
        .collect();
    let calls: Vec<Vec<bool>> = types.iter().map(Signature::calls).collect();
    let (mut log, mut body) = (Vec::new(), String::new());
    for (at, a) in types.iter().enumerate() {
        for (other, b) in types.iter().enumerate().filter(|it| it.0 != at) {
            body.push_str(&format!("    put(o, Int(T{at} <: T{other}))\n"));
            log.push(i64::from(is_within(&calls[at], &calls[other])));
            if at > other {
                continue;
            }
            body.push_str(&format!("    m = typeintersect(T{at}, T{other})\n"));
            // Where variables are involved Julia's answer may be too large, but never too small.
            let is_exact = a.types().is_some() && b.types().is_some();
            for _ in 0..CALLS {
                let count = rng.below(ARGS_MAX + 1);
                let call: Vec<Leaf> = (0..count).map(|_| rng.below(LEAVES)).collect();
                let is_in_both = a.has(&call) && b.has(&call);
                if is_in_both || is_exact {
                    body.push_str(&format!("    put(o, Int({} <: m))\n", call_text(&call, &hierarchy)));
                    log.push(i64::from(is_in_both));
                }
            }
        }
    }
    let names: String =
        types.iter().enumerate().map(|(at, it)| format!("const T{at} = {}\n", it.type_text())).collect();
    let text = format!(
        "{LOG}{}{names}function host()\n    o = zeros(Int, {})\n{body}    shown(o)\nend\n",
        hierarchy.text(),
        log.len() + 1
    );
    let expected: Vec<String> = log.iter().map(i64::to_string).collect();
    Judged { text, form: Form::Host, expected: expected.join(" ") }
}
