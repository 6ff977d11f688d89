//! Results of another compiler, of texts, on a shared cache.

use crate::project::Project;
use crate::server::Server;
use kiln::cache::remote::{RemoteAddress, RemoteClient, RemoteOptions};
use kiln::caching::{
    CacheView, CodeTables, Config, ForeignIr, Module, NewCode, Portable, ResultStore, Results, Stored,
    StoredFields, TableId, Types, datatype,
};
use std::sync::Arc;
use std::time::Duration;

#[derive(Default)]
struct Compiled {
    text: Stored<String>,
}

impl Results for Compiled {
    const NAME: &'static str = "texts";
    fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
        let Self { text } = self;
        to.add("text", text);
    }
}

struct Body(String);

impl Portable for Body {
    fn to_bytes(&self) -> Vec<u8> {
        self.0.clone().into_bytes()
    }
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(String::from_utf8(bytes.to_vec()).ok()?))
    }
}

impl ForeignIr for Body {
    const LANGUAGE: &'static str = "texts";
}

/// Compiles a function as in a process of its own: the text, and whether it was found.
fn compile(store: &ResultStore, body: &str) -> (String, bool) {
    let tables = CodeTables::new(Arc::new(Types::new()));
    let function = tables.function(Module::MAIN, "f").unwrap();
    tables.add_foreign_method(
        TableId::GLOBAL,
        datatype::tuple(tables.types(), &[function]),
        Body(body.into()),
    );
    let view = CacheView::new(&tables, "texts 1.0", &[]);
    let instance = view.method_instance(&[function]).unwrap();
    let code = view.get_or_insert_with(instance, NewCode::new);
    let key = store.key("f()", body);
    let found = store.restore(&key, &code, view.world());
    let compiled = view.results::<Compiled>(instance).unwrap();
    let text = compiled.text.get_or_make(|| body.to_uppercase()).to_string();
    store.save(&key, &code, view.world(), Duration::from_millis(1));
    (text, found)
}

/// MISSION N14, C2: what another compiler made on one machine is found on another, also payloads that are files of their own.
#[test]
fn results_of_other_compilers_travel() {
    let server = Server::start();
    let open = |machine: &Project, mode: &str| {
        let root = machine.dir.join("cache");
        let options = RemoteOptions {
            address: RemoteAddress::parse(&server.address(mode)).unwrap(),
            relay: env!("CARGO_BIN_EXE_kiln").into(),
            wait: Duration::from_secs(60),
            signs_with: None,
            trusts: Vec::new(),
            manifest: None,
        };
        let mut config = Config::new(&root);
        config.upstream = Some(Arc::new(RemoteClient::new(options, &root)));
        ResultStore::open(config, "texts 1.0").unwrap()
    };
    let (first, second) = (Project::new("foreign-first"), Project::new("foreign-second"));
    let long = "long ".repeat(40_000);
    let store = open(&first, "rw");
    assert_eq!(compile(&store, "one"), ("ONE".into(), false));
    assert_eq!(compile(&store, &long), (long.to_uppercase(), false));
    let stats = store.store().stats().upstream.unwrap();
    assert_eq!((stats.misses, stats.offered), (2, 2));
    store.store().close();
    server.wait_for(2);
    assert_eq!(server.files("/cas/"), 1, "the long one");
    let store = open(&second, "ro");
    assert_eq!(compile(&store, "one"), ("ONE".into(), true));
    assert_eq!(compile(&store, &long), (long.to_uppercase(), true));
    assert_eq!(compile(&store, "two"), ("TWO".into(), false));
    let stats = store.store().stats().upstream.unwrap();
    assert_eq!((stats.hits, stats.misses, stats.rejected, stats.offered), (2, 1, 0, 0));
}
