//! Any texts as project file, manifest and preferences: look-ups have an answer or an error with a file, and look up to an end.
#![no_main]

use kiln_packages::{LoadPath, MemoryFiles, PackageReader, ParsedFiles, PkgId, Search, Surroundings};
use libfuzzer_sys::fuzz_target;

/// The names that are looked up; inputs that have them get far.
const NAMES: [&str; 3] = ["A", "B", "Ext"];

fuzz_target!(|texts: (&str, &str, &str)| {
    let (project, manifest, other) = texts;
    let files = MemoryFiles::new([
        ("/env/Project.toml", project),
        ("/env/Manifest.toml", manifest),
        ("/env/LocalPreferences.toml", other),
        ("/folder/A/Project.toml", other),
        ("/folder/A/src/A.jl", ""),
        ("/Project.toml", other),
    ]);
    let (parsed, around) = (ParsedFiles::default(), Surroundings::default());
    let path = LoadPath {
        entries: vec!["/env".into(), "/folder".into()],
        depots: vec!["/depot".into()],
        tested: Some("/env/Project.toml".into()),
        ..LoadPath::default()
    };
    let search = Search::new(PackageReader { files: &files, parsed: &parsed }, &path, &around);
    let mut open = vec![PkgId::top_level("Main")];
    let mut steps = 0;
    while let Some(parent) = open.pop() {
        for name in NAMES {
            let Ok(Some(id)) = search.identify(&parent, name) else { continue };
            let _ = search.locate(&id);
            if let Some(uuid) = id.uuid {
                let _ = search.preferences(uuid);
            }
            open.extend(search.extensions(&id).into_iter().flatten().map(|it| it.id));
            steps += 1;
            if id != parent && steps < 20 {
                open.push(id);
            }
        }
    }
    let _ = search.version_remarks();
});
