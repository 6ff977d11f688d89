//! Dispatch: which method a call goes to, with arguments that may be of several types.

use crate::judge::{Form, Judged};
use crate::universe::{ARGS_MAX, Hierarchy, LEAVES, Leaf, Signature, Ty, is_within};
use kiln_testing::random::Rng;

const METHODS_MAX: usize = 6;
const CALLS: i64 = 12;

struct Method {
    signature: Signature,
    calls: Vec<bool>,
}

/// Returns the outcome of a call; `None`: Julia's rules say more than the model does.
fn outcome(methods: &[Method], call: &[Leaf]) -> Option<String> {
    let applicable: Vec<usize> = (0..methods.len()).filter(|it| methods[*it].signature.has(call)).collect();
    if applicable.is_empty() {
        return Some("MethodError".to_owned());
    }
    let best = applicable.iter().find(|&&it| {
        applicable.iter().all(|&other| it == other || is_within(&methods[it].calls, &methods[other].calls))
    });
    if let Some(best) = best {
        return Some(best.to_string());
    }
    let &[a, b] = &applicable[..] else { return None };
    tie(&methods[a].signature, &methods[b].signature).then(|| "MethodError".to_owned())
}

/// Two methods each of which has an argument of a smaller type than the other's, and none where neither has.
fn tie(a: &Signature, b: &Signature) -> bool {
    let (Some(a), Some(b)) = (a.types(), b.types()) else { return false };
    let within = |a: &[&Ty], b: &[&Ty]| a.iter().zip(b).any(|(a, b)| a.is_within(b) && !b.is_within(a));
    let comparable = a.iter().zip(&b).all(|(a, b)| a.is_within(b) || b.is_within(a));
    comparable && within(&a, &b) && within(&b, &a)
}

/// An expression that gives the value of one of these types, by `k`.
fn chosen(leaves: &[Leaf], first: i64, hierarchy: &Hierarchy) -> String {
    let (last, others) = leaves.split_last().expect("there is one");
    let mut text = String::new();
    for (at, leaf) in others.iter().enumerate() {
        let remainder = (first + at as i64) % leaves.len() as i64;
        text.push_str(&format!("k % {} == {remainder} ? {}(k) : ", leaves.len(), hierarchy.leaf(*leaf).text));
    }
    format!("({text}{}(k))", hierarchy.leaf(*last).text)
}

/// The type that [`chosen`] chooses.
fn choice(leaves: &[Leaf], first: i64, k: i64) -> Leaf {
    let (last, others) = leaves.split_last().expect("there is one");
    let is_chosen = |at: &usize| k % leaves.len() as i64 == (first + *at as i64) % leaves.len() as i64;
    (0..others.len()).find(is_chosen).map_or(*last, |at| others[at])
}

fn methods(rng: &mut Rng, hierarchy: &Hierarchy, args: usize) -> Vec<Method> {
    let mut methods: Vec<Method> = Vec::new();
    for _ in 0..2 + rng.below(METHODS_MAX - 1) {
        let signature = hierarchy.signature(rng, args);
        let calls = signature.calls();
        // A second method of one signature would take its place.
        if methods.iter().all(|it| it.calls != calls) {
            methods.push(Method { signature, calls });
        }
    }
    methods
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Judged {
    let mut rng = Rng::new(seed);
    loop {
        let hierarchy = Hierarchy::new(&mut rng);
        let args = 1 + rng.below(ARGS_MAX);
        let methods = methods(&mut rng, &hierarchy, args);
        let arguments: Vec<(Vec<Leaf>, i64)> = (0..args)
            .map(|_| {
                let leaves = (0..1 + rng.below(3)).map(|_| rng.below(LEAVES)).collect();
                (leaves, rng.below(3) as i64)
            })
            .collect();
        let call = |k: i64| -> Vec<Leaf> { arguments.iter().map(|it| choice(&it.0, it.1, k)).collect() };
        let outcomes: Option<Vec<String>> = (1..=CALLS).map(|k| outcome(&methods, &call(k))).collect();
        let Some(outcomes) = outcomes else { continue };
        // One that always throws is compiled to nothing.
        if outcomes.iter().all(|it| it == "MethodError") {
            continue;
        }
        let mut text = hierarchy.text();
        for (number, it) in methods.iter().enumerate() {
            text.push_str(&format!("f{} = {number}\n", it.signature.method_text()));
        }
        let values: Vec<String> = arguments.iter().map(|it| chosen(&it.0, it.1, &hierarchy)).collect();
        text.push_str(&format!("entry(k::Int) = f({})\n", values.join(", ")));
        return Judged { text, form: Form::Entry(CALLS), expected: outcomes.join(" ") };
    }
}
