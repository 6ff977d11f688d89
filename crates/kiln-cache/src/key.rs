//! Keys: every input of a result, listed by name; the hash of the list is the identity of the stored result.
//!
//! A [`Key`] keeps the list, not only its hash. The entry stores the list, so that a later process can tell which
//! part of a key changed ([`diff`]). A large input (IR, bitcode) is listed by its content hash and length, short ones
//! directly, so a description stays a few hundred bytes. Parts shared by many keys (target, options, versions) form a
//! key of their own, which the others refer to in one [`nested`](KeyBuilder::nested) part; its list is stored once
//! per segment.
//!
//! # Invariants
//! * Equal lists have equal ids in every process; names, values, their kinds and their order are all hashed, each
//!   preceded by its length, so different lists never encode to the same bytes.
//! * The subject, a readable name, is *not* hashed: renaming a function keeps its hits.

use kiln_bytes::{Malformed, Read, Reader, Writer, hex};
use std::fmt;
use std::sync::Arc;

/// The part of the compiler that a result depends on, and that invalidates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Inputs of inference: bodies, overlays, inference parameters.
    Semantic,
    /// Further inputs of code generation: target facts, ABI, levels, kernel or not.
    Codegen,
    /// Inputs of a later tool: assembler flags and versions.
    Tool,
}

impl Class {
    /// Every class, in the order of the pipeline.
    pub const ALL: [Class; 3] = [Class::Semantic, Class::Codegen, Class::Tool];

    /// The class as listings show it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Semantic => "semantic",
            Class::Codegen => "codegen",
            Class::Tool => "tool",
        }
    }

    pub(crate) fn tag(self) -> u8 {
        match self {
            Class::Semantic => 1,
            Class::Codegen => 2,
            Class::Tool => 3,
        }
    }

    pub(crate) fn from_tag(tag: u8) -> Read<Class> {
        Class::ALL.into_iter().find(|it| it.tag() == tag).ok_or(Malformed("an unknown class"))
    }
}

/// The identity of a result: the BLAKE3 hash (256 bits) of its key's class and parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub [u8; 32]);

/// The BLAKE3 hash (256 bits) of a payload: the key of the second index of the store, and an input in the key of the
/// next stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> ContentHash {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({})", hex(&self.0[..8]))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({})", hex(&self.0[..8]))
    }
}

/// The value of one part of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyValue {
    /// Text, as it is.
    Text(String),
    /// A few bytes, as they are.
    Bytes(Vec<u8>),
    /// A number, a level, or a flag as 0 or 1.
    Number(u64),
    /// Something large, by content: its hash and its length in bytes.
    Digest(ContentHash, u64),
    /// Another key, listed on its own.
    Nested(KeyId),
}

impl fmt::Display for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyValue::Text(text) => write!(f, "{text:?}"),
            KeyValue::Bytes(bytes) => write!(f, "0x{}", hex(bytes)),
            KeyValue::Number(number) => write!(f, "{number}"),
            KeyValue::Digest(hash, len) => write!(f, "{len} bytes, {}", hex(&hash.0[..8])),
            KeyValue::Nested(id) => write!(f, "key {}", hex(&id.0[..8])),
        }
    }
}

/// One input of a result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPart {
    /// The name: `ir`, `llvm`, `callee`. Several parts of a key may have one name; they differ by their order.
    pub name: String,
    /// The value.
    pub value: KeyValue,
}

const TEXT_BYTES_MAX: usize = 1024;
const INLINE_BYTES_MAX: usize = 64;
const KEY_DOMAIN: &[u8] = b"kiln-cache key 1\0";

const TAG_TEXT: u8 = 1;
const TAG_BYTES: u8 = 2;
const TAG_NUMBER: u8 = 3;
const TAG_DIGEST: u8 = 4;
const TAG_NESTED: u8 = 5;

/// Records the inputs of one result; [`finish`](KeyBuilder::finish) hashes the list.
#[derive(Debug)]
pub struct KeyBuilder {
    class: Class,
    subject: String,
    parts: Writer,
    nested: Vec<Key>,
}

impl KeyBuilder {
    /// Starts a key of `class` for `subject`: a readable, stable name, such as `saxpy!(Ptr{Float32})`. The subject is
    /// not hashed; [`explain`](crate::inspect::explain) compares keys of one class and subject.
    pub fn new(class: Class, subject: impl Into<String>) -> KeyBuilder {
        KeyBuilder { class, subject: subject.into(), parts: Writer::new(), nested: Vec::new() }
    }

    /// Adds text; above 1024 bytes it is listed by its hash.
    pub fn text(&mut self, name: &str, text: &str) -> &mut KeyBuilder {
        if text.len() > TEXT_BYTES_MAX {
            return self.digest(name, ContentHash::of(text.as_bytes()), text.len() as u64);
        }
        self.open(name, TAG_TEXT);
        self.parts.str(text);
        self
    }

    /// Adds bytes; above 64 they are listed by their hash.
    pub fn bytes(&mut self, name: &str, bytes: &[u8]) -> &mut KeyBuilder {
        if bytes.len() > INLINE_BYTES_MAX {
            return self.digest(name, ContentHash::of(bytes), bytes.len() as u64);
        }
        self.open(name, TAG_BYTES);
        self.parts.bytes(bytes);
        self
    }

    /// Adds a number.
    pub fn number(&mut self, name: &str, number: u64) -> &mut KeyBuilder {
        self.open(name, TAG_NUMBER);
        self.parts.number(number);
        self
    }

    /// Adds a flag, as 0 or 1.
    pub fn flag(&mut self, name: &str, flag: bool) -> &mut KeyBuilder {
        self.number(name, u64::from(flag))
    }

    /// Adds an input with a known content hash and length in bytes: the result of an earlier stage.
    pub fn digest(&mut self, name: &str, hash: ContentHash, len: u64) -> &mut KeyBuilder {
        self.open(name, TAG_DIGEST);
        self.parts.raw(&hash.0);
        self.parts.number(len);
        self
    }

    /// Adds all of `key`, by its id. Its list of parts is stored too, once a segment of the store.
    pub fn nested(&mut self, name: &str, key: &Key) -> &mut KeyBuilder {
        self.open(name, TAG_NESTED);
        self.parts.raw(&key.id().0);
        self.nested.push(key.clone());
        self
    }

    /// The key of the parts added so far.
    pub fn finish(self) -> Key {
        let KeyBuilder { class, subject, parts, nested } = self;
        let parts = parts.finish();
        let id = id_of(class, &parts);
        Key(Arc::new(Listing { id, class, subject, parts, nested }))
    }

    fn open(&mut self, name: &str, tag: u8) {
        self.parts.str(name);
        self.parts.u8(tag);
    }
}

fn id_of(class: Class, parts: &[u8]) -> KeyId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(KEY_DOMAIN).update(&[class.tag()]).update(parts);
    KeyId(*hasher.finalize().as_bytes())
}

/// The identity of a result together with the list it is the hash of. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Arc<Listing>);

#[derive(PartialEq, Eq)]
struct Listing {
    id: KeyId,
    class: Class,
    subject: String,
    /// The encoded parts; the hash covers the class and exactly these.
    parts: Vec<u8>,
    nested: Vec<Key>,
}

impl Key {
    /// The identity.
    pub fn id(&self) -> KeyId {
        self.0.id
    }

    /// The class.
    pub fn class(&self) -> Class {
        self.0.class
    }

    /// Returns the readable name; it is not part of the identity.
    pub fn subject(&self) -> &str {
        &self.0.subject
    }

    /// The parts in the order they were added.
    pub fn parts(&self) -> Vec<KeyPart> {
        decode_parts(&self.0.parts).unwrap_or_default()
    }

    /// The keys this one names in nested parts, if it was built in this process; empty for one read from a store.
    pub fn nested(&self) -> &[Key] {
        &self.0.nested
    }

    /// Encodes the stored form of a key: `class u8 | subject | parts`, the subject behind its length. The lists of nested
    /// keys are not in it.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(self.0.subject.len() + self.0.parts.len() + 4);
        out.u8(self.0.class.tag());
        out.str(&self.0.subject);
        out.raw(&self.0.parts);
        out.finish()
    }

    /// Returns the same key with those of `lists` as nested keys that its parts name.
    #[must_use]
    pub fn with_nested(&self, lists: &[Key]) -> Key {
        let parts = self.parts();
        let named = |it: &&Key| parts.iter().any(|part| part.value == KeyValue::Nested(it.id()));
        let nested = lists.iter().filter(named).cloned().collect();
        let Listing { id, class, subject, parts, .. } = &*self.0;
        let (subject, parts) = (subject.clone(), parts.clone());
        Key(Arc::new(Listing { id: *id, class: *class, subject, parts, nested }))
    }

    /// Reads the output of [`encode`](Key::encode).
    ///
    /// # Errors
    /// When the bytes are no key.
    pub fn decode(bytes: &[u8]) -> Read<Key> {
        let mut reader = Reader::new(bytes);
        let class = Class::from_tag(reader.u8()?)?;
        let subject = reader.string()?;
        let parts = reader.rest().to_vec();
        decode_parts(&parts)?;
        Ok(Key(Arc::new(Listing { id: id_of(class, &parts), class, subject, parts, nested: Vec::new() })))
    }

    /// 32 bits of the class and the subject: enough to find the keys of one subject in an index.
    pub(crate) fn subject_tag(&self) -> u32 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[self.0.class.tag()]).update(self.0.subject.as_bytes());
        let [a, b, c, d, ..] = *hasher.finalize().as_bytes();
        u32::from_le_bytes([a, b, c, d])
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({} {:?} {:?})", self.class().name(), self.subject(), self.id())
    }
}

fn decode_parts(bytes: &[u8]) -> Read<Vec<KeyPart>> {
    let mut reader = Reader::new(bytes);
    let mut parts = Vec::new();
    while !reader.is_empty() {
        let name = reader.string()?;
        let value = match reader.u8()? {
            TAG_TEXT => KeyValue::Text(reader.string()?),
            TAG_BYTES => KeyValue::Bytes(reader.bytes()?.to_vec()),
            TAG_NUMBER => KeyValue::Number(reader.number()?),
            TAG_DIGEST => KeyValue::Digest(ContentHash(reader.array()?), reader.number()?),
            TAG_NESTED => KeyValue::Nested(KeyId(reader.array()?)),
            _ => return Err(Malformed("a part of an unknown kind")),
        };
        parts.push(KeyPart { name, value });
    }
    Ok(parts)
}

/// One difference between two keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The part, with its nesting (`environment.llvm`) and, among parts of one name, its place (`callee[1]`).
    pub part: String,
    /// The value in the older key, if it lists the part.
    pub old: Option<KeyValue>,
    /// The value in the newer key, if it lists the part.
    pub new: Option<KeyValue>,
}

/// The maximum depth at which nested keys are compared part by part; deeper ones are compared by id.
pub(crate) const NESTING_MAX: usize = 8;

/// Returns the parts in which `old` and `new` differ, in the order of `new`, then the parts that only `old` has.
/// `resolve` finds the list of a nested key; if it cannot, the nested part itself is returned.
pub fn diff(old: &Key, new: &Key, resolve: &dyn Fn(KeyId) -> Option<Key>) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.class() != new.class() {
        let text = |it: &Key| Some(KeyValue::Text(it.class().name().to_owned()));
        changes.push(Change { part: "class".to_owned(), old: text(old), new: text(new) });
    }
    diff_parts("", old, new, resolve, NESTING_MAX, &mut changes);
    changes
}

fn diff_parts(
    prefix: &str,
    old: &Key,
    new: &Key,
    resolve: &dyn Fn(KeyId) -> Option<Key>,
    depth: usize,
    out: &mut Vec<Change>,
) {
    let old_parts = numbered(prefix, old.parts());
    let new_parts = numbered(prefix, new.parts());
    let find = |parts: &[(String, KeyValue)], name: &str| {
        parts.iter().find(|it| it.0 == name).map(|it| it.1.clone())
    };
    for (name, value) in &new_parts {
        let before = find(&old_parts, name);
        if before.as_ref() == Some(value) {
            continue;
        }
        if let (Some(KeyValue::Nested(a)), KeyValue::Nested(b)) = (&before, value)
            && depth > 0
            && let (Some(a), Some(b)) = (resolve(*a), resolve(*b))
        {
            diff_parts(&format!("{name}."), &a, &b, resolve, depth - 1, out);
            continue;
        }
        out.push(Change { part: name.clone(), old: before, new: Some(value.clone()) });
    }
    for (name, value) in old_parts {
        if find(&new_parts, &name).is_none() {
            out.push(Change { part: name, old: Some(value), new: None });
        }
    }
}

/// Returns parts with full names; parts with equal names are numbered `[1]`, `[2]`, ...
fn numbered(prefix: &str, parts: Vec<KeyPart>) -> Vec<(String, KeyValue)> {
    let mut out: Vec<(String, KeyValue)> = Vec::with_capacity(parts.len());
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for part in parts {
        let count = seen.entry(part.name.clone()).or_insert(0);
        let name = match *count {
            0 => format!("{prefix}{}", part.name),
            nth => format!("{prefix}{}[{nth}]", part.name),
        };
        *count += 1;
        out.push((name, part.value));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn environment(level: u64) -> Key {
        let mut it = KeyBuilder::new(Class::Codegen, "environment");
        it.text("llvm", "22.1.8").number("level", level);
        it.finish()
    }

    fn unit(subject: &str, level: u64, callees: &[&str]) -> Key {
        let mut it = KeyBuilder::new(Class::Codegen, subject);
        it.nested("environment", &environment(level)).bytes("ir", &[7; 300]);
        for callee in callees {
            it.text("callee", callee);
        }
        it.finish()
    }

    // MISSION N8: the name is not hashed. MISSION N7: everything else is.
    #[test]
    fn the_identity_is_the_parts_and_not_the_subject() {
        let key = unit("f", 2, &["sqrt"]);
        assert_eq!(key.id(), unit("renamed", 2, &["sqrt"]).id());
        assert_ne!(key.id(), unit("f", 3, &["sqrt"]).id(), "a nested part");
        assert_ne!(key.id(), unit("f", 2, &["sqrt", "sqrt"]).id(), "one more");
        let tool = KeyBuilder::new(Class::Tool, "f").finish();
        assert_ne!(tool.id(), KeyBuilder::new(Class::Codegen, "f").finish().id(), "the class");
    }

    #[test]
    fn parts_cannot_run_together() {
        let id = |parts: &[(&str, &str)]| {
            let mut it = KeyBuilder::new(Class::Tool, "");
            for (name, text) in parts {
                it.text(name, text);
            }
            it.finish().id()
        };
        assert_ne!(id(&[("a", "bc")]), id(&[("ab", "c")]));
        assert_ne!(id(&[("a", "b"), ("c", "")]), id(&[("a", ""), ("c", "b")]));
        let mut bytes = KeyBuilder::new(Class::Tool, "");
        bytes.bytes("a", b"bc");
        assert_ne!(bytes.finish().id(), id(&[("a", "bc")]), "text and bytes");
    }

    // MISSION N7: the difference is named down to the part of the nested list.
    #[test]
    fn a_difference_is_named_by_its_part() {
        let (old, new) = (unit("f", 2, &["sqrt", "sin"]), unit("f", 3, &["sqrt", "cos", "abs"]));
        let listed = [environment(2), environment(3)];
        let changes = diff(&old, &new, &|id| listed.iter().find(|it| it.id() == id).cloned());
        let shown: Vec<String> =
            changes.iter().map(|it| format!("{}: {:?} -> {:?}", it.part, it.old, it.new)).collect();
        assert_eq!(
            shown,
            [
                "environment.level: Some(Number(2)) -> Some(Number(3))",
                "callee[1]: Some(Text(\"sin\")) -> Some(Text(\"cos\"))",
                "callee[2]: None -> Some(Text(\"abs\"))",
            ]
        );
        let unresolved = diff(&old, &new, &|_| None);
        assert_eq!(unresolved[0].part, "environment", "without the list, the part that names it");
    }

    #[test]
    fn large_values_are_listed_by_hash() {
        let key = unit("f", 2, &[]);
        assert_eq!(key.parts()[1].value, KeyValue::Digest(ContentHash::of(&[7; 300]), 300));
        assert!(key.encode().len() < 128);
    }

    proptest! {
        #[test]
        fn a_stored_list_reads_back(
            subject in ".{0,40}",
            texts in proptest::collection::vec((".{0,8}", ".{0,2000}", any::<u64>()), 0..8),
        ) {
            let mut it = KeyBuilder::new(Class::Semantic, subject.clone());
            for (name, text, number) in &texts {
                it.text(name, text).number(name, *number).bytes(name, text.as_bytes());
            }
            let key = it.finish();
            let again = Key::decode(&key.encode()).unwrap();
            prop_assert_eq!(again.id(), key.id());
            prop_assert_eq!(again.subject(), subject);
            prop_assert_eq!(again.parts(), key.parts());
            prop_assert_eq!(key.parts().len(), texts.len() * 3);
        }

        #[test]
        fn any_bytes_decode_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(key) = Key::decode(&bytes) {
                prop_assert_eq!(key.encode(), bytes);
            }
        }
    }
}
