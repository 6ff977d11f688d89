//! Counts and times of a session.

use crate::trace::nanos;
use kiln_cache::Miss;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Counts, added to from any thread.
        #[derive(Debug, Default)]
        pub struct Counts { $($(#[$doc])* pub $name: AtomicU64),* }

        /// `Counts` at one moment. Times are nanoseconds.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Timings { $($(#[$doc])* pub $name: u64),* }

        impl Counts {
            /// The counts now.
            pub fn now(&self) -> Timings {
                Timings { $($name: self.$name.load(Ordering::Relaxed)),* }
            }
        }

        impl Timings {
            /// Returns the difference to `before`.
            #[must_use]
            pub fn since(&self, before: &Timings) -> Timings {
                Timings { $($name: self.$name.saturating_sub(before.$name)),* }
            }
            /// Both together.
            #[must_use]
            pub fn and(&self, other: &Timings) -> Timings {
                Timings { $($name: self.$name + other.$name),* }
            }
        }
    };
}

counters! {
    /// Launches.
    kernels_launched,
    /// Launches of checked kernels that were screened, and needed no checks.
    launches_screened,
    /// Launches that the screen suspected, so that they were made again with all checks.
    launches_suspected,
    /// Kernels compiled.
    kernels_compiled,
    /// Kernels compiled for devices that an image is built for, each as often as there are such.
    kernels_ahead,
    /// Jobs that did not compile.
    kernels_refused,
    /// Kernels interpreted: there is no way to, so always 0.
    kernels_interpreted,
    /// Host functions compiled because they ran often.
    host_compiled,
    /// Host functions that ran often and can only be interpreted.
    host_refused,
    /// Files and texts parsed.
    parses,
    /// Macro calls expanded.
    expansions,
    /// Top-level expressions and generated bodies lowered.
    lowerings,
    /// Lowered code taken over from other sessions.
    lowered_found,
    /// Bodies inferred.
    inferences,
    /// Runs of LLVM's back end.
    compiles,
    /// Of those, device links. The others emitted units.
    device_links,
    /// Typed code taken over from other sessions.
    typed_found,
    /// Typed code looked for in vain.
    typed_absent,
    /// Typed code found in the store with a changed dependency.
    typed_stale,
    /// Typed code that means nothing in another session.
    typed_uncacheable,
    /// Units that this session had made.
    memory_hits,
    /// Units found in an image.
    image_hits,
    /// Units found in the store by codegen's input.
    front_hits,
    /// Units found in the store by codegen's output.
    back_hits,
    /// Units looked for in the store in vain.
    misses,
    /// Lookups by codegen's input that found nothing: nothing was stored.
    missed_absent,
    /// The mode of the store forbids hits.
    missed_mode,
    /// Lookups for evicted entries.
    missed_evicted,
    /// Lookups for damaged or mismatched entries.
    missed_damaged,
    /// Lookups for unreadable entries.
    missed_unreadable,
    /// Units that hold process-local data, and are not stored.
    uncacheable,
    /// Units found and compiled again, to compare.
    verified,
    /// Of those, the ones that came out otherwise.
    mismatches,
    /// The compile time of the units found, less the time it took to look.
    saved_ns,
    /// Entries that a shared cache gave.
    remote_hits,
    /// Entries that a shared cache did not have.
    remote_misses,
    /// Entries of a shared cache that were not used: damaged, or without a trusted signature.
    remote_rejected,
    /// Bytes of the entries that a shared cache gave.
    remote_bytes,
    /// Results handed over to be sent to a shared cache.
    remote_offered,
    /// Lookups that waited for a shared cache.
    remote_ns,
    /// Loading the standard library.
    base_ns,
    /// Parsing.
    parse_ns,
    /// Lowering.
    lower_ns,
    /// Inference, optimization included.
    infer_ns,
    /// Optimization.
    optimize_ns,
    /// Opening the code generator.
    open_ns,
    /// Code generation, LLVM included.
    codegen_ns,
    /// Code generation and storing in the background, while the program went on.
    background_ns,
    /// Of code generation, reading requests.
    read_ns,
    /// Of that, making LLVM's IR.
    emit_ns,
    /// Of that, writing modules down to be kept.
    keep_ns,
    /// Of that, searching the store for codegen's output.
    ask_ns,
    /// Of that, LLVM's passes.
    passes_ns,
    /// Of that, making objects, or the device's form.
    machine_ns,
    /// Units of host code whose code is generated when they are first called.
    units_late,
    /// Units of host code placed in memory.
    units_placed,
    /// Slots between them that were given another target.
    slots_changed,
    /// Linking: in this process for the processor, for a device as a part of code generation.
    link_ns,
    /// Bytes of arrays that were copied to devices.
    bytes_to_devices,
    /// Bytes of arrays that were copied from devices.
    bytes_from_devices,
    /// Running kernels, as far as they were waited for.
    launch_ns,
    /// The fastest run of a kernel.
    launch_min_ns,
    /// Interpreting, without what interpreted code has compiled, launched or called that is compiled or a host function, and without
    /// the search for methods; if it was asked for.
    interpreted_ns,
    /// Collections of garbage.
    collections,
    /// Pauses for parts of collections.
    pauses,
    /// All pauses together.
    pause_total_ns,
    /// The time that half of the pauses do not exceed.
    pause_median_ns,
    /// The time that 99 of 100 pauses do not exceed.
    pause_most_ns,
    /// The longest pause.
    pause_max_ns,
    /// Everything, from the start of the session.
    total_ns,
}

/// Adds the time that something took to `counter` and keeps the least in `min`.
pub fn add_min(counter: &AtomicU64, min: &AtomicU64, took: Duration) {
    let nanos = nanos(took).max(1);
    counter.fetch_add(nanos, Ordering::Relaxed);
    let least = min.load(Ordering::Relaxed);
    if least == 0 || nanos < least {
        min.store(nanos, Ordering::Relaxed); // a lost race costs a sample, nothing else
    }
}

/// Adds one.
pub fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// The counter of lookups that miss for this reason.
pub fn missed(counters: &Counts, why: Miss) -> &AtomicU64 {
    match why {
        Miss::Absent => &counters.missed_absent,
        Miss::Mode => &counters.missed_mode,
        Miss::Evicted => &counters.missed_evicted,
        Miss::Truncated | Miss::Corrupt => &counters.missed_damaged,
        Miss::Foreign | Miss::Io => &counters.missed_unreadable,
    }
}

/// The cost of compiling one kernel or host function, with all it calls.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The method's name.
    pub name: String,
    /// A kernel, not a host function.
    pub is_kernel: bool,
    /// From a call graph to running code, without opening the code generator.
    pub nanos: u64,
    /// Where it went.
    pub spent: Timings,
}

impl Compilation {
    fn to_json(&self) -> String {
        let mut out = format!("\"compile\":{:.9}", self.nanos as f64 * 1e-9);
        for (name, nanos) in self.spent.compile_stages() {
            let _ = write!(out, ",\"{name}\":{:.9}", nanos as f64 * 1e-9);
        }
        let _ = write!(out, ",\"compiles\":{},{}", self.spent.compiles, self.spent.found_to_json());
        out
    }
}

/// Kernels one by one, host functions together.
fn compilations_to_json(all: &[Compilation]) -> String {
    let kernels: Vec<String> = all
        .iter()
        .filter(|it| it.is_kernel)
        .map(|it| format!("{{\"name\":{:?},{}}}", it.name, it.to_json()))
        .collect();
    let mut host = Compilation { name: String::new(), is_kernel: false, nanos: 0, spent: Timings::default() };
    for it in all.iter().filter(|it| !it.is_kernel) {
        host.nanos += it.nanos;
        host.spent = host.spent.and(&it.spent);
    }
    format!("\"kernels\":[{}],\"host\":{{{}}}", kernels.join(","), host.to_json())
}

impl Timings {
    fn compile_stages(&self) -> [(&'static str, u64); 10] {
        [
            ("infer", self.infer_ns),
            ("optimize", self.optimize_ns),
            ("codegen", self.codegen_ns),
            ("read", self.read_ns),
            ("emit", self.emit_ns),
            ("keep", self.keep_ns),
            ("ask", self.ask_ns),
            ("passes", self.passes_ns),
            ("machine", self.machine_ns),
            ("link", self.link_ns),
        ]
    }

    fn counts(&self) -> [(&'static str, u64); 31] {
        [
            ("kernels_launched", self.kernels_launched),
            ("kernels_compiled", self.kernels_compiled),
            ("kernels_interpreted", self.kernels_interpreted),
            ("host_compiled", self.host_compiled),
            ("host_refused", self.host_refused),
            ("parses", self.parses),
            ("expansions", self.expansions),
            ("lowerings", self.lowerings),
            ("lowered_found", self.lowered_found),
            ("inferences", self.inferences),
            ("typed_found", self.typed_found),
            ("typed_absent", self.typed_absent),
            ("typed_stale", self.typed_stale),
            ("compiles", self.compiles),
            ("device_links", self.device_links),
            ("units_late", self.units_late),
            ("units_placed", self.units_placed),
            ("slots_changed", self.slots_changed),
            ("hits", self.image_hits + self.front_hits + self.back_hits),
            ("misses", self.misses),
            ("remote_hits", self.remote_hits),
            ("remote_misses", self.remote_misses),
            ("remote_rejected", self.remote_rejected),
            ("remote_bytes", self.remote_bytes),
            ("remote_offered", self.remote_offered),
            ("launches_screened", self.launches_screened),
            ("launches_suspected", self.launches_suspected),
            ("bytes_to_devices", self.bytes_to_devices),
            ("bytes_from_devices", self.bytes_from_devices),
            ("collections", self.collections),
            ("pauses", self.pauses),
        ]
    }

    /// Returns the work saved, by where results were found: typed code that was not inferred, and units that were not compiled, the
    /// nearest first.
    fn levels(&self) -> [(&'static str, u64); 5] {
        [
            ("typed", self.typed_found),
            ("memory", self.memory_hits),
            ("image", self.image_hits),
            ("store_front", self.front_hits),
            ("store_back", self.back_hits),
        ]
    }

    /// Returns the lookups by codegen's input that found nothing, by cause.
    fn causes(&self) -> [(&'static str, u64); 5] {
        [
            ("absent", self.missed_absent),
            ("mode", self.missed_mode),
            ("evicted", self.missed_evicted),
            ("damaged", self.missed_damaged),
            ("unreadable", self.missed_unreadable),
        ]
    }

    /// Stage and nanoseconds, in the order work flows.
    pub fn stages(&self) -> [(&'static str, u64); 18] {
        [
            ("base", self.base_ns),
            ("parse", self.parse_ns),
            ("lower", self.lower_ns),
            ("infer", self.infer_ns),
            ("optimize", self.optimize_ns),
            ("open", self.open_ns),
            ("codegen", self.codegen_ns),
            ("background", self.background_ns),
            ("remote", self.remote_ns),
            ("link", self.link_ns),
            ("launch", self.launch_ns),
            ("launch_min", self.launch_min_ns),
            ("interpreted", self.interpreted_ns),
            ("collecting", self.pause_total_ns),
            ("pause_median", self.pause_median_ns),
            ("pause_99_of_100", self.pause_most_ns),
            ("pause_longest", self.pause_max_ns),
            ("total", self.total_ns),
        ]
    }

    /// Hits by level and misses by cause, as members of an object.
    fn found_to_json(&self) -> String {
        let members = |all: &[(&str, u64)]| {
            let all: Vec<String> = all.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            all.join(",")
        };
        let (levels, causes) = (members(&self.levels()), members(&self.causes()));
        format!("\"hits_by_level\":{{{levels}}},\"misses_by_cause\":{{{causes}}}")
    }

    /// Returns one JSON object: counts, seconds by stage, and seconds by compilation.
    pub fn to_json(&self, compilations: &[Compilation]) -> String {
        let mut out = String::from("{");
        for (name, value) in self.counts() {
            let _ = write!(out, "\"{name}\":{value},");
        }
        let counts =
            [("uncacheable", self.uncacheable), ("verified", self.verified), ("mismatches", self.mismatches)];
        for (name, value) in counts {
            let _ = write!(out, "\"{name}\":{value},");
        }
        let _ = write!(out, "{},", self.found_to_json());
        let _ = write!(out, "\"seconds_saved\":{:.9},", self.saved_ns as f64 * 1e-9);
        out.push_str("\"seconds\":{");
        for (at, (name, nanos)) in self.stages().into_iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let _ = write!(out, "{comma}\"{name}\":{:.9}", nanos as f64 * 1e-9);
        }
        out.push_str("},");
        out.push_str(&compilations_to_json(compilations));
        out.push('}');
        out
    }

    /// A table for people.
    pub fn to_text(&self, compilations: &[Compilation]) -> String {
        let mut out = String::new();
        for (name, value) in self.counts() {
            let _ = writeln!(out, "{name:>20} {value:>12}");
        }
        for (name, value) in self.levels() {
            let _ = writeln!(out, "{:>20} {value:>12}", format!("hits {name}"));
        }
        for (name, value) in self.causes().into_iter().filter(|it| it.1 > 0) {
            let _ = writeln!(out, "{:>20} {value:>12}", format!("misses {name}"));
        }
        for (name, nanos) in std::iter::once(("saved", self.saved_ns)).chain(self.stages()) {
            let _ = writeln!(out, "{name:>20} {:>12.3} ms", nanos as f64 * 1e-6);
        }
        for it in compilations {
            let kind = if it.is_kernel { "kernel" } else { "host function" };
            let _ = write!(out, "{:>20} {:>12.3} ms  {kind}:", it.name, it.nanos as f64 * 1e-6);
            for (name, nanos) in it.spent.compile_stages() {
                let _ = write!(out, " {name} {:.3}", nanos as f64 * 1e-6);
            }
            let found = it.spent.levels().into_iter().chain([("compiled", it.spent.compiles)]);
            for (name, units) in found.filter(|it| it.1 > 0) {
                let _ = write!(out, ", {units} {name}");
            }
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_counts_at_the_top_and_seconds_below() {
        let timings = Timings { compiles: 3, link_ns: 1_500_000_000, ..Timings::default() };
        let spent = Timings { passes_ns: 2_000_000, ..Timings::default() };
        let saxpy = Compilation { name: "saxpy!".into(), is_kernel: true, nanos: 5_000_000, spent };
        let hot = |nanos| Compilation { name: "f".into(), is_kernel: false, nanos, spent };
        let json = timings.to_json(&[hot(1), saxpy, hot(2)]);
        assert!(json.starts_with("{\"kernels_launched\":0,"));
        assert!(json.contains("\"compiles\":3,"));
        assert!(json.contains("\"link\":1.500000000,"));
        assert!(json.contains("\"kernels\":[{\"name\":\"saxpy!\",\"compile\":0.005000000,\"infer\":"));
        assert!(json.contains("\"host\":{\"compile\":0.000000003,"));
        assert!(json.ends_with("}}"));
    }
}
