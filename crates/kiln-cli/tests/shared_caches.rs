//! Caches shared over a network: two machines and one server, and servers that fail and lie.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "shared_caches/foreign.rs"]
mod foreign;
mod project;
#[path = "shared_caches/server.rs"]
mod server;

use project::{Project, TWO_KERNELS as PROGRAM, TWO_PRINTED as PRINTED};
use server::{Behaviour, Server};
use std::fs;
use std::process::{Command, Output};

const SAID: &str = "is not asked any more by this run";

/// A run's output and counts.
#[derive(Debug)]
struct Ran {
    printed: String,
    said: String,
}

impl Ran {
    fn total(&self, name: &str) -> u64 {
        project::total(&self.said, name)
    }

    fn totals<const N: usize>(&self, names: [&str; N]) -> [u64; N] {
        names.map(|it| self.total(it))
    }
}

/// A machine whose shared cache is at `address`; it waits for as long as a busy machine needs.
fn command(project: &Project, address: &str, args: &[&str]) -> Command {
    fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    let mut command = project.command("rw", args);
    command.env("KILN_CACHE_REMOTE", address).env("KILN_CACHE_REMOTE_WAIT", "60000");
    command
}

fn ran(output: Output) -> Ran {
    let text = |it: Vec<u8>| String::from_utf8(it).unwrap();
    assert!(output.status.success(), "{}", text(output.stderr));
    Ran { printed: text(output.stdout), said: text(output.stderr) }
}

fn run(project: &Project, address: &str) -> Ran {
    ran(command(project, address, &["run", "--timings=json", "program.jl"]).output().unwrap())
}

/// Fills a server by a machine with an empty store; returns the number of entries, of which one is the manifest.
fn fill(server: &Server, machine: &Project) -> u64 {
    let made = run(machine, &server.address("rw"));
    assert_eq!(made.printed, PRINTED);
    assert_eq!(made.totals(["compiles", "remote_hits", "remote_rejected"]), [3, 0, 0], "{made:?}");
    let offered = made.total("remote_offered");
    assert!(offered >= 7, "units by both keys, stages, typed code: {offered}");
    server.wait_for(offered + 1);
    offered + 1
}

/// MISSION N14: two machines with empty stores and one server: the second compiles and infers nothing, also when the first is
/// gone; and the third time its own store has everything.
#[test]
fn a_second_machine_compiles_nothing() {
    let server = Server::start();
    let (first, second, third) = (Project::new("first"), Project::new("second"), Project::new("third"));
    fill(&server, &first);
    assert!(server.files("/cas/") >= 1, "the pack of the manifest");
    fs::remove_dir_all(&first.dir).unwrap();
    let found = run(&second, &server.address("ro"));
    let counts = ["compiles", "inferences", "misses", "remote_rejected", "remote_offered"];
    assert_eq!((&*found.printed, found.totals(counts)), (PRINTED, [0; 5]), "{found:?}");
    assert!(found.total("remote_hits") >= 4 && found.total("remote_bytes") > 1000, "{found:?}");
    server.behave(Behaviour::Right);
    let again = run(&second, &server.address("rw"));
    assert_eq!((&*again.printed, again.totals(["compiles", "remote_hits"])), (PRINTED, [0, 0]));
    assert_eq!(again.totals(["remote_misses", "remote_offered"]), [0, 0], "nothing is asked or sent");
    assert_eq!(server.requests(""), 0);
    // A machine that only writes asks for nothing.
    let wrote = run(&third, &server.address("wo"));
    assert_eq!(wrote.totals(["compiles", "remote_hits", "remote_misses"]), [3, 0, 0]);
    assert_eq!(server.requests("GET"), 0);
    let stats = second.kiln("rw", &["cache", "--json", "stats"]);
    let stats = String::from_utf8(stats.stdout).unwrap();
    let hits = format!("\"remote_hits\":{},\"remote_misses\":0", found.total("remote_hits"));
    assert!(stats.contains(&hits) && stats.contains("\"remote_rejected\":0"), "{stats}");
}

/// MISSION N14: what a program used is fetched together: the manifest and its pack are enough for a machine to compile nothing.
#[test]
fn a_manifest_is_enough() {
    let server = Server::start();
    let (first, second) = (Project::new("manifest-first"), Project::new("manifest-second"));
    let named = |project: &Project, mode| {
        let mut command = command(project, &server.address(mode), &["run", "--timings=json", "program.jl"]);
        ran(command.env("KILN_CACHE_MANIFEST", "ours").output().unwrap())
    };
    let unnamed = command(&first, &server.address("rw"), &["run", "--timings=json", "program.jl"]).output();
    let offered = ran(unnamed.unwrap()).total("remote_offered");
    server.wait_for(offered + 1);
    let entries = server.paths("/ac/");
    // Entries by their own keys are lost: what is found comes from the pack.
    fs::remove_dir_all(first.dir.join("cache")).unwrap();
    assert_eq!(named(&first, "wo").total("remote_offered"), offered);
    server.wait_for(offered + 2);
    server.lose(|path| entries.iter().any(|it| it == path));
    assert_eq!(server.files("/ac/"), 1, "the manifest");
    server.behave(Behaviour::Right);
    let found = named(&second, "ro");
    assert_eq!((&*found.printed, found.totals(["compiles", "inferences"])), (PRINTED, [0, 0]), "{found:?}");
    assert_eq!(server.requests("GET /cas/"), 1);
}

/// MISSION N14: whatever a server does, the program's output is that of a run without it; after the first failure it is asked
/// no more, which is said once; and nothing wrong is in the store afterwards.
#[test]
fn a_failing_server_costs_little_and_breaks_nothing() {
    let server = Server::start();
    fill(&server, &Project::new("faults-filled"));
    // The first failure, and requests that were under way: the manifest and the first entry.
    let failures = [
        Behaviour::Closes,
        Behaviour::Garbage,
        Behaviour::Status(500),
        Behaviour::Status(302),
        Behaviour::Status(401),
        Behaviour::Truncated,
        Behaviour::Endless,
        Behaviour::EndlessChunks,
        Behaviour::HugeLength,
        Behaviour::HugeHeader,
    ];
    for behaviour in failures {
        let asked = checked_run(&server, behaviour, "rw", "60000");
        assert!(asked.said.matches(SAID).count() == 1, "{behaviour:?}: {}", asked.said);
        assert_eq!(asked.total("remote_hits"), 0);
        assert!(server.requests("GET") <= 5, "{behaviour:?}: {} requests", server.requests("GET"));
        assert_eq!(server.requests("PUT"), 0, "{behaviour:?}: nothing is sent to a server that fails");
    }
    // Servers that are too slow: the first lookup takes the whole budget.
    for behaviour in [Behaviour::Silent, Behaviour::Drips] {
        let asked = checked_run(&server, behaviour, "rw", "40");
        assert!(asked.said.contains("lookups have waited for 40 ms"), "{behaviour:?}: {}", asked.said);
        assert_eq!((asked.said.matches(SAID).count(), asked.total("remote_hits")), (1, 0));
        assert!(server.requests("GET") <= 5, "{behaviour:?}: {} requests", server.requests("GET"));
    }
}

/// MISSION N14: entries that are not what they should be are not used, one by one, and are counted.
#[test]
fn a_lying_server_is_not_believed() {
    let server = Server::start();
    fill(&server, &Project::new("lies-filled"));
    for behaviour in [Behaviour::Empty, Behaviour::FlippedBit, Behaviour::Longer, Behaviour::Swapped] {
        let asked = checked_run(&server, behaviour, "ro", "60000");
        assert_eq!(asked.total("remote_hits"), 0, "{behaviour:?}");
        assert!(asked.total("remote_rejected") >= 3, "{behaviour:?}: {}", asked.said);
        assert!(!asked.said.contains(SAID), "{behaviour:?}: {}", asked.said);
    }
    // A server that has lost files gives the entries that are whole without them.
    let asked = checked_run(&server, Behaviour::LosesContents, "ro", "60000");
    assert_eq!(asked.total("remote_rejected"), 0);
    // A server that is full: lookups work, and what is refused is only not there.
    server.lose(|_| true);
    for status in [507, 413] {
        let asked = checked_run(&server, Behaviour::RefusesPut(status), "rw", "60000");
        assert_eq!(asked.totals(["remote_hits", "remote_rejected"]), [0, 0]);
        assert_eq!((server.files(""), asked.total("compiles")), (0, 3));
    }
    // No server at all.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let asked = run(&Project::new("no-server"), &format!("http://{gone}?mode=rw"));
    assert_eq!((&*asked.printed, asked.said.matches(SAID).count()), (PRINTED, 1), "{}", asked.said);
}

/// MISSION N14: a relay that does not start, ends, says what is none, or does nothing is like a server that fails.
#[test]
fn a_failing_relay_breaks_nothing() {
    let server = Server::start();
    let machine = Project::new("relays");
    let script = |name: &str, text: &str| {
        let path = machine.dir.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path
    };
    let relays = [
        (machine.dir.join("missing"), "60000", "does not start"),
        (script("ends", "exit 0"), "60000", "its relay"),
        (
            script("lies", "printf 'no frames at all, but bytes'; exec sleep 2"),
            "60000",
            "its relay has ended",
        ),
        (script("stays", "exec sleep 2"), "40", "lookups have waited for 40 ms"),
    ];
    for (relay, wait, why) in relays {
        let _ = fs::remove_dir_all(machine.dir.join("cache"));
        let mut command = command(&machine, &server.address("rw"), &["run", "--timings=json", "program.jl"]);
        command.env("KILN_WORKER", &relay).env("KILN_CACHE_REMOTE_WAIT", wait);
        let asked = ran(command.output().unwrap());
        let counts = ["compiles", "remote_hits"];
        assert_eq!((&*asked.printed, asked.totals(counts)), (PRINTED, [3, 0]), "{relay:?}");
        assert!(asked.said.matches(SAID).count() == 1 && asked.said.contains(why), "{}", asked.said);
    }
    assert_eq!(server.requests(""), 0);
}

/// MISSION N14: stores of others are read where they are, and never written.
#[test]
fn directories_of_others_are_read() {
    let (team, user) = (Project::new("team"), Project::new("team-user"));
    assert_eq!(team.run("rw", PROGRAM, ["compiles"]), (PRINTED.into(), [3]));
    let listed = |project: &Project| project.kiln("ro", &["cache", "--json", "ls"]).stdout;
    let before = listed(&team);
    fs::write(user.dir.join("program.jl"), PROGRAM.replace("x + 1", "x + 5")).unwrap();
    let overlays = format!("{}:{}", user.dir.join("none").display(), team.dir.join("cache").display());
    let mut command = user.command("rw", &["run", "--timings=json", "program.jl"]);
    let edited = ran(command.env("KILN_CACHE_OVERLAYS", overlays).output().unwrap());
    assert_eq!((&*edited.printed, edited.total("compiles")), ("[2, 4, 6, 8]\n[6, 7, 8, 9]\n", 1));
    assert!(listed(&team) == before && listed(&user) != before, "what is made is in the user's own");
}

/// Runs on a new machine while the server behaves so, and checks output and store.
fn checked_run(server: &Server, behaviour: Behaviour, mode: &str, wait: &str) -> Ran {
    server.behave(behaviour);
    let machine = Project::new(&format!("{behaviour:?}").replace(['(', ')'], "-"));
    let mut command = command(&machine, &server.address(mode), &["run", "--timings=json", "program.jl"]);
    let asked = ran(command.env("KILN_CACHE_REMOTE_WAIT", wait).output().unwrap());
    assert_eq!(asked.printed, PRINTED, "{behaviour:?}");
    let alone = machine.run("rw", PROGRAM, ["compiles", "misses"]);
    assert_eq!(alone, (PRINTED.into(), [0, 0]), "{behaviour:?}: its own store has everything");
    let verified = machine.run("verify", PROGRAM, ["mismatches"]);
    assert_eq!(verified, (PRINTED.into(), [0]), "{behaviour:?}: and nothing wrong");
    asked
}

/// MISSION N14: with trusted keys, entries of others are counted misses; with the right signature they are used, and damaged
/// signatures are not.
#[test]
fn only_trusted_entries_are_used() {
    let server = Server::start();
    let (builder, other, user) = (Project::new("builder"), Project::new("other"), Project::new("user"));
    let keygen = |project: &Project| {
        let made = project.kiln("rw", &["cache", "--json", "keygen", "key", "--name", "test"]);
        assert!(made.status.success(), "{made:?}");
        project.dir.join("key")
    };
    let (key, other_key) = (keygen(&builder), keygen(&other));
    let public = |it: &std::path::Path| it.with_extension("pub");
    let run_with = |project: &Project, mode: &str, variables: &[(&str, String)]| {
        let mut command = command(project, &server.address(mode), &["run", "--timings=json", "program.jl"]);
        ran(command.envs(variables.iter().cloned()).output().unwrap())
    };
    let path = |it: &std::path::Path| it.display().to_string();
    let trusts = ("KILN_CACHE_TRUST", format!("{}:{}", path(&public(&key)), path(&public(&key))));
    let offered = run_with(&builder, "wo", &[]).total("remote_offered");
    server.wait_for(offered + 1);
    for signer in [None, Some(&other_key)] {
        if let Some(signer) = signer {
            fs::remove_dir_all(other.dir.join("cache")).unwrap_or_default();
            server.lose(|_| true);
            let signs = ("KILN_CACHE_SIGN", path(signer));
            let offered = run_with(&other, "wo", &[signs]).total("remote_offered");
            server.wait_for(offered + 1);
        }
        let asked = run_with(&Project::new("distrusting"), "ro", std::slice::from_ref(&trusts));
        let counts = ["compiles", "remote_hits"];
        assert_eq!((&*asked.printed, asked.totals(counts)), (PRINTED, [3, 0]), "{signer:?}");
        assert!(asked.total("remote_rejected") >= 3 && !asked.said.contains(SAID), "{}", asked.said);
    }
    server.lose(|_| true);
    fs::remove_dir_all(builder.dir.join("cache")).unwrap();
    let offered = run_with(&builder, "wo", &[("KILN_CACHE_SIGN", path(&key))]).total("remote_offered");
    server.wait_for(offered + 1);
    let asked = run_with(&user, "ro", std::slice::from_ref(&trusts));
    let counts = ["compiles", "inferences", "remote_rejected"];
    assert_eq!((&*asked.printed, asked.totals(counts)), (PRINTED, [0; 3]), "{}", asked.said);
    // A file of keys that is none, and a secret that others can read, are the caller's mistake.
    let wrong = [("KILN_CACHE_TRUST", path(&key)), ("KILN_CACHE_SIGN", path(&public(&key)))];
    for variable in wrong {
        let mut command = command(&user, &server.address("ro"), &["run", "program.jl"]);
        let output = command.env(variable.0, &variable.1).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(variable.0), "{said}");
    }
}

/// MISSION N14: a whole store goes to a server and comes from it, by a name; damage is counted.
#[test]
fn a_store_is_pushed_and_pulled() {
    let server = Server::start();
    let (from, to) = (Project::new("push"), Project::new("pull"));
    assert_eq!(from.run("rw", PROGRAM, []).0, PRINTED);
    let told = |project: &Project, mode: &str, args: &[&str]| {
        let output = command(project, &server.address(mode), &[&["cache", "--json"], args].concat()).output();
        let output = output.unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code(), text)
    };
    let count = |text: &str, name: &str| -> u64 {
        let (_, rest) = text.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{text}"));
        rest[..rest.find([',', '}']).unwrap()].parse().unwrap()
    };
    let (code, said) = told(&to, "ro", &["pull"]);
    assert!(code == Some(1) && said.contains("has nothing by the name `all`"), "{said}");
    let (code, pushed) = told(&from, "rw", &["push"]);
    let entries = count(&pushed, "entries");
    assert_eq!((code, server.files("/ac/") as u64), (Some(0), entries + 1), "{pushed}");
    let (code, pulled) = told(&to, "ro", &["pull"]);
    assert_eq!((code, count(&pulled, "entries"), count(&pulled, "rejected")), (Some(0), entries, 0));
    let counts = ["compiles", "inferences", "misses"];
    assert_eq!(to.run("ro", PROGRAM, counts), (PRINTED.into(), [0; 3]));
    // Keys are whole: what changed is named down to the parts of nested lists.
    fs::write(to.dir.join("program.jl"), PROGRAM.replace("2 * x", "3 * x")).unwrap();
    let explained = to.kiln("rw", &["cache", "explain", "program.jl", "first!(CuDeviceVector{Int64,1})"]);
    let explained = String::from_utf8(explained.stdout).unwrap();
    assert!(explained.contains("changed: \n  body of scaled"), "{explained}");
    let (_, again) = told(&to, "ro", &["pull"]);
    assert_eq!((count(&again, "entries"), count(&again, "present")), (0, entries));
    // One damaged pack: it is left out, and the command says so.
    server.change(|path, bytes| {
        if path.starts_with("/cas/") {
            bytes[20] ^= 1;
        }
    });
    let (code, damaged) = told(&Project::new("pull-damaged"), "ro", &["pull"]);
    assert_eq!((code, count(&damaged, "entries"), count(&damaged, "rejected")), (Some(1), 0, 1), "{damaged}");
    server.lose(|path| path.starts_with("/cas/"));
    let (code, missing) = told(&Project::new("pull-missing"), "ro", &["pull"]);
    assert_eq!((code, count(&missing, "missing")), (Some(1), 1));
    for (mode, args, wanted) in
        [("ro", ["push"], "push needs mode=rw"), ("wo", ["pull"], "pull needs mode=ro")]
    {
        let (code, said) = told(&to, mode, &args);
        assert!(code == Some(2) && said.contains(wanted), "{said}");
    }
    server.behave(Behaviour::RefusesPut(507));
    let (code, full) = told(&from, "rw", &["push", "--name", "other"]);
    assert!(code == Some(1) && full.contains("the server is full (status 507)"), "{full}");
}

/// MISSION N14: a Redis server, if there is one on this machine: the second machine compiles nothing, and a server that ends is one that
/// fails.
#[test]
fn a_redis_server_is_shared() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Command::new("redis-server");
    server.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
    let Ok(mut server) = server.stdout(std::process::Stdio::null()).spawn() else {
        return eprintln!("skipped: redis-server is not installed");
    };
    let address = |mode: &str| format!("redis://127.0.0.1:{port}/1?mode={mode}");
    let started = std::time::Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(started.elapsed().as_secs() < 60, "the server does not start");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let (first, second) = (Project::new("redis-first"), Project::new("redis-second"));
    let pull = |project: &Project| {
        let output =
            command(project, &address("rw"), &["cache", "--json", "pull", "--name", "ours"]).output();
        output.unwrap().status.code()
    };
    assert_eq!(first.run("rw", PROGRAM, ["compiles"]), (PRINTED.into(), [3]));
    assert_eq!(pull(&second), Some(1), "there is no such name");
    let pushed = command(&first, &address("wo"), &["cache", "push", "--name", "ours"]).output().unwrap();
    assert!(pushed.status.success(), "{pushed:?}");
    let found = run(&second, &address("ro"));
    assert_eq!((&*found.printed, found.totals(["compiles", "inferences"])), (PRINTED, [0, 0]), "{found:?}");
    assert!(found.total("remote_hits") >= 4, "{found:?}");
    assert_eq!(pull(&second), Some(0));
    server.kill().unwrap();
    server.wait().unwrap();
    let alone = run(&Project::new("redis-gone"), &address("rw"));
    let counts = ["compiles", "remote_hits"];
    assert_eq!(
        (&*alone.printed, alone.totals(counts), alone.said.matches(SAID).count()),
        (PRINTED, [3, 0], 1)
    );
}

/// Variables that mean nothing are the caller's mistake.
#[test]
fn a_wrong_address_is_status_2() {
    let project = Project::new("address");
    for (address, wait, said) in [
        ("https://cache", "5", "KILN_CACHE_REMOTE: `https://cache` does not begin with http:// or redis://"),
        ("http://cache?mode=all", "5", "is none of mode=ro, mode=wo, mode=rw"),
        ("http://cache", "soon", "KILN_CACHE_REMOTE_WAIT: `soon` is no number of milliseconds"),
    ] {
        let mut command = command(&project, address, &["run", "program.jl"]);
        let output = command.env("KILN_CACHE_REMOTE_WAIT", wait).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(said));
    }
}
