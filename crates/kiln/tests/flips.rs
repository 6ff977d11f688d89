//! MISSION N7: every option of the compiler is in the keys of the results it changes. Each is flipped, for every unit of several
//! kernels, and whatever has one key must be one result, bit for bit.
//!
//! Options are taken apart without `..`: one that is added does not compile here until it is flipped, or the reason is
//! given why it cannot be.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::internals::SessionInternals as _;
use kiln::{Session, SessionOptions};
use kiln_codegen_client::{Codegen, RoundTrip as _};
use kiln_compile::{Mutant, UnitKeys};
use kiln_infer::InferenceParams;
use kiln_runtime::eval::toplevel;
use kiln_targets::TargetFacts;
use kiln_unit::{
    CodegenOptions, CodegenRequest, CompiledUnit, Emitted, EntryKind, FunctionRequest, Mistake, Refusal,
    RuntimeRole, Traits,
};
use std::collections::BTreeMap;

const KERNELS: &str = "
using CUDA

function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        y[i] = muladd(a, x[i], y[i])
    end
    return
end

function turned!(y)
    tile = CuStaticSharedArray(Int, 32)
    t = threadIdx().x
    tile[t] = y[t]
    sync_threads()
    y[t] = tile[33 - t]
    return
end

@noinline checked(x, n) = n == 0 ? throw(DivideError()) : div(x, n)
@noinline even(n) = n == 0 ? true : odd(n - 1)
@noinline odd(n) = n == 0 ? false : even(n - 1)
function calling!(y, n)
    t = threadIdx().x
    y[t] = even(t) ? checked(y[t], n) : t
    return
end

function summed!(y, x)
    s = zero(eltype(x))
    for i in 1:length(x)
        s += sqrt(x[i])
    end
    y[1] = s
    return
end
";

/// Functions and argument types.
const SIGNATURES: &[(&str, &str)] = &[
    ("saxpy!", "Tuple{CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1}}"),
    ("turned!", "Tuple{CuDeviceVector{Int64,1}}"),
    ("calling!", "Tuple{CuDeviceVector{Int64,1}, Int64}"),
    ("summed!", "Tuple{CuDeviceVector{Float64,1}, CuDeviceVector{Float64,1}}"),
];

/// A request, with the name of its flip.
struct Flip {
    what: String,
    request: CodegenRequest,
}

/// Every request that differs from `base` in one option.
fn flips(base: &CodegenRequest) -> Vec<Flip> {
    let CodegenRequest { target, options, entry, in_kernel, functions, runtime, title } = base;
    let mut all: Vec<Flip> = Vec::new();
    let mut add = |what: &str, request: CodegenRequest| {
        assert!(request != *base || what == "nothing", "{what} is no flip");
        all.push(Flip { what: what.to_owned(), request });
    };
    add("nothing", base.clone());
    add("title", CodegenRequest { title: format!("{title}, renamed"), ..base.clone() });
    add("in_kernel", CodegenRequest { in_kernel: !in_kernel, ..base.clone() });
    if let Some(external) = functions.iter().position(|it| it.external.is_some()) {
        for role in RuntimeRole::ALL {
            let runtime = [&runtime[..], &[(role, external as u32)]].concat();
            add(&format!("runtime {role:?}"), CodegenRequest { runtime, ..base.clone() });
        }
    }
    for other in [EntryKind::Function, EntryKind::Kernel, EntryKind::Body] {
        match other {
            EntryKind::Function | EntryKind::Kernel | EntryKind::Body => {}
        }
        if other != *entry {
            add(&format!("entry {other:?}"), CodegenRequest { entry: other, ..base.clone() });
        }
    }
    for (what, options) in option_flips(options) {
        add(&what, CodegenRequest { options, ..base.clone() });
    }
    for (what, facts) in fact_flips(&TargetFacts::from_bytes(target).unwrap()) {
        add(&what, CodegenRequest { target: facts.to_bytes(), ..base.clone() });
    }
    for (at, function) in functions.iter().enumerate() {
        for (what, function) in function_flips(function, functions.len()) {
            let mut functions = functions.clone();
            functions[at] = function;
            add(&format!("function {at}: {what}"), CodegenRequest { functions, ..base.clone() });
        }
    }
    all
}

fn option_flips(base: &CodegenOptions) -> Vec<(String, CodegenOptions)> {
    let CodegenOptions {
        opt_level,
        verify,
        keep_optimized,
        lines,
        debug_level,
        barrier_regions,
        group_size: _,
        vector_bits,
        checks: _,
        mistake: _,
        screens: _,
        lanes: _,
        lockstep,
        calls_launch,
    } = base.clone();
    let mut all = vec![
        ("verify".to_owned(), CodegenOptions { verify: !verify, ..base.clone() }),
        ("keep_optimized".to_owned(), CodegenOptions { keep_optimized: !keep_optimized, ..base.clone() }),
        ("lines".to_owned(), CodegenOptions { lines: !lines, ..base.clone() }),
        ("barrier_regions".to_owned(), CodegenOptions { barrier_regions: !barrier_regions, ..base.clone() }),
        ("group_size".to_owned(), CodegenOptions { group_size: Some([64, 2, 1]), ..base.clone() }),
        ("vector_bits".to_owned(), CodegenOptions { vector_bits: vector_bits + 128, ..base.clone() }),
        ("screens".to_owned(), CodegenOptions { screens: true, ..base.clone() }),
        ("lanes".to_owned(), CodegenOptions { lanes: 64, ..base.clone() }),
        ("lockstep".to_owned(), CodegenOptions { lockstep: !lockstep, ..base.clone() }),
        ("calls_launch".to_owned(), CodegenOptions { calls_launch: !calls_launch, ..base.clone() }),
        ("checks".to_owned(), CodegenOptions { checks: kiln_unit::Checks::ALL, ..base.clone() }),
        ("mistake".to_owned(), CodegenOptions { mistake: Some(Mistake::LostMask), ..base.clone() }),
        ("debug_level".to_owned(), CodegenOptions { debug_level: debug_level + 1, ..base.clone() }),
    ];
    for level in (0..=3).filter(|it| *it != opt_level) {
        all.push((format!("opt_level {level}"), CodegenOptions { opt_level: level, ..base.clone() }));
    }
    all
}

fn fact_flips(base: &TargetFacts) -> Vec<(String, TargetFacts)> {
    let TargetFacts {
        name,
        backend: _, // of another family: what it makes is another thing altogether
        triple,
        cpu,
        features,
        pointer_bytes,
        have_fma,
        can_throw,
        preferred_group_items,
        vector_bits: _,
        have_int128,
        have_float16,
        have_bfloat16,
        have_float32,
        have_float64,
        items: _, // goes with the back end
        spaces: _,
        lines: _,
        references: _,
        pointer_spaces: _, // of one kind of memory, none of them changes anything
        abilities: _,
        scopes: _,
        intrinsics: _,
        tables: _, // of devices
        limits: _, // of device links
        options: _,
        files: _,
        tools: _,
        library: _,
        loads: _,
        may_crash: _,
    } = base.clone();
    let with = |what: &str, change: &dyn Fn(&mut TargetFacts)| {
        let mut facts = base.clone();
        change(&mut facts);
        (what.to_owned(), facts)
    };
    let mut all = vec![
        with("triple", &|it| it.triple = triple.replace("unknown", "pc")),
        with("features", &|it| it.features = format!("{features}-sse4.2")),
        with("pointer_bytes", &|it| it.pointer_bytes = 12 - pointer_bytes),
        with("have_fma", &|it| it.have_fma = !have_fma),
        with("can_throw", &|it| it.can_throw = !can_throw),
        with("preferred_group_items", &|it| it.preferred_group_items = preferred_group_items / 2),
        with("have_int128", &|it| it.have_int128 = !have_int128),
        with("name", &|it| it.name = format!("{name}, so called")),
        with("have_float16", &|it| it.have_float16 = !have_float16),
        with("have_bfloat16", &|it| it.have_bfloat16 = !have_bfloat16),
        with("have_float32", &|it| it.have_float32 = !have_float32),
        with("have_float64", &|it| it.have_float64 = !have_float64),
    ];
    for level in ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"].into_iter().filter(|it| **it != cpu) {
        all.push(with(level, &|it| it.cpu = level.into()));
    }
    all
}

fn function_flips(base: &FunctionRequest, count: usize) -> Vec<(String, FunctionRequest)> {
    let FunctionRequest { ir: _, callees, external } = base; // bodies differ between kernels and views
    let mut all = Vec::new();
    if !callees.is_empty() {
        let callees = callees.iter().map(|it| (it + 1) % count as u32).collect();
        all.push(("calls others".to_owned(), FunctionRequest { callees, ..base.clone() }));
    }
    if let Some(traits) = external {
        for bit in 0..trait_count(*traits) {
            let traits = Traits::from_bits(traits.bits() ^ 1 << bit);
            let external = Some(traits);
            all.push((format!("{traits:?}"), FunctionRequest { external, ..base.clone() }));
        }
    }
    all
}

/// How many traits there are.
fn trait_count(traits: Traits) -> u32 {
    let Traits {
        may_fail: _,
        needs_state: _,
        writes: _,
        has_barrier: _,
        has_private: _,
        has_atomics: _,
        reports: _,
        has_loop: _,
        has_dynamic_shared: _,
        allocates: _,
        is_interpreted: _,
        launches: _,
        lanes: _,
    } = traits;
    13
}

/// Returns the parameters of inference, each changed once.
fn inference_flips() -> Vec<InferenceParams> {
    let base = InferenceParams { in_kernel: true, ..InferenceParams::default() };
    let InferenceParams { methods_max, split_max, eval_budget, have_fma, in_kernel, check_bounds } =
        base.clone();
    assert_eq!(check_bounds, kiln_ir::CheckBounds::Auto);
    vec![
        base.clone(),
        InferenceParams { methods_max: methods_max - 2, ..base.clone() },
        InferenceParams { split_max: split_max - 3, ..base.clone() },
        InferenceParams { eval_budget: eval_budget / 10_000, ..base.clone() },
        InferenceParams { have_fma: !have_fma, ..base.clone() },
        InferenceParams { in_kernel: !in_kernel, ..base.clone() },
        InferenceParams { check_bounds: kiln_ir::CheckBounds::Yes, ..base.clone() },
        InferenceParams { check_bounds: kiln_ir::CheckBounds::No, ..base },
    ]
}

/// The kept result of a request: the object with its link information, or why there is none.
type Outcome = Result<(Vec<u8>, kiln_unit::LinkInfo), Vec<Refusal>>;

/// Keys seen so far, each with the first flip that had it and its result.
#[derive(Default)]
struct Known {
    outcomes: BTreeMap<[u8; 32], (String, Outcome)>,
    /// Flips whose key was known.
    shared: Vec<String>,
}

impl Known {
    /// One key, one outcome.
    fn check(&mut self, key: &kiln::cache::Key, what: &str, outcome: &Outcome) {
        match self.outcomes.get(&key.id().0) {
            Some((first, known)) => {
                assert!(known == outcome, "`{first}` and `{what}`: the same key, another object");
                self.shared.push(what.to_owned());
            }
            None => drop(self.outcomes.insert(key.id().0, (what.to_owned(), outcome.clone()))),
        }
    }

    /// How many flips shared a key with something before them whose description ends like this.
    fn shared(&self, ending: &str) -> usize {
        self.shared.iter().filter(|it| it.ends_with(ending)).count()
    }
}

fn ask(codegen: &Codegen, request: &CodegenRequest) -> (Option<Emitted>, Outcome) {
    let mut emitted = None;
    let reply = codegen.request(request, &mut |it| {
        emitted = Some(it);
        false
    });
    let outcome = reply.unwrap().result.map(|it| {
        let CompiledUnit { object, link, optimized: _ } = it.expect("nothing is known");
        (object, link)
    });
    (emitted, outcome)
}

#[test]
fn whatever_has_one_key_is_one_object() {
    let session = Session::new(SessionOptions::default()).unwrap();
    session.run_text("kernels", KERNELS).unwrap();
    let (rt, env) = (session.runtime(), session.exec_env());
    let codegen = Codegen::open(None, false).unwrap();
    let (mut front, mut back) = (Known::default(), Known::default());
    let mut units = 0;
    for (name, types) in SIGNATURES {
        let f = toplevel::eval_string(rt, session.main(), name).unwrap();
        let tt = toplevel::eval_string(rt, session.main(), types).unwrap().as_type(rt.types.core()).unwrap();
        for (number, params) in inference_flips().into_iter().enumerate() {
            let Ok(requests) = kiln_inspect::unit_requests(&env, f, tt, &params) else { continue };
            for (at, base) in requests.iter().enumerate() {
                units += 1;
                // What inference was told is in the bodies: their other options need no second look.
                let all = flips(base).into_iter().take(if number == 0 { usize::MAX } else { 2 });
                for flip in all {
                    let facts = TargetFacts::from_bytes(&flip.request.target).unwrap();
                    let keys = UnitKeys::new("this one", &facts, None);
                    let what = format!("{name} with {params:?}, unit {at}, {}", flip.what);
                    let (emitted, outcome) = ask(&codegen, &flip.request);
                    front.check(&keys.front(name, &flip.request), &what, &outcome);
                    if let Some(emitted) = emitted {
                        back.check(&keys.back(name, &flip.request.options, &emitted), &what, &outcome);
                    }
                }
            }
        }
    }
    // It would prove nothing if everything had another key: what changes no object has the same.
    assert!(units >= 4 * SIGNATURES.len(), "{units}");
    assert_eq!(front.shared(" title"), units);
    for same in [" verify", " keep_optimized"] {
        assert!(front.shared(same) > SIGNATURES.len(), "{same}");
    }
    assert!(back.shared(" in_kernel") > 0, "who does not ask whether it is a kernel emits the same");
    // Nor if all options were without effect.
    let distinct = |known: &Known| {
        let objects = known.outcomes.values().filter_map(|it| it.1.as_ref().ok());
        objects.map(|it| &it.0).collect::<std::collections::BTreeSet<_>>().len()
    };
    assert!(distinct(&front) > 50, "{}", distinct(&front));
}

/// A compiler that is broken for a test has keys of its own, and so has every code generator.
#[test]
fn what_makes_the_code_is_in_every_key() {
    use kiln_ir::Intrinsic::{AddInt, SubInt};
    let facts = kiln_targets::lookup("native").unwrap();
    let options = CodegenOptions::default();
    let function = FunctionRequest { ir: vec![1], callees: Vec::new(), external: None };
    let request = CodegenRequest {
        target: facts.to_bytes(),
        options: options.clone(),
        entry: EntryKind::Kernel,
        in_kernel: true,
        functions: vec![function],
        runtime: Vec::new(),
        title: String::new(),
    };
    let makers = [
        ("a", None),
        ("b", None),
        ("a", Some(Mutant::Intrinsic(AddInt, SubInt))),
        ("a", Some(Mutant::Intrinsic(SubInt, AddInt))),
        ("a", Some(Mutant::Unchecked)),
    ];
    let ids = makers.map(|(codegen, mutant)| {
        let keys = UnitKeys::new(codegen, &facts, mutant);
        let emitted = Emitted::default();
        let (front, back) = (keys.front("f", &request), keys.back("f", &options, &emitted));
        [front.id(), back.id(), keys.stages("f", &options, &emitted.hash()).id()]
    });
    let all: std::collections::BTreeSet<_> = ids.iter().flatten().collect();
    assert_eq!(all.len(), 3 * makers.len());
}
