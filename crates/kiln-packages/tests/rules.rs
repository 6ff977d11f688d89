//! The rules of environments, each on a few files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln_packages::{
    Environment, LoadPath, MemoryFiles, PackageError, PackageReader, ParsedFiles, PkgId, Search,
    Surroundings, TomlData, Uuid, parse_depot_path, parse_load_path, parse_project, slug,
};
use std::sync::Arc;

/// The UUID that ends in this number.
fn uuid(number: u128) -> Uuid {
    Uuid(number)
}

fn id(name: &str, number: u128) -> PkgId {
    PkgId { uuid: Some(uuid(number)), name: name.into() }
}

/// A text with `#1` for the UUID that ends in 1.
fn with_uuids(text: &str) -> String {
    (1..=9_u128)
        .fold(text.to_owned(), |text, it| text.replace(&format!("#{it}"), &format!("\"{}\"", uuid(it))))
}

struct World {
    files: MemoryFiles,
    parsed: ParsedFiles,
    path: LoadPath,
    around: Surroundings,
}

impl World {
    fn new(entries: &[&str], files: &[(&str, &str)]) -> Self {
        let around = Surroundings {
            working: "/work".into(),
            version: (1, 12, 0),
            home: Some("/home".into()),
            ..Surroundings::default()
        };
        Self {
            files: MemoryFiles::new(files.iter().map(|it| (it.0, with_uuids(it.1)))),
            parsed: ParsedFiles::default(),
            path: LoadPath {
                entries: entries.iter().map(|it| (*it).to_owned()).collect(),
                ..LoadPath::default()
            },
            around,
        }
    }

    fn reader(&self) -> PackageReader<'_> {
        PackageReader { files: &self.files, parsed: &self.parsed }
    }

    fn search(&self) -> Search<'_> {
        Search::new(self.reader(), &self.path, &self.around)
    }

    fn main(&self, name: &str) -> Option<PkgId> {
        self.search().identify(&PkgId::top_level("Main"), name).unwrap()
    }

    fn file(&self, id: &PkgId) -> Option<String> {
        self.search().locate(id).unwrap()?.file
    }
}

const TWO: &[(&str, &str)] = &[
    ("/env/Project.toml", "[deps]\nA = #1\nB = #2\n[extras]\nE = #5\n[weakdeps]\nW = #6"),
    (
        "/env/Manifest.toml",
        "manifest_format = \"2.0\"\n[[deps.A]]\nuuid = #1\npath = \"../a\"\n[[deps.B]]\nuuid = #2\npath = \"../b/src/B.jl\"\ndeps = [\"A\"]",
    ),
    ("/a/src/A.jl", ""),
    ("/b/src/B.jl", ""),
];

/// Main sees `[deps]` alone, a package the dependencies that the manifest lists.
#[test]
fn packages_see_what_they_list() {
    let world = World::new(&["/env"], TWO);
    assert_eq!(world.main("B"), Some(id("B", 2)));
    assert_eq!((world.main("E"), world.main("W"), world.main("X")), (None, None, None));
    assert_eq!(world.search().identify(&id("B", 2), "A"), Ok(Some(id("A", 1))));
    let error = world.search().identify(&id("A", 1), "B").unwrap_err();
    assert!(matches!(&error, PackageError::NotADependency { name, .. } if name == "B"));
    assert!(error.to_string().contains("Package A does not have B in its dependencies"), "{error}");
    // An environment that does not know the package is passed over.
    assert_eq!(world.search().identify(&id("A", 9), "B"), Ok(None));
}

#[test]
fn a_module_finds_itself_without_a_look_up() {
    let world = World::new(&[], &[]);
    assert_eq!(world.search().identify(&id("A", 7), "A"), Ok(Some(id("A", 7))));
}

#[test]
fn entries_of_manifests_are_files_and_folders() {
    let world = World::new(&["/env"], TWO);
    assert_eq!(world.file(&id("A", 1)).as_deref(), Some("/a/src/A.jl"));
    assert_eq!(world.file(&id("B", 2)).as_deref(), Some("/b/src/B.jl"));
    assert_eq!(world.file(&id("A", 9)), None);
}

/// The file with the version is taken before the plain one, and a project's own `manifest`.
#[test]
fn manifests_have_several_names() {
    let plain = "[[A]]\nuuid = #1\npath = \"/plain\"";
    let of_version = "[[A]]\nuuid = #1\npath = \"/version\"";
    let mut files = vec![
        ("/env/Project.toml", "[deps]\nA = #1"),
        ("/env/Manifest.toml", plain),
        ("/env/Manifest-v1.12.toml", of_version),
    ];
    let world = World::new(&["/env"], &files);
    assert_eq!(world.file(&id("A", 1)).as_deref(), Some("/version/src/A.jl"));
    files[0].1 = "manifest = \"M.toml\"\n[deps]\nA = #1";
    files.push(("/env/M.toml", "[[A]]\nuuid = #1\npath = \"/named\""));
    assert_eq!(World::new(&["/env"], &files).file(&id("A", 1)).as_deref(), Some("/named/src/A.jl"));
    files.push(("/env/JuliaProject.toml", "[deps]\nA = #3"));
    assert_eq!(World::new(&["/env"], &files).main("A"), Some(id("A", 3)));
}

/// Formats 1.0, 2.0 and 2.1; in the first a package may be called `manifest_format`.
#[test]
fn all_formats_of_manifests_are_read() {
    for (head, table) in [
        ("", "A"),
        ("manifest_format = \"2.0\"\njulia_version = \"1.12.0\"\n", "deps.A"),
        ("manifest_format = \"2.1\"\n[registries.General]\nuuid = #4\n", "deps.A"),
    ] {
        let manifest = format!("{head}[[{table}]]\nuuid = #1\npath = \"/a\"");
        let world = World::new(
            &["/env"],
            &[("/env/Project.toml", "[deps]\nA = #1"), ("/env/Manifest.toml", &manifest)],
        );
        assert_eq!(world.file(&id("A", 1)).as_deref(), Some("/a/src/A.jl"), "{head}");
    }
    let odd = "[[manifest_format]]\nuuid = #1\npath = \"/odd\"";
    let world = World::new(
        &["/env"],
        &[("/env/Project.toml", "[deps]\nmanifest_format = #1"), ("/env/Manifest.toml", odd)],
    );
    assert_eq!(world.file(&id("manifest_format", 1)).as_deref(), Some("/odd/src/manifest_format.jl"));
}

/// Names that occur twice are listed with their UUIDs.
#[test]
fn two_packages_of_one_name_are_told_apart() {
    let manifest = "[[A]]\nuuid = #1\npath = \"/one\"\n[[A]]\nuuid = #2\npath = \"/two\"\n[[B]]\nuuid = #3\npath = \"/b\"\n[B.deps]\nA = #2\n[[C]]\nuuid = #4\npath = \"/c\"\ndeps = [\"A\"]";
    let world = World::new(
        &["/env"],
        &[("/env/Project.toml", "[deps]\nA = #1\nB = #3"), ("/env/Manifest.toml", manifest)],
    );
    assert_eq!(world.main("A"), Some(id("A", 1)));
    assert_eq!(world.search().identify(&id("B", 3), "A"), Ok(Some(id("A", 2))));
    assert_eq!(world.file(&id("A", 2)).as_deref(), Some("/two/src/A.jl"));
    assert!(matches!(world.search().identify(&id("C", 4), "A"), Err(PackageError::Ambiguous { .. })));
}

#[test]
fn depots_have_packages_under_their_slugs() {
    let hash = "1bf63d3be994fe83456a03b874b409cfd59a6373";
    let manifest = format!("[[A]]\nuuid = #1\ngit-tree-sha1 = \"{hash}\"");
    let [long, short] = [5, 4].map(|it| slug(uuid(1), hash, it).unwrap());
    let [in_first, in_second] =
        [format!("/d1/packages/A/{short}/src/A.jl"), format!("/d2/packages/A/{long}/src/A.jl")];
    let mut files =
        vec![("/env/Project.toml", "[deps]\nA = #1"), ("/env/Manifest.toml", &manifest), (&in_first, "")];
    let with_depots = |files: &[(&str, &str)]| {
        let mut world = World::new(&["/env"], files);
        world.path.depots = vec!["/d1".into(), "/d2".into()];
        world
    };
    assert_eq!(with_depots(&files).file(&id("A", 1)), Some(in_first.clone()));
    // All depots are asked for five digits before one is asked for four.
    files.push((&in_second, ""));
    assert_eq!(with_depots(&files).file(&id("A", 1)), Some(in_second.clone()));
    let error = with_depots(&files[..2]).search().locate(&id("A", 1)).unwrap_err();
    assert!(matches!(&error, PackageError::NotInstalled { folders, .. } if folders.len() == 4), "{error}");
}

#[test]
fn a_project_is_a_package_of_its_own_environment() {
    let files = [
        ("/p/Project.toml", "name = \"P\"\nuuid = #1\n[deps]\nA = #2"),
        ("/p/src/P.jl", ""),
        ("/q/Project.toml", "name = \"Q\"\nuuid = #3\nentryfile = \"main.jl\""),
        ("/q/main.jl", ""),
    ];
    let world = World::new(&["/p", "/q"], &files);
    assert_eq!(world.main("P"), Some(id("P", 1)));
    assert_eq!(world.file(&id("P", 1)).as_deref(), Some("/p/src/P.jl"));
    assert_eq!(world.file(&id("Q", 3)).as_deref(), Some("/q/main.jl"));
    assert_eq!(world.search().identify(&id("P", 1), "A"), Ok(Some(id("A", 2))));
    assert!(
        world.search().identify(&id("P", 1), "Q").is_err(),
        "Q is in a later environment, and P does not list it"
    );
}

#[test]
fn a_project_without_uuid_has_one_of_its_path() {
    let files =
        [("/p/Project.toml", "name = \"P\""), ("/p/src/P.jl", ""), ("/q/Project.toml", "name = \"P\"")];
    let world = World::new(&["/p"], &files);
    let found = world.main("P").unwrap();
    assert!(found.uuid.is_some());
    assert_eq!(world.file(&found).as_deref(), Some("/p/src/P.jl"));
    assert_ne!(World::new(&["/q"], &files).main("P"), Some(found));
}

#[test]
fn folders_of_packages_are_environments() {
    let files = [
        ("/f/A/src/A.jl", ""),
        ("/f/A.jl/src/A.jl", ""),
        ("/f/B.jl/src/B.jl", ""),
        ("/f/C.jl", ""),
        ("/f/B.jl/Project.toml", "name = \"B\"\nuuid = #2\n[deps]\nC = #3"),
    ];
    let world = World::new(&["/f"], &files);
    assert_eq!(world.file(&world.main("A").unwrap()).as_deref(), Some("/f/A/src/A.jl"));
    assert_eq!(world.main("B"), Some(id("B", 2)));
    assert_eq!(world.file(&id("B", 2)).as_deref(), Some("/f/B.jl/src/B.jl"));
    assert_eq!(world.file(&PkgId::top_level("C")).as_deref(), Some("/f/C.jl"));
    assert_eq!(world.file(&id("B", 9)), None, "the UUID of the project file must match");
    assert_eq!(world.search().identify(&id("B", 2), "C"), Ok(Some(id("C", 3))));
    assert!(world.search().identify(&id("B", 2), "A").is_err());
    // A package without a project file sees what a program sees.
    assert_eq!(world.search().identify(&PkgId::top_level("C"), "B"), Ok(Some(id("B", 2))));
}

#[test]
fn load_paths_are_expanded() {
    let files = [
        ("/work/Project.toml", ""),
        ("/d2/environments/v1.12/Project.toml", ""),
        ("/f/A.jl", ""),
        ("/active/Project.toml", ""),
        ("/s/Project.toml", ""),
    ];
    let mut world = World::new(
        &["@", "@.", "@v#.#", "@nosuch", "@stdlib", "@script", "/f", "/none", "/work/Project.toml"],
        &files,
    );
    world.path.depots = vec!["/d1".into(), "/d2".into()];
    world.path.project = Some("/active".into());
    world.around.script = Some("/s/deep/folder".into());
    world.around.folders = vec!["/corpus".into(), "/f".into()];
    let project = |it: &str| Environment::Project(format!("{it}/Project.toml"));
    let expected = [
        project("/active"),
        project("/work"),
        project("/d2/environments/v1.12"),
        Environment::Library,
        project("/s"),
        Environment::Folder("/f".into()),
        Environment::Folder("/corpus".into()),
    ];
    assert_eq!(world.search().environments, expected);
}

#[test]
fn variables_are_read_as_julia_reads_them() {
    let world = World::new(&[], &[("/work/Project.toml", "")]);
    let read = |it| parse_load_path(it, &world.reader(), &world.around);
    assert_eq!(read(None), ["@", "@v#.#", "@stdlib"]);
    assert!(read(Some("")).is_empty());
    assert_eq!(read(Some("~/p:@stdlib:")), ["/home/p", "@stdlib", "@", "@v#.#"]);
    assert_eq!(read(Some("@.:/a:/a")), ["/work/Project.toml", "/a"]);
    let depots = |it| parse_depot_path(it, Some("/home"));
    assert_eq!(depots(None), ["/home/.julia"]);
    assert!(depots(Some("")).is_empty());
    assert_eq!(depots(Some(":/d")), ["/home/.julia", "/d"]);
    assert_eq!(depots(Some("/d:")), ["/d"]);
    let project = |it| parse_project(it, &world.reader(), &world.around);
    assert_eq!(project("@."), Some("/work/Project.toml".into()));
    assert_eq!(project("@named"), Some("@named".into()));
    assert_eq!((project("sub"), project("")), (Some("/work/sub".into()), None));
}

#[test]
fn searches_upward_stop_at_home() {
    let mut world = World::new(&["@."], &[("/Project.toml", ""), ("/home/a/x", "")]);
    world.around.working = "/home/a/b".into();
    assert!(world.search().environments.is_empty());
}

/// Each project of a workspace has the root's manifest.
#[test]
fn workspaces_share_a_manifest() {
    let files = [
        ("/w/Project.toml", "[workspace]\nprojects = [\"sub/test\"]"),
        ("/w/Manifest.toml", "[[A]]\nuuid = #1\npath = \"a\""),
        ("/w/sub/test/Project.toml", "[deps]\nA = #1"),
        ("/w/other/Project.toml", "[deps]\nA = #1"),
    ];
    assert_eq!(World::new(&["/w/sub/test"], &files).file(&id("A", 1)).as_deref(), Some("/w/a/src/A.jl"));
    assert_eq!(World::new(&["/w/other"], &files).file(&id("A", 1)), None);
}

/// Without a manifest the paths of `[sources]` are one.
#[test]
fn sources_stand_in_for_a_manifest() {
    let files = [
        (
            "/p/Project.toml",
            "name = \"P\"\nuuid = #1\n[deps]\nA = #2\n[sources]\nA = {path = \"../a\"}\nF = {url = \"https://example.org\"}",
        ),
        ("/a/Project.toml", "name = \"A\"\nuuid = #2\n[deps]\nB = #3\n[sources]\nB = {path = \"b\"}"),
        ("/a/b/Project.toml", "name = \"B\"\nuuid = #3"),
    ];
    let world = World::new(&["/p"], &files);
    assert_eq!(world.file(&id("A", 2)).as_deref(), Some("/a/src/A.jl"));
    assert_eq!(world.search().identify(&id("A", 2), "B"), Ok(Some(id("B", 3))));
    assert_eq!(world.file(&id("B", 3)).as_deref(), Some("/a/b/src/B.jl"));
}

#[test]
fn extensions_are_declared_by_packages() {
    let declared = "[weakdeps]\nW = #2\n[extensions]\nE = \"W\"\nBoth = [\"W\", \"D\"]\n[deps]\nD = #3";
    let project = format!("name = \"P\"\nuuid = #1\n{declared}");
    let manifest = "[[P]]\nuuid = #1\npath = \"../p\"\ndeps = [\"D\"]\nweakdeps = [\"W\"]\n[P.extensions]\nE = \"W\"\nBoth = [\"W\", \"D\"]\n[[W]]\nuuid = #2\npath = \"w\"\n[[D]]\nuuid = #3\npath = \"d\"";
    let files = [
        ("/p/Project.toml", &*project),
        ("/p/src/P.jl", ""),
        ("/p/ext/E.jl", ""),
        ("/p/ext/Both/Both.jl", ""),
        ("/env/Project.toml", "[deps]\nP = #1"),
        ("/env/Manifest.toml", manifest),
        ("/f/P/src/P.jl", ""),
        ("/f/P/Project.toml", &*project),
        ("/f/P/ext/E.jl", ""),
    ];
    for (path, folder) in [("/p", "/p"), ("/env", "/p"), ("/f", "/f/P")] {
        let world = World::new(&[path], &files);
        let found = world.search().extensions(&id("P", 1)).unwrap();
        let ext = PkgId { uuid: Some(Uuid::derived(Some(uuid(1)), "E")), name: "E".into() };
        let e = found.iter().find(|it| it.id == ext).unwrap();
        assert_eq!(e.triggers, [id("W", 2)]);
        let both = found.iter().find(|it| it.id.name == "Both").unwrap();
        assert_eq!(both.triggers, [id("W", 2), id("D", 3)]);
        assert_eq!(world.file(&ext), Some(format!("{folder}/ext/E.jl")), "{path}");
        for (name, number) in [("P", 1), ("W", 2), ("D", 3)] {
            assert_eq!(world.search().identify(&ext, name), Ok(Some(id(name, number))), "{path}");
        }
        assert!(world.search().identify(&ext, "X").is_err());
    }
    let world = World::new(&["/env"], &files);
    assert_eq!(
        world
            .file(&PkgId { uuid: Some(Uuid::derived(Some(uuid(1)), "Both")), name: "Both".into() })
            .as_deref(),
        Some("/p/ext/Both/Both.jl")
    );
}

/// An extension whose trigger the manifest lacks is never ready.
#[test]
fn triggers_that_are_nowhere_leave_an_extension_out() {
    let manifest = "[[P]]\nuuid = #1\npath = \"/p\"\nweakdeps = [\"W\"]\n[P.extensions]\nE = \"W\"";
    let world =
        World::new(&["/env"], &[("/env/Project.toml", "[deps]\nP = #1"), ("/env/Manifest.toml", manifest)]);
    assert_eq!(world.search().extensions(&id("P", 1)), Ok(Vec::new()));
}

#[test]
fn preferences_are_merged_over_the_load_path() {
    let files = [
        ("/a/Project.toml", "[extras]\nP = #1\n[preferences.P]\nx = \"first\"\n[preferences.P.t]\nb = 2"),
        ("/a/LocalPreferences.toml", "[P]\ny = \"local\"\n__clear__ = [\"z\"]"),
        (
            "/b/Project.toml",
            "[deps]\nP = #1\n[preferences.P]\nx = \"second\"\nz = 1\nw = 3\n[preferences.P.t]\na = 1",
        ),
        ("/c/Project.toml", "[preferences.P]\nnever = true"),
    ];
    let world = World::new(&["/a", "/b", "/c"], &files);
    let found = world.search().preferences(uuid(1)).unwrap();
    let keys: Vec<&str> = found.entries.keys().map(|it| &**it).collect();
    assert_eq!(keys, ["t", "w", "x", "y"]);
    assert_eq!(found.text("x").unwrap(), Some("first"));
    let inner = found.table("t").unwrap().unwrap();
    assert_eq!(inner.entries["a"].value, TomlData::Integer(1));
    assert_eq!(inner.entries["b"].value, TomlData::Integer(2));
}

#[test]
fn preferences_of_the_first_project_include_its_workspace() {
    let files = [
        (
            "/w/Project.toml",
            "[workspace]\nprojects = [\"sub\"]\n[extras]\nP = #1\n[preferences.P]\nx = 1\ny = 1",
        ),
        ("/w/sub/Project.toml", "[extras]\nP = #1\n[preferences.P]\ny = 2"),
    ];
    let found = World::new(&["/w/sub"], &files).search().preferences(uuid(1)).unwrap();
    assert_eq!(found.entries["x"].value, TomlData::Integer(1));
    assert_eq!(found.entries["y"].value, TomlData::Integer(2));
}

/// Packages whose interface kiln implements are the library's, by UUID.
#[test]
fn the_library_stands_in_for_its_packages() {
    let mut world = World::new(
        &["/env", "@stdlib"],
        &[
            ("/env/Project.toml", "[deps]\nG = #1\nH = #2"),
            ("/env/Manifest.toml", "[[G]]\nuuid = #1\npath = \"/g\"\n[[H]]\nuuid = #2\npath = \"/h\""),
        ],
    );
    Arc::make_mut(&mut world.around.library).uuids.insert("G".into(), Some(uuid(1)));
    Arc::make_mut(&mut world.around.library).uuids.insert("H".into(), Some(uuid(9)));
    assert_eq!(world.file(&id("G", 1)), None);
    assert!(world.search().locate(&id("G", 1)).unwrap().is_some());
    Arc::make_mut(&mut world.around.library).stand_ins.insert("G".into());
    assert_eq!(world.file(&id("G", 1)).as_deref(), Some("/g/src/G.jl"), "a stand-in gives way");
    Arc::make_mut(&mut world.around.library).stand_ins.clear();
    assert_eq!(world.file(&id("H", 2)).as_deref(), Some("/h/src/H.jl"), "another package of that name");
    assert_eq!(
        World { path: LoadPath { entries: vec!["@stdlib".into()], ..LoadPath::default() }, ..world }
            .main("H"),
        Some(id("H", 9))
    );
}

#[test]
fn packages_that_are_given_have_the_project_above_their_file() {
    let mut world = World::new(
        &[],
        &[
            ("/g/src/G.jl", ""),
            ("/g/Project.toml", "name = \"G\"\nuuid = #1\n[deps]\nD = #2"),
            ("/x/Plain.jl", ""),
        ],
    );
    world.around.given.insert("G".into(), "/g/src/G.jl".into());
    world.around.given.insert("Plain".into(), "/x/Plain.jl".into());
    assert_eq!(world.main("G"), Some(id("G", 1)));
    assert_eq!(world.file(&id("G", 1)).as_deref(), Some("/g/src/G.jl"));
    assert_eq!(world.search().identify(&id("G", 1), "D"), Ok(Some(id("D", 2))));
    assert_eq!(world.file(&world.main("Plain").unwrap()).as_deref(), Some("/x/Plain.jl"));
}

/// A file of another form is an error with its line.
#[test]
fn files_of_other_forms_are_refused() {
    for (text, said) in [
        ("[deps\n", "/env/Project.toml:1: "),
        ("a = 1\ndeps = 2", "/env/Project.toml:2: `deps` must be a table"),
        ("[deps]\nA = \"x\"", "/env/Project.toml:2: `deps.A` must be a UUID"),
        (
            "\n[workspace]\nprojects = 1",
            "/env/Project.toml:3: `workspace.projects` must be a list of strings",
        ),
    ] {
        let world = World::new(&["/env"], &[("/env/Project.toml", text)]);
        let error = world.search().identify_top_level("A").unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
    let world = World::new(
        &["/env"],
        &[
            ("/env/Project.toml", "[deps]\nA = #1"),
            ("/env/Manifest.toml", "A = 1\n[[B]]\nuuid = #2\ndeps = 3"),
        ],
    );
    let error = world.search().locate(&id("A", 1)).unwrap_err().to_string();
    assert_eq!(error, "/env/Manifest.toml:4: `B.deps` must be a list of strings");
}

/// Depth is limited: a hostile file ends in an error.
#[test]
fn deep_files_do_no_harm() {
    for text in [
        format!("{}x = 1", "a.".repeat(100_000)),
        format!("[{}x]", "a.".repeat(100_000)),
        format!("x = {}", "[".repeat(100_000)),
        format!("x = {}", "{a=".repeat(100_000)),
    ] {
        let error = kiln_packages::parse("Project.toml", &text).unwrap_err();
        assert!(error.to_string().starts_with("Project.toml:1: "), "{error}");
    }
}

#[test]
fn a_manifest_of_another_version_is_remarked() {
    let world = World::new(
        &["/env"],
        &[
            ("/env/Project.toml", ""),
            ("/env/Manifest.toml", "manifest_format = \"2.0\"\njulia_version = \"1.9.3\""),
        ],
    );
    assert!(world.search().version_remarks()[0].contains("1.9.3"));
}
