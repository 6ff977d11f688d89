//! `--timings=trace`: the work of each thread, in the format of Perfetto and Chrome.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;
use std::collections::BTreeMap;

const PROGRAM: &str = "\
using CUDA

@noinline scaled(x) = 3 * x
function first!(y)
    y[threadIdx().x] = scaled(threadIdx().x)
    return
end
function second!(y)
    y[threadIdx().x] += 1
    return
end

y = CUDA.zeros(Int, 4)
@cuda threads=4 first!(y)
@cuda threads=4 second!(y)
println(Array(y))
";

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
enum Json {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// Reads a value strictly; panics where the text is not JSON.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn whole(text: &str) -> Json {
        let mut reader = Reader { rest: text };
        let value = reader.value();
        assert_eq!(reader.rest.trim(), "", "after the value");
        value
    }

    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn items(&mut self, end: &str, mut item: impl FnMut(&mut Self)) {
        if self.take(end) {
            return;
        }
        loop {
            item(self);
            if self.take(end) {
                return;
            }
            assert!(self.take(","), "{:.40}", self.rest);
        }
    }

    fn value(&mut self) -> Json {
        for (word, value) in [("null", Json::Null), ("true", Json::Flag(true)), ("false", Json::Flag(false))]
        {
            if self.take(word) {
                return value;
            }
        }
        if self.take("[") {
            let mut all = Vec::new();
            self.items("]", |it| all.push(it.value()));
            return Json::List(all);
        }
        if self.take("{") {
            let mut all = BTreeMap::new();
            self.items("}", |it| {
                let name = it.text();
                assert!(it.take(":"));
                let value = it.value();
                assert_eq!(all.insert(name, value), None, "a name twice");
            });
            return Json::Object(all);
        }
        if self.rest.starts_with('"') {
            return Json::Text(self.text());
        }
        let len = self.rest.find(|it: char| !"+-.eE0123456789".contains(it)).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(len);
        self.rest = rest;
        Json::Number(number.parse().unwrap())
    }

    fn text(&mut self) -> String {
        assert!(self.take("\""), "{:.40}", self.rest);
        let mut out = String::new();
        loop {
            let it = self.rest.chars().next().unwrap();
            self.rest = &self.rest[it.len_utf8()..];
            match it {
                '"' => return out,
                '\\' => {
                    let (escape, rest) = self.rest.split_at(1);
                    self.rest = rest;
                    out.push(match escape {
                        "n" => '\n',
                        "u" => {
                            let (hex, rest) = self.rest.split_at(4);
                            self.rest = rest;
                            char::from_u32(u32::from_str_radix(hex, 16).unwrap()).unwrap()
                        }
                        other => other.chars().next().filter(|it| "\"\\/".contains(*it)).unwrap(),
                    });
                }
                it => {
                    assert!(it >= ' ', "a control character in a text");
                    out.push(it);
                }
            }
        }
    }
}

impl Json {
    fn field(&self, name: &str) -> &Json {
        let Json::Object(all) = self else { panic!("{self:?}") };
        all.get(name).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    fn as_text(&self) -> &str {
        let Json::Text(text) = self else { panic!("{self:?}") };
        text
    }

    fn as_number(&self) -> f64 {
        let Json::Number(number) = self else { panic!("{self:?}") };
        *number
    }
}

/// A complete event.
#[derive(Debug)]
struct Event {
    name: String,
    about: String,
    thread: f64,
    start: f64,
    end: f64,
}

impl Event {
    fn contains(&self, other: &Event) -> bool {
        // Both are rounded.
        let slack = 0.002;
        self.thread == other.thread && self.start <= other.start + slack && other.end <= self.end + slack
    }
}

/// The events of a trace, each checked to be one.
fn events(text: &str) -> Vec<Event> {
    let trace = Reader::whole(text);
    let Json::List(all) = trace.field("traceEvents") else { panic!("{text}") };
    let mut named = Vec::new();
    let mut events = Vec::new();
    for it in all {
        let (name, thread) = (it.field("name").as_text().to_owned(), it.field("tid").as_number());
        assert_eq!(it.field("pid").as_number(), 1.0);
        match it.field("ph").as_text() {
            "M" => {
                assert_eq!(name, "thread_name");
                named.push((thread, it.field("args").field("name").as_text().to_owned()));
            }
            "X" => {
                let (start, nanos) = (it.field("ts").as_number(), it.field("dur").as_number());
                assert!(start >= 0.0 && nanos > 0.0);
                let Json::Object(fields) = it else { unreachable!("has fields") };
                let about = fields.get("args").map_or("", |it| it.field("of").as_text()).to_owned();
                events.push(Event { name, about, thread, start, end: start + nanos });
            }
            other => panic!("{other}"),
        }
    }
    assert!(events.iter().all(|it| named.iter().any(|thread| thread.0 == it.thread)), "{named:?}");
    assert_eq!(named[0].1, "main");
    events
}

/// The trace of a run with a cache.
fn traced(project: &Project) -> Vec<Event> {
    std::fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    let output = project.kiln("rw", &["run", "--timings=trace=trace.json", "program.jl"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "[4, 7, 10, 13]\n");
    events(&std::fs::read_to_string(project.dir.join("trace.json")).unwrap())
}

fn within<'a>(events: &'a [Event], outer: &Event, name: &str) -> Vec<&'a Event> {
    events.iter().filter(|it| it.name == name && outer.contains(it)).collect()
}

fn kernel<'a>(events: &'a [Event], name: &str) -> &'a Event {
    events.iter().find(|it| it.name == "kernel" && it.about.starts_with(name)).unwrap()
}

/// MISSION X3: a kernel and its stages, each within its parent; a second process has no stages of code generation.
#[test]
fn a_trace_has_kernels_and_their_stages() {
    let project = Project::new("stages");
    let events = traced(&project);
    for (at, one) in events.iter().enumerate() {
        for other in events[at + 1..].iter().filter(|it| it.thread == one.thread) {
            let apart = one.end <= other.start + 0.002 || other.end <= one.start + 0.002;
            assert!(apart || one.contains(other) || other.contains(one), "{one:?} and {other:?} overlap");
        }
    }
    let [first, second] = ["first!", "second!"].map(|it| kernel(&events, it));
    assert!(first.end <= second.start);
    for (kernel, units) in [(first, 2), (second, 1)] {
        assert_eq!(within(&events, kernel, "infer").len(), 1);
        let generated = within(&events, kernel, "codegen");
        assert_eq!(generated.len(), units, "{kernel:?}");
        for unit in generated {
            for stage in ["read", "emit", "passes", "machine"] {
                assert_eq!(within(&events, unit, stage).len(), 1, "{stage} of {unit:?}");
            }
        }
        assert_eq!(within(&events, kernel, "link").len(), 1);
    }
    let run = events.iter().find(|it| it.name == "run").unwrap();
    let launched: Vec<&str> = within(&events, run, "launch").iter().map(|it| &*it.about).collect();
    assert_eq!(launched, ["first!", "second!"]);
    let again = traced(&project);
    assert_eq!(within(&again, kernel(&again, "first!"), "find").len(), 2);
    assert!(!again.iter().any(|it| ["codegen", "passes", "open"].contains(&&*it.name)), "{again:?}");
}

/// Without a file the trace is on standard error; one that cannot be written is an error, and so is another format.
#[test]
fn a_trace_goes_where_it_is_told() {
    let project = Project::new("where");
    std::fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    let output = project.kiln("off", &["run", "--timings=trace", "program.jl"]);
    assert!(output.status.success());
    assert!(events(&String::from_utf8(output.stderr).unwrap()).len() > 10);
    let output = project.kiln("off", &["run", "--timings=trace=no/such/place", "program.jl"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("error: the trace cannot be written to no/such/place: "), "{said}");
    let output = project.kiln("off", &["run", "--timings=xml", "program.jl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("text, json, trace or trace=FILE"));
}

/// MISSION X3: cache hits, by level: typed code beside units; both reports say it, and the JSON is JSON.
#[test]
fn timings_show_every_level() {
    let project = Project::new("levels");
    std::fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    let levels = || {
        let output = project.kiln("rw", &["run", "--timings=json", "program.jl"]);
        let timings = Reader::whole(&String::from_utf8(output.stderr).unwrap());
        let Json::List(kernels) = timings.field("kernels").clone() else { panic!("{timings:?}") };
        let count = |it: &Json, level: &str| it.field("hits_by_level").field(level).as_number();
        let each = kernels.iter().map(|it| [count(it, "typed"), count(it, "store_front")]);
        ([count(&timings, "typed"), count(&timings, "store_front")], each.collect::<Vec<_>>())
    };
    assert_eq!(levels().0, [0.0, 0.0]);
    let (all, each) = levels();
    assert_eq!(all, [4.0, 3.0], "first!, scaled, second!, and what throws errors of bounds");
    assert_eq!(each, [[3.0, 2.0], [1.0, 1.0]]);
    let output = project.kiln("rw", &["run", "--timings", "program.jl"]);
    let text = String::from_utf8(output.stderr).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.windows(3).any(|it| it == ["hits", "typed", "4"]), "{text}");
    assert!(text.contains(", 3 typed, 2 store_front\n"), "{text}");
}

/// MISSION X3: `kiln compile` says where its time went, too; the stages of making an artifact for a device are among them.
#[test]
fn compiling_for_devices_is_timed_by_stage() {
    let project = Project::new("device-stages");
    let program = "store!(p, x) = (unsafe_store!(p, x); return)\n";
    std::fs::write(project.dir.join("program.jl"), program).unwrap();
    let args = ["compile", "--timings=json", "--json", "-t", "sm_90,spirv64", "program.jl"];
    let output = project.kiln("off", &[&args[..], &["store!(Ptr{Float32}, Float32)"]].concat());
    let timings = Reader::whole(&String::from_utf8(output.stderr).unwrap());
    let Json::List(kernels) = timings.field("kernels").clone() else { panic!("{timings:?}") };
    assert_eq!(kernels.len(), 2, "one a target");
    for kernel in &kernels {
        let took = |stage: &str| kernel.field(stage).as_number();
        let stages = ["infer", "read", "emit", "link", "passes", "machine"];
        assert!(stages.iter().all(|it| took(it) > 0.0), "{kernel:?}");
        assert!(stages.iter().map(|it| took(it)).sum::<f64>() <= took("compile"), "{kernel:?}");
    }
}
